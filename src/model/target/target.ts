import parse from 'semver/functions/parse.js';
import { CANDIDATES, RELEASES } from './releases.js';
import type { Dialect } from '../../semver/dialect.js';
import type { PackageKind } from '../package.js';
import type { ReleaseField } from '../package-contents.js';

/**
 * Everything that differs between Crossplane releases and matters here.
 *
 * The only place that compares Crossplane versions: a difference between releases becomes a rule here.
 */
export interface TargetRules {
  readonly dialect: Dialect;
  /** Registry of references that name none; undefined: such references are invalid. */
  readonly defaultRegistry: string | undefined;
  /** References must name registry and tag or digest, and pass the CEL rule on `spec.package`. */
  readonly strictReferences: boolean;
  /** `repo:` reads as `repo:latest`; later it is a parse error. */
  readonly emptyTagIsLatest: boolean;
  /** `*.local` hosts speak plain HTTP. */
  readonly plainHttpForDotLocal: boolean;
  /** `dependsOn` entries may be `{apiVersion, kind, package}`. */
  readonly explicitDependencies: boolean;
  /** A dependency's version may be a digest. */
  readonly digestDependencies: boolean;
  /** Tags such as `v1` and `1.2` are not installed. */
  readonly skipsIncompleteTags: boolean;
  /** Objects that a package of its kind may not hold make it fail; else they are dropped. */
  readonly lintBlocks: boolean;
  /** Versions of meta.pkg.crossplane.io that can be installed, by kind. */
  readonly metaVersions: Readonly<Record<PackageKind, readonly string[]>>;
  /** Functions of `v1` parse, but the linter does not take them for Functions. */
  readonly refusesV1Functions: boolean;
  /** Fields of `spec` that a meta of its kind has here, and not on every release. */
  readonly metaFields: Readonly<Record<PackageKind, readonly ReleaseField[]>>;
  /** Kinds whose objects parse at all, by apiVersion. */
  readonly objectKinds: Readonly<Record<string, readonly string[]>>;
  /** Kinds each package may hold; undefined: no check. */
  readonly allowedObjects: Readonly<Record<PackageKind, readonly string[] | undefined>>;
  /** Functions install the objects they hold. */
  readonly functionObjectsInstalled: boolean;
  /** Objects the cluster takes but does not install (filtering establisher). */
  readonly filtersObjects: boolean;
  /** The condition by which a package revision says that it is healthy. */
  readonly revisionHealth: 'Healthy' | 'RevisionHealthy';
  /** Lock rows say `type`, or `apiVersion` and `kind`. */
  readonly lockRows: 'type' | 'gvk';
  readonly functionApiVersion: 'pkg.crossplane.io/v1beta1' | 'pkg.crossplane.io/v1';
  readonly commonAnnotations: boolean;
  readonly controllerConfigRef: boolean;
  /** What an ImageConfig may say; undefined: there is no such CRD. */
  readonly imageConfig:
    | { readonly verification: boolean; readonly rewrite: boolean; readonly runtime: boolean }
    | undefined;
  /** An image that the meta of a provider or function names runs instead of the package's own. */
  readonly runtimeImages: boolean;
  /** XRDs of `v1` have a scope, too. */
  readonly compositeScopes: boolean;
  /** How package.yaml is found in a layer. */
  readonly tarEntry: 'exact' | 'basename';
  /** A layer that is a plain tar, or packed by anything but gzip, is refused. */
  readonly gzipLayersOnly: boolean;
  readonly severalBaseLayers: 'refused' | 'first';
  readonly maxLayers: number | undefined;
}

/** A Crossplane release to resolve for. */
export interface Target {
  /** As given: `v1.20.0-up.1` keeps its suffix, which package constraints see. */
  readonly version: string;
  readonly rules: TargetRules;
  /** Set when the release is not in the table: what it is treated as. */
  readonly warning: string | undefined;
}

/** Major, minor and patch of a release. */
export type Triple = readonly [number, number, number];

/** Targets of known releases, once derived: a search asks for all of them again and again. */
const derived = new Map<string, Target>();

/** The target named by an exact version; undefined if `version` is not one. */
export function targetFor(version: string): Target | undefined {
  const known = derived.get(version);
  if (known !== undefined) return known;
  const target = derive(version);
  if (target !== undefined && RELEASES.includes(version)) derived.set(version, target);
  return target;
}

