import { bundleOf, type Bundle } from '../bundle/bundle.js';
import { argoCdSettings, forArgoCd } from '../bundle/gitops/argocd.js';
import type { FluxSource } from '../bundle/gitops/flux.js';
import { kustomization } from '../bundle/kustomization.js';
import { installedVersion, type Pin } from '../bundle/package-object.js';
import { EMPTY_LOCK, lockManifest, undigested } from '../lock/lock-manifest.js';
import type { Lockfile } from '../lock/lockfile.js';
import { writeYaml, writeYamlStream } from '../text/yaml/write-yaml.js';
import { InputError } from '../model/input-error.js';
import { isDnsSubdomain } from '../text/dns-name.js';
import type { JsonObject } from '../text/json.js';
import { fluxFiles, forFlux } from './layouts/flux-layout.js';
import { CHART_FILE, helmFiles } from './layouts/helm-layout.js';
import { objectFiles, PACKAGES_FILE } from './layouts/object-files.js';
import { renderRecord, type BundleLayout } from './render-record.js';
import { targetFor, type Target } from '../model/target/target.js';
import { WRITTEN_MARK } from '../text/written-mark.js';

export interface RenderOptions {
  /** The release to render for; that of the lockfile unless given. */
  readonly target?: Target | undefined;
  readonly pin?: Pin | undefined;
  /** Make the Lock part of what `kubectl apply -k` applies. */
  readonly applyLock?: boolean | undefined;
  /** A file for each object. */
  readonly split?: boolean | undefined;
  /** Add waves and sync options of Argo CD, and the settings that it needs for them. */
  readonly argocd?: boolean | undefined;
  /** Sync options of Argo CD for every object, `KEY=VALUE`. */
  readonly syncOptions?: readonly string[] | undefined;
  /** For whom to lay out the files; for `kubectl apply -k` unless given. */
  readonly layout?: BundleLayout | undefined;
  /** What objects of Flux are called, or the chart. */
  readonly name?: string | undefined;
  /** Where Flux has the files from: `KIND/NAMESPACE/NAME`. */
  readonly fluxSource?: string | undefined;
  /** Where the folder is in that source. */
  readonly fluxPath?: string | undefined;
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
  /** Why a file that a bundle has otherwise is not among the files. */
  readonly leftOut: readonly string[];
}

const LOCK_FILE = 'lock.yaml';
const ARGOCD_FILE = 'argocd-cm.yaml';
/** Its second line says what the bundle was rendered with. */
export const KUSTOMIZATION_FILE = 'kustomization.yaml';
/** Files that a rendering has whatever is in the set: by their names, they are ours. */
export const RENDERED_FILES: readonly string[] = [LOCK_FILE, PACKAGES_FILE, KUSTOMIZATION_FILE];

/** What objects of Flux, and a chart, are called where nothing is said. */
export const DEFAULT_NAME = 'crossplane-packages';
/** The source that `flux bootstrap` makes. */
export const DEFAULT_FLUX_SOURCE = 'GitRepository/flux-system/flux-system';

/** The first line of every rendered file. */
export const RENDERED_MARK = `${WRITTEN_MARK}; changes are lost when it renders again.\n`;

const FLUX_SOURCES = ['GitRepository', 'OCIRepository', 'Bucket', 'ExternalArtifact'];

const NO_ROWS =
  '# No rows: every package has `skipDependencyResolution: true`, and keeps out of the Lock.\n';

const STALE_ROWS =
  'the Lock is applied: a cluster gains nothing from it that shows, and one row that is stale ' +
  '(a tag moved since, an object of another name) stops all packages with `node … already exists`';

