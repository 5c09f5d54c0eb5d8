import parse from 'semver/functions/parse.js';
import { getOrCreate } from '../../base/collections.js';
import type { Dialect } from '../constraints/version.js';
import type { ReleaseField } from '../packages/package-contents.js';
import type { PackageKind } from '../packages/package.js';

/** The differences between Crossplane releases. Only this file compares release versions. */
export interface TargetRules {
  readonly dialect: Dialect;
  /** Registry of references without one; undefined if such references are invalid. */
  readonly defaultRegistry: string | undefined;
  /** References must have a registry and a tag or digest (CEL rule of `spec.package`). */
  readonly strictReferences: boolean;
  /** `repo:` means `repo:latest`; in later releases it is a parse error. */
  readonly emptyTagIsLatest: boolean;
  /** `*.local` hosts use plain HTTP. */
  readonly plainHttpForDotLocal: boolean;
  /** `dependsOn` entries may be `{apiVersion, kind, package}`. */
  readonly explicitDependencies: boolean;
  readonly digestDependencies: boolean;
  /** Tags such as `v1` and `1.2` are not installed. */
  readonly skipsIncompleteTags: boolean;
  /** A package with an object of the wrong kind is refused. Others ignore it. */
  readonly lintBlocks: boolean;
  /** Versions of meta.pkg.crossplane.io that can be installed, by kind. */
  readonly metaVersions: Readonly<Record<PackageKind, readonly string[]>>;
  /** The parser accepts Functions of `v1`, but the linter does not. */
  readonly refusesV1Functions: boolean;
  /** Fields of `spec` of a kind that this release has and others do not. */
  readonly metaFields: Readonly<Record<PackageKind, readonly ReleaseField[]>>;
  /** Kinds of objects that the parser accepts, by apiVersion. */
  readonly objectKinds: Readonly<Record<string, readonly string[]>>;
  /** Kinds of objects that a package may contain; undefined if not checked. */
  readonly allowedObjects: Readonly<Record<PackageKind, readonly string[] | undefined>>;
  readonly functionObjectsInstalled: boolean;
  /** The cluster accepts some objects that it does not install (filtering establisher). */
  readonly filtersObjects: boolean;
  /** The condition for the health of a package revision. */
  readonly revisionHealth: 'Healthy' | 'RevisionHealthy';
  /** Lock rows have `type`, or `apiVersion` and `kind`. */
  readonly lockRows: 'type' | 'gvk';
  readonly functionApiVersion: 'pkg.crossplane.io/v1beta1' | 'pkg.crossplane.io/v1';
  readonly commonAnnotations: boolean;
  readonly controllerConfigRef: boolean;
  /** The features of ImageConfig; undefined if there is no such CRD. */
  readonly imageConfig:
    | { readonly verification: boolean; readonly rewrite: boolean; readonly runtime: boolean }
    | undefined;
  /** The image in the metadata of a provider or function runs instead of the package's own. */
  readonly runtimeImages: boolean;
  /** Compositions must have `mode: Pipeline` and at least one step. */
  readonly pipelineCompositionsOnly: boolean;
  /** XRDs of `v1` have a scope. */
  readonly compositeScopes: boolean;
  /** How to find package.yaml in a layer. */
  readonly tarEntry: 'exact' | 'basename';
  /** Layers must be compressed with gzip. */
  readonly gzipLayersOnly: boolean;
  readonly severalBaseLayers: 'refused' | 'first';
  readonly maxLayers: number | undefined;
}

/** The rules of a release without its version, for results that releases with equal rules share. */
export interface ReleaseRules {
  readonly rules: TargetRules;
}

export interface Target extends ReleaseRules {
  /** As given: `v1.20.0-up.1` keeps its suffix, which package constraints compare. */
  readonly version: string;
  /** A warning if the release is unknown. It names the release whose rules apply. */
  readonly warning: string | undefined;
}

type Triple = readonly [number, number, number];

/** Cache of known targets, which a search requests again and again. */
const targetCache = new Map<string, Target>();

/** Returns the target of an exact version, or undefined if `version` is not one. */
export function targetFor(version: string): Target | undefined {
  const known = targetCache.get(version);
  if (known !== undefined) return known;
  const target = deriveTarget(version);
  if (target !== undefined && RELEASES.includes(version)) targetCache.set(version, target);
  return target;
}

/** Accepts `2.0.0`, but the target is `v2.0.0`, as releases are tagged. */
function deriveTarget(text: string): Target | undefined {
  const triple = parseRelease(text);
  if (triple === undefined) return undefined;
  const version = text.startsWith('v') ? text : `v${text}`;
  return { version, rules: rulesOf(triple), warning: unknownRelease(version, triple) };
}

export function knownReleases(): readonly string[] {
  return RELEASES;
}

/** Whether a release verifies signatures; with `rewrites`, also of images that it rewrites. */
export function verifiesSignatures({ rules }: ReleaseRules, rewrites: boolean): boolean {
  const { verification = false, rewrite = false } = rules.imageConfig ?? {};
  return verification && (rewrite || !rewrites);
}