function derive(version: string): Target | undefined {
  const triple = tripleOf(version);
  if (triple === undefined) return undefined;
  return { version, rules: rulesOf(triple), warning: unknownRelease(version, triple) };
}

/** Stable releases the tool knows, oldest first. */
export function knownReleases(): readonly string[] {
  return RELEASES;
}

/** The other known releases, the nearest first: newer ones, then older ones. */
export function otherReleases({ version }: Target): Target[] {
  const here = tripleOf(version)!;
  const beside = (side: 1 | -1) =>
    RELEASES.filter((release) => Math.sign(compareTriples(tripleOf(release)!, here)) === side);
  return [...beside(1), ...beside(-1).reverse()].map((release) => targetFor(release)!);
}

/** Whether going from the one to the other is an upgrade; suffixes such as `-up.1` do not count. */
export function isNewer(a: Target, than: Target): boolean {
  return compareTriples(tripleOf(a.version)!, tripleOf(than.version)!) > 0;
}

/** Targets with equal rules can be solved together. */
export function sameRules(a: Target, b: Target): boolean {
  return written(a.rules) === written(b.rules);
}

const writings = new WeakMap<TargetRules, string>();

/** Rules as a text that is equal where they are; written once, for it takes longer than they do. */
function written(rules: TargetRules): string {
  const text = writings.get(rules) ?? JSON.stringify(rules);
  writings.set(rules, text);
  return text;
}

function unknownRelease(version: string, triple: Triple): string | undefined {
  if (RELEASES.includes(`v${triple.join('.')}`) || CANDIDATES.includes(version)) return undefined;
  const known = RELEASES.map((release) => tripleOf(release)!);
  const below = known.filter((release) => compareTriples(release, triple) <= 0);
  const nearest = below.at(-1) ?? known[0]!;
  return `Crossplane ${version} is not a release this tool knows; it is treated as v${nearest.join('.')}`;
}

/**
 * What npm's `semver` is for here: Crossplane's own releases are SemVer 2, to the letter. Versions
 * and constraints of packages are not, they are what Masterminds/semver takes them for (src/semver).
 */
export function tripleOf(release: string): Triple | undefined {
  const parsed = /\s/.test(release) ? null : parse(release);
  return parsed === null ? undefined : [parsed.major, parsed.minor, parsed.patch];
}

export function compareTriples(a: Triple, b: Triple): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}

const PROVIDER_V1 = [
  'CustomResourceDefinition',
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
];
const CONFIGURATION_V1 = ['CompositeResourceDefinition', 'Composition'];
const OPERATIONS = ['Operation', 'CronOperation', 'WatchOperation'];

/** Kinds of every version of an API: what is asked of a server, not what is kept there. */
const REQUEST_KINDS = [
  'CreateOptions',
  'DeleteOptions',
  'GetOptions',
  'ListOptions',
  'PatchOptions',
  'UpdateOptions',
  'WatchEvent',
];

/** What the parser's scheme has registered: each kind comes with its list, and each version with some more. */
const KINDS_V1 = {
  'apiextensions.crossplane.io/v1': withLists([
    'CompositeResourceDefinition',
    'Composition',
    'CompositionRevision',
  ]),
  'apiextensions.k8s.io/v1': [...withLists(['CustomResourceDefinition']), 'ConversionReview'],
  'apiextensions.k8s.io/v1beta1': [...withLists(['CustomResourceDefinition']), 'ConversionReview'],
  'admissionregistration.k8s.io/v1': withLists([
    'ValidatingWebhookConfiguration',
    'MutatingWebhookConfiguration',
  ]),
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

/** Whether a kind that parses has no `metadata` with a name, so that it can never be installed. */
export function isBareKind(kind: string): boolean {
  return kind.endsWith('List') || kind === 'ConversionReview' || REQUEST_KINDS.includes(kind);
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
    defaultRegistry: v2
      ? undefined
      : from(1, 20)
        ? 'xpkg.crossplane.io'
        : from(1, 15)
          ? 'xpkg.upbound.io'
          : 'index.docker.io',
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
    compositeScopes: v2,
    gzipLayersOnly: !from(2, 2),
    tarEntry: v2 ? 'basename' : 'exact',
    severalBaseLayers: from(2, 2) ? 'first' : 'refused',
    maxLayers: from(2, 2) ? undefined : 256,
  };
}