/** Lock, bundle and kustomization, from the lockfile alone. */
export function render(lockfile: Lockfile, options: RenderOptions = {}): Rendering {
  refuseClashes(options);
  const target = options.target ?? lockedTarget(lockfile);
  const pin = options.pin ?? 'tag';
  const bundle = laidOut(bundleOf(lockfile, target, pin), lockfile, options);
  const skips = bundle.skips.length > 0;
  const missing = skips ? [] : undigested(lockfile);
  const lock = lockOf(lockfile, target, { pin, skips, digested: missing.length === 0 });
  const applied = options.applyLock === true ? [applicable(lock, bundle)] : [];
  const lockText = lock === undefined ? undefined : (skips ? NO_ROWS : '') + writeYaml(lock);
  const texts = filesOf({ bundle, lockfile, target, lockText }, options);
  const isOther = lockfile.crossplane !== target.version;
  const crossplane = isOther ? target.version : undefined;
  const record = renderRecord({ ...options, pin, crossplane });
  const recording = options.layout === 'helm' ? CHART_FILE : KUSTOMIZATION_FILE;
  return {
    files: new Map(
      Array.from(texts, ([name, text]) => [
        name,
        RENDERED_MARK + (name === recording ? record : '') + text,
      ]),
    ),
    stream: writeYamlStream([...applied, ...bundle.objects]),
    bundle,
    lock,
    warnings: [...bundle.warnings, ...applied.map(() => STALE_ROWS)],
    leftOut: options.layout === undefined ? missing.slice(0, 1).map(noLock) : [],
  };
}

/** Refuses what makes no sense in a layout, which a record may ask for, too. */
function refuseClashes({ layout, applyLock, argocd }: RenderOptions): void {
  if (layout !== undefined && applyLock === true) {
    throw new InputError(`the Lock cannot be applied with \`--${layout}\``, {
      hint: 'leave out `--apply-lock`: a cluster makes its Lock by itself',
    });
  }
  if (layout === 'flux' && argocd === true) {
    throw new InputError('what is rendered for Flux has no waves for Argo CD', {
      hint: 'leave out `--argocd`, or render it into another folder',
    });
  }
}

/** The bundle with what those that it is for want on its objects. */
function laidOut(bundle: Bundle, lockfile: Lockfile, options: RenderOptions): Bundle {
  const own = options.layout === 'flux' ? forFlux(bundle) : bundle;
  return options.argocd === true ? forArgoCd(own, lockfile, options.syncOptions ?? []) : own;
}

interface FileParts {
  readonly bundle: Bundle;
  readonly lockfile: Lockfile;
  readonly target: Target;
  /** undefined: there is no Lock to show. */
  readonly lockText: string | undefined;
}

/** Texts by file name. */
function filesOf(
  { bundle, lockfile, target, lockText }: FileParts,
  options: RenderOptions,
): ReadonlyMap<string, string> {
  const { split = false, name = DEFAULT_NAME, pin = 'tag' } = options;
  if (options.layout === 'helm') return helmFiles(bundle, lockfile, { name, target, pin });
  if (options.layout === 'flux') {
    const source = fluxSourceOf(options.fluxSource ?? DEFAULT_FLUX_SOURCE);
    return fluxFiles(bundle, lockfile, { source, path: options.fluxPath ?? '.', name, split });
  }
  const objects = objectFiles(bundle.objects, split);
  const resources = [...(options.applyLock === true ? [LOCK_FILE] : []), ...objects.keys()];
  return new Map<string, string>([
    ...(lockText === undefined ? [] : ([[LOCK_FILE, lockText]] as const)),
    ...(options.argocd === true ? ([[ARGOCD_FILE, argoCdSettings()]] as const) : []),
    ...objects,
    [KUSTOMIZATION_FILE, writeYaml(kustomization(resources))],
  ]);
}

/** Reads `KIND/NAME` or `KIND/NAMESPACE/NAME`. */
function fluxSourceOf(text: string): FluxSource {
  const [kind = '', ...rest] = text.split('/');
  const [namespace, name] = rest.length === 1 ? ['flux-system', rest[0]!] : rest;
  const isNamed = rest.length <= 2 && [namespace, name].every((each) => isDnsSubdomain(each ?? ''));
  if (isNamed && FLUX_SOURCES.includes(kind)) return { kind, namespace: namespace!, name: name! };
  throw new InputError(`\`--flux-source ${text}\` is no source of Flux`, {
    hint: `write KIND/NAME or KIND/NAMESPACE/NAME; KIND is one of ${FLUX_SOURCES.join(', ')}`,
  });
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
