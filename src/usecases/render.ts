import { bundleOf, type Bundle } from '../bundle/bundle.js';
import { kustomization } from '../bundle/kustomization.js';
import { installedVersion, type Pin } from '../bundle/package-object.js';
import { EMPTY_LOCK, lockManifest, undigested } from '../lock/lock-manifest.js';
import type { Lockfile } from '../lock/lockfile.js';
import { writeYaml, writeYamlStream } from '../text/yaml/write-yaml.js';
import { InputError } from '../model/input-error.js';
import type { JsonObject } from '../text/json.js';
import { renderRecord } from './render-record.js';
import { targetFor, type Target } from '../model/target/target.js';
import { WRITTEN_MARK } from '../text/written-mark.js';

export interface RenderOptions {
  /** The release to render for; that of the lockfile unless given. */
  readonly target?: Target | undefined;
  readonly pin?: Pin | undefined;
  /** Make the Lock part of what `kubectl apply -k` applies. */
  readonly applyLock?: boolean | undefined;
}

export interface Rendering {
  /** Text by file name, within the folder that holds them all. */
  readonly files: ReadonlyMap<string, string>;
  /** What `kubectl apply -k` would apply, as one stream. */
  readonly stream: string;
  readonly bundle: Bundle;
  /** undefined where a digest is missing, which its rows are named by; without rows, if all skip. */
  readonly lock: JsonObject | undefined;
  readonly warnings: readonly string[];
}

const LOCK_FILE = 'lock.yaml';
export const PACKAGES_FILE = 'packages.yaml';
/** Its second line says what the bundle was rendered with. */
export const KUSTOMIZATION_FILE = 'kustomization.yaml';
/** Every file a rendering may have. */
export const RENDERED_FILES: readonly string[] = [LOCK_FILE, PACKAGES_FILE, KUSTOMIZATION_FILE];

/** The first line of every rendered file. */
export const RENDERED_MARK = `${WRITTEN_MARK}; changes are lost when it renders again.\n`;

const NO_ROWS =
  '# No rows: every package has `skipDependencyResolution: true`, and keeps out of the Lock.\n';

const STALE_ROWS =
  'the Lock is applied: a cluster gains nothing from it that shows, and one row that is stale ' +
  '(a tag moved since, an object of another name) stops all packages with `node … already exists`';

/** Lock, bundle and kustomization, from the lockfile alone. */
export function render(lockfile: Lockfile, options: RenderOptions = {}): Rendering {
  const target = options.target ?? lockedTarget(lockfile);
  const pin = options.pin ?? 'tag';
  const bundle = bundleOf(lockfile, target, pin);
  const skips = bundle.skips.length > 0;
  const missing = skips ? [] : undigested(lockfile);
  const lock = lockOf(lockfile, target, { pin, skips, digested: missing.length === 0 });
  const applied = options.applyLock === true ? [applicable(lock, bundle)] : [];
  const packages = writeYamlStream(bundle.objects);
  const isOther = lockfile.crossplane !== target.version;
  const crossplane = isOther ? target.version : undefined;
  const record = renderRecord({ pin, applyLock: options.applyLock, crossplane });
  const resources = [...applied.map(() => LOCK_FILE), PACKAGES_FILE];
  const files = new Map<string, string>([
    ...(lock === undefined
      ? []
      : ([[LOCK_FILE, (skips ? NO_ROWS : '') + writeYaml(lock)]] as const)),
    [PACKAGES_FILE, packages],
    [KUSTOMIZATION_FILE, record + writeYaml(kustomization(resources))],
  ]);
  return {
    files: new Map(Array.from(files, ([name, text]) => [name, RENDERED_MARK + text])),
    stream: writeYamlStream(applied) + packages,
    bundle,
    lock,
    warnings: [
      ...bundle.warnings,
      ...missing.slice(0, 1).map(noLock),
      ...applied.map(() => STALE_ROWS),
    ],
  };
}

function lockOf(
  lockfile: Lockfile,
  target: Target,
  {
    pin,
    skips,
    digested,
  }: { readonly pin: Pin; readonly skips: boolean; readonly digested: boolean },
): JsonObject | undefined {
  if (skips) return EMPTY_LOCK;
  if (!digested) return undefined;
  return lockManifest(lockfile, target, (locked) => installedVersion(locked, pin));
}

function lockedTarget({ crossplane }: Lockfile): Target {
  const target = targetFor(crossplane);
  if (target === undefined) throw new InputError(`\`${crossplane}\` is not a Crossplane release`);
  return target;
}

function noLock({ repository }: { readonly repository: string }): string {
  return `\`${LOCK_FILE}\` is not written: its rows are named by digests, and \`${repository}\` has none`;
}

/** The Lock, where a cluster that it is applied to would come to the same one. */
function applicable(lock: JsonObject | undefined, bundle: Bundle): JsonObject {
  if (lock === undefined) {
    throw new InputError('the Lock cannot be applied: a package has no digest to name its row by');
  }
  if (bundle.skips.length === 0) return lock;
  throw new InputError(
    'the Lock cannot be applied: every package has `skipDependencyResolution: true`, so none ' +
      `would ever look after its row (${bundle.skips[0]})`,
    { hint: 'leave out `--apply-lock`' },
  );
}