/** Returns a constraint that admits these releases, including prereleases. */
export function signatureReleases(rewrites: boolean): string {
  const oldest = RELEASES.find((release) => verifiesSignatures(targetFor(release)!, rewrites));
  return `>=${oldest}-0`;
}

/** Returns the other known releases: newer ones, then older ones, each nearest first. */
export function otherReleases(target: Target): Target[] {
  const all = RELEASES.map((release) => targetFor(release)!);
  const newer = all.filter((other) => isNewer(other, target));
  return [...newer, ...all.filter((other) => isNewer(target, other)).reverse()];
}

/** Whether `a` is newer than `than`. Ignores suffixes such as `-up.1`. */
export function isNewer(a: Target, than: Target): boolean {
  return compareTriples(parseRelease(a.version)!, parseRelease(than.version)!) > 0;
}

/** Whether two targets have equal rules, so that they can be solved together. */
export function sameRules(a: Target, b: Target): boolean {
  const [text, other] = [a, b].map(({ rules }) => getOrCreate(rulesTexts, rules, JSON.stringify));
  return text === other;
}

/** Cached, because serializing takes longer than comparing. */
const rulesTexts = new WeakMap<TargetRules, string>();

function unknownRelease(version: string, triple: Triple): string | undefined {
  if (RELEASES.includes(`v${triple.join('.')}`) || CANDIDATES.includes(version)) return undefined;
  const known = RELEASES.map((release) => parseRelease(release)!);
  const below = known.filter((release) => compareTriples(release, triple) <= 0);
  const nearest = below.at(-1) ?? known[0]!;
  return `Crossplane ${version} is not a release this tool knows; it is treated as v${nearest.join('.')}`;
}

/** Parses a release of Crossplane, which is strict SemVer 2 unlike versions of packages. */
export function parseRelease(release: string): Triple | undefined {
  const parsed = /\s/.test(release) ? null : parse(release);
  return parsed === null ? undefined : [parsed.major, parsed.minor, parsed.patch];
}

export function compareTriples(a: Triple, b: Triple): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}

const WEBHOOKS = ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'];
const PROVIDER_V1 = ['CustomResourceDefinition', ...WEBHOOKS];
const CONFIGURATION_V1 = ['CompositeResourceDefinition', 'Composition'];
const OPERATIONS = ['Operation', 'CronOperation', 'WatchOperation'];

/** Kinds that every API version has: requests to a server, not stored objects. */
const REQUEST_KINDS = [
  'CreateOptions',
  'DeleteOptions',
  'GetOptions',
  'ListOptions',
  'PatchOptions',
  'UpdateOptions',
  'WatchEvent',
];

/** Kinds registered in the parser's scheme, with their list kinds. */
const KINDS_V1 = {
  'apiextensions.crossplane.io/v1': withLists([...CONFIGURATION_V1, 'CompositionRevision']),
  'apiextensions.k8s.io/v1': [...withLists(['CustomResourceDefinition']), 'ConversionReview'],
  'apiextensions.k8s.io/v1beta1': [...withLists(['CustomResourceDefinition']), 'ConversionReview'],
  'admissionregistration.k8s.io/v1': withLists(WEBHOOKS),
};
const KINDS_V1_17 = {
  'admissionregistration.k8s.io/v1': [
    ...KINDS_V1['admissionregistration.k8s.io/v1'],
    ...withLists(['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding']),
  ],
};
const KINDS_V2 = {
  'apiextensions.crossplane.io/v1alpha1': withLists([
    'ManagedResourceDefinition',
    'ManagedResourceActivationPolicy',
    'Usage',
  ]),
  'apiextensions.crossplane.io/v2': withLists(['CompositeResourceDefinition']),
  'ops.crossplane.io/v1alpha1': withLists(OPERATIONS),
};

function withLists(kinds: readonly string[]): readonly string[] {
  return [...kinds.flatMap((kind) => [kind, `${kind}List`]), ...REQUEST_KINDS];
}

/** Whether a kind has no `metadata.name`, so that it can never be installed. */
export function hasNoMetadata(kind: string): boolean {
  return kind.endsWith('List') || kind === 'ConversionReview' || REQUEST_KINDS.includes(kind);
}

function defaultRegistry(from: (major: number, minor: number) => boolean): string | undefined {
  if (from(2, 0)) return undefined;
  if (from(1, 20)) return 'xpkg.crossplane.io';
  return from(1, 15) ? 'xpkg.upbound.io' : 'index.docker.io';
}

