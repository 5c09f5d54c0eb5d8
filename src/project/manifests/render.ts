import { argoCdSettings, withSyncAnnotations } from './argocd.js';
import { type Bundle, bundleOf, kustomization, objectFiles, PACKAGES_FILE } from './bundle.js';
import { fluxFiles, type FluxSource, withPruneDisabled } from './flux.js';
import { CHART_FILE, helmFiles } from './helm.js';
import { installedVersion } from './package-object.js';
import { inputsRecord, type RenderRecord, renderRecord } from './render-record.js';
import { isDnsSubdomain } from '../../base/dns-name.js';
import { InputError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json.js';
import { writeYaml, writeYamlStream, WRITTEN_MARK } from '../../base/yaml/write-yaml.js';
import { type Target, targetFor } from '../../crossplane/releases/target.js';
import { EMPTY_LOCK, lockManifest, packagesWithoutDigest } from '../lockfile/lock-graph.js';
import type { LockedPackage, Lockfile } from '../lockfile/lockfile.js';

export interface RenderOptions extends Omit<RenderRecord, 'crossplane'> {
  /** The release to render for; by default the release of the lockfile. */
  readonly target?: Target | undefined;
}

export interface Rendering {
  /** Text by file name, relative to the output folder. */
  readonly files: ReadonlyMap<string, string>;
  /** All that `kubectl apply -k` would apply, as one stream. */
  readonly stream: string;
  readonly bundle: Bundle;
  /** The Lock, without rows if all packages skip resolution; undefined if a digest is missing. */
  readonly lock: JsonObject | undefined;
  readonly warnings: readonly string[];
  /** Reasons why a file is missing. */
  readonly leftOut: readonly string[];
}

const LOCK_FILE = 'lock.yaml';
const ARGOCD_FILE = 'argocd-cm.yaml';
/** Its second line records the options of the rendering. */
export const KUSTOMIZATION_FILE = 'kustomization.yaml';
/** Names of files that only this tool writes. */
export const RENDERED_FILES: readonly string[] = [LOCK_FILE, PACKAGES_FILE, KUSTOMIZATION_FILE];

/** Default name of Flux objects and charts. */
const DEFAULT_NAME = 'crossplane-packages';
/** The source that `flux bootstrap` creates. */
const DEFAULT_FLUX_SOURCE = 'GitRepository/flux-system/flux-system';

/** The first line of every rendered file. */
export const RENDERED_MARK = `${WRITTEN_MARK}; changes are lost when it renders again.\n`;

const FLUX_SOURCES = ['GitRepository', 'OCIRepository', 'Bucket', 'ExternalArtifact'];

const NO_ROWS =
  '# No rows: every package has `skipDependencyResolution: true`, and keeps out of the Lock.\n';

const FIRST_ROWS =
  '# Rows are named after revisions of new objects (generation 1). Every later change of a `spec`\n' +
  '# renames its row, so compare rows by `source`.\n';

const STALE_ROWS =
  'the Lock is applied: a cluster gains nothing from it that shows, and one row that is stale ' +
  '(a tag moved since, an object of another name) stops all packages with `node … already exists`';

/** Renders Lock, manifests and kustomization from a lockfile. */
export function render(lockfile: Lockfile, options: RenderOptions = {}): Rendering {
  const target = options.target ?? lockedTarget(lockfile);
  refuseConflicts(options, target);
  const pin = options.pin ?? 'tag';
  const bundle = withLayoutAnnotations(bundleOf(lockfile, target, pin), lockfile, options);
  const skips = bundle.skips.length > 0;
  const missing = skips ? [] : packagesWithoutDigest(lockfile);
  const versionOf = (locked: LockedPackage) => installedVersion(locked, pin);
  let lock: JsonObject | undefined;
  if (skips) lock = EMPTY_LOCK;
  else if (missing.length === 0 && !isUnknown(target)) {
    lock = lockManifest(lockfile, target, versionOf);
  }
  const applied = options.applyLock === true ? [applicableLock(lock, bundle)] : [];
  const lockText = lock && lockHeader(skips, target) + writeYaml(lock);
  const texts = filesOf(bundle, lockfile, target, lockText, options);
  const isOther = lockfile.crossplane !== target.version;
  const crossplane = isOther ? target.version : undefined;
  const record = renderRecord({ ...options, pin, crossplane }) + inputsRecord(lockfile.inputs);
  const recordFile = options.layout === 'helm' ? CHART_FILE : KUSTOMIZATION_FILE;
  return {
    files: new Map(
      Array.from(texts, ([name, text]) => [
        name,
        RENDERED_MARK + (name === recordFile ? record : '') + text,
      ]),
    ),
    stream: writeYamlStream([...applied, ...bundle.objects]),
    bundle,
    lock,
    warnings: [...bundle.warnings, ...applied.map(() => STALE_ROWS)],
    leftOut:
      options.layout === undefined && lock === undefined ? [noLockReason(missing, target)] : [],
  };
}

/** Throws an `InputError` for conflicting options, which may come from a record. */
function refuseConflicts({ layout, applyLock, argocd }: RenderOptions, target: Target): void {
  if (applyLock === true && isUnknown(target)) {
    throw new InputError(
      `the Lock cannot be applied on Crossplane ${target.version}, which this tool does not know: a wrong row stops all packages`,
      {
        hint: 'leave out `--apply-lock` (or pass `--no-apply-lock`): the cluster makes its Lock by itself',
      },
    );
  }
  if (applyLock === true && namesRowsByGeneration(target)) {
    throw new InputError(
      `the Lock cannot be applied on Crossplane ${target.version}: it names the rows itself, and stops all packages where a row has another name`,
      {
        hint: 'leave out `--apply-lock` (or pass `--no-apply-lock`): the cluster makes its Lock by itself',
      },
    );
  }
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

function namesRowsByGeneration({ packageManager }: Target): boolean {
  return packageManager.revisionNames === 'digest-and-generation';
}

function isUnknown({ knowledge }: Target): boolean {
  return knowledge.state === 'unknown';
}

function lockHeader(skips: boolean, target: Target): string {
  if (skips) return NO_ROWS;
  return namesRowsByGeneration(target) ? FIRST_ROWS : '';
}

function withLayoutAnnotations(bundle: Bundle, lockfile: Lockfile, options: RenderOptions): Bundle {
  const own = options.layout === 'flux' ? withPruneDisabled(bundle) : bundle;
  return options.argocd === true
    ? withSyncAnnotations(own, lockfile, options.syncOptions ?? [])
    : own;
}

/** Returns the files by name, without their headers. `lockText` is undefined without a Lock. */
function filesOf(
  bundle: Bundle,
  lockfile: Lockfile,
  target: Target,
  lockText: string | undefined,
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

function lockedTarget({ crossplane }: Lockfile): Target {
  const target = targetFor(crossplane);
  if (target === undefined) throw new InputError(`\`${crossplane}\` is not a Crossplane release`);
  return target;
}

function noLockReason([missing]: readonly LockedPackage[], { version }: Target): string {
  return missing === undefined
    ? `\`${LOCK_FILE}\` is not written: Crossplane ${version} is not a release this tool knows, so the names of its rows are unknown`
    : `\`${LOCK_FILE}\` is not written: its rows are named by digests, and \`${missing.repository}\` has none`;
}

/** Returns the Lock. Throws an `InputError` if a cluster would not come to the same Lock. */
function applicableLock(lock: JsonObject | undefined, bundle: Bundle): JsonObject {
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