function rulesOf(triple: Triple): TargetRules {
  const from = (major: number, minor: number, patch = 0) =>
    compareTriples(triple, [major, minor, patch]) >= 0;
  const within = (minor: readonly [number, number], patch: number) =>
    triple[0] === minor[0] && triple[1] === minor[1] && triple[2] >= patch;
  const v2 = from(2, 0);
  const acceptsMrds = from(2, 0, 3);
  return {
    dialect: from(2, 3) ? '3.4.0' : '1.5.0',
    defaultRegistry: defaultRegistry(from),
    strictReferences: v2,
    emptyTagIsLatest: !from(1, 20, 2),
    plainHttpForDotLocal: !(within([2, 1], 8) || within([2, 2], 4) || from(2, 3, 4)),
    explicitDependencies: from(1, 19),
    digestDependencies: from(1, 18),
    skipsIncompleteTags: from(2, 0, 3),
    lintBlocks: !from(2, 2),
    metaVersions: {
      Provider: ['v1', 'v1alpha1'],
      Configuration: ['v1', 'v1alpha1'],
      Function: from(1, 17, 2) ? ['v1', 'v1beta1'] : ['v1beta1'],
    },
    refusesV1Functions: from(1, 17) && !from(1, 17, 2),
    metaFields: {
      Provider: [v2 ? 'capabilities' : 'controller'],
      Configuration: v2 ? ['capabilities'] : [],
      Function: [v2 ? 'capabilities' : 'image'],
    },
    objectKinds: { ...KINDS_V1, ...(from(1, 17) && KINDS_V1_17), ...(v2 && KINDS_V2) },
    allowedObjects: {
      Provider: [...PROVIDER_V1, ...(acceptsMrds ? ['ManagedResourceDefinition'] : [])],
      Configuration: [
        ...CONFIGURATION_V1,
        ...(v2 ? OPERATIONS : []),
        ...(acceptsMrds ? ['ManagedResourceActivationPolicy'] : []),
      ],
      Function: from(2, 2) ? ['CustomResourceDefinition'] : undefined,
    },
    functionObjectsInstalled: !from(2, 2),
    filtersObjects: from(2, 2),
    revisionHealth: v2 ? 'RevisionHealthy' : 'Healthy',
    lockRows: from(1, 19) ? 'gvk' : 'type',
    functionApiVersion: from(1, 17) ? 'pkg.crossplane.io/v1' : 'pkg.crossplane.io/v1beta1',
    commonAnnotations: from(2, 3),
    controllerConfigRef: !v2,
    imageConfig:
      from(1, 18) || within([1, 17], 3) || within([1, 16], 4)
        ? { verification: from(1, 18), rewrite: from(1, 20), runtime: from(2, 2) }
        : undefined,
    runtimeImages: !v2,
    pipelineCompositionsOnly: v2,
    compositeScopes: v2,
    gzipLayersOnly: !from(2, 2),
    tarEntry: v2 ? 'basename' : 'exact',
    severalBaseLayers: from(2, 2) ? 'first' : 'refused',
    maxLayers: from(2, 2) ? undefined : 256,
  };
}

/** Last stable patch of every Crossplane minor version since v1.14. No patch was skipped. */
const LAST_PATCH: readonly (readonly [minor: string, patch: number])[] = [
  ['v1.14', 9],
  ['v1.15', 6],
  ['v1.16', 5],
  ['v1.17', 6],
  ['v1.18', 5],
  ['v1.19', 3],
  ['v1.20', 11],
  ['v2.0', 8],
  ['v2.1', 8],
  ['v2.2', 4],
  ['v2.3', 4],
];

const RELEASES: readonly string[] = LAST_PATCH.flatMap(([minor, last]) =>
  Array.from({ length: last + 1 }, (_, patch) => `${minor}.${patch}`),
);

/** Release candidates of a minor version that has no release yet. */
const CANDIDATES: readonly string[] = ['v2.4.0-rc.0'];

/**
 * Returns the releases between two others, in the direction of travel: the newest known patch of
 * every minor version, because Crossplane supports upgrades only by one minor version.
 *
 * Returns none for builds of Upbound, which are not among the known releases.
 */
export function releasesBetween(from: Target, to: Target): Target[] {
  if (isUpboundBuild(from) || isUpboundBuild(to)) return [];
  return minorsBetween(from, to).flatMap((minor) => {
    const newest = RELEASES.findLast((release) => release.startsWith(`${minor}.`));
    return newest === undefined ? [] : [targetFor(newest)!];
  });
}

/** Returns the minor versions between two releases, as `v1.19`, in the direction of travel. */
export function minorsBetween(from: Target, to: Target): string[] {
  const [a, b] = [parseRelease(from.version)!, parseRelease(to.version)!];
  const isBackwards = compareTriples(a, b) > 0;
  const [low, high] = isBackwards ? [b, a] : [a, b];
  const minors: string[] = [];
  for (let major = low[0]; major <= high[0]; major += 1) {
    const first = major === low[0] ? low[1] + 1 : 0;
    const newest = RELEASES.findLast((release) => release.startsWith(`v${major}.`));
    const last = major === high[0] ? high[1] - 1 : (parseRelease(newest ?? '')?.[1] ?? -1);
    for (let minor = first; minor <= last; minor += 1) minors.push(`v${major}.${minor}`);
  }
  return isBackwards ? minors.reverse() : minors;
}

/** Whether a release is a build of Upbound, such as `v1.20.0-up.1`, which has its own chart. */
export function isUpboundBuild({ version }: Target): boolean {
  return /-up\./.test(version);
}

export function isUpgradeToV2(from: Target, to: Target): boolean {
  return parseRelease(from.version)![0] < 2 && parseRelease(to.version)![0] >= 2;
}
