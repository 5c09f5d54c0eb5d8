import type { Dialect, DialectRules } from '../constraints/dialects.js';
import type { ReleaseField } from '../packages/package-contents.js';
import type { PackageKind } from '../packages/package.js';
import shipped from './releases.json' with { type: 'json' };

/** The rules of a release without its version, for results that releases with equal rules share. */
export interface ReleaseRules {
  readonly rules: TargetRules;
}

/** What differs between releases for resolving, rendering and reading packages. */
export interface TargetRules {
  /** A name in `dialects` of the release facts. */
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
  /** Kinds in the scheme of the parser, by apiVersion, without lists (`isRegisteredKind`). */
  readonly objectKinds: Readonly<Record<string, readonly string[]>>;
  /** Kinds of objects that a package may contain; undefined if not checked. */
  readonly allowedObjects: Readonly<Partial<Record<PackageKind, readonly string[]>>>;
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

/**
 * How the package manager of a release works once objects are in a cluster.
 *
 * Separate from `TargetRules`, because none of this decides what can be installed: releases that
 * differ only here are solved together.
 */
export interface PackageManagerRules {
  /** The Lock has a condition for the resolution of dependencies. */
  readonly lockConditions: boolean;
  /** The moves of installed packages that a flag can allow. */
  readonly moves: readonly ('upgrades' | 'downgrades')[];
  /** The installed version is that of the pulled image, not that of the reference. */
  readonly movesFromPulledVersion: boolean;
  /** With upgrades, rows that satisfy none of their dependents are ignored. */
  readonly prunesOutdatedRows: boolean;
  /** A row is updated when its revision moves to another tag of the same image. */
  readonly refreshesRowVersions: boolean;
  /** Existing objects of dependencies are accepted without an error. */
  readonly acceptsExistingObjects: boolean;
  /** Missing dependencies are quoted with their constraints. */
  readonly quotesMissing: boolean;
  /** Incompatible dependencies are reported with the installed version. */
  readonly reportsConflicts: boolean;
  readonly explainsNoVersion: boolean;
  /** Revisions have their own condition, which packages quote. */
  readonly quotesRevisionHealth: boolean;
  /** A package is read before it has a revision. */
  readonly readsBeforeRevision: boolean;
  /** CRDs of a provider become ManagedResourceDefinitions. */
  readonly convertsCrds: boolean;
  /** Plurals of CRDs that are not converted: provider configurations and records of their use. */
  readonly unconvertedCrds: readonly string[];
  /** Parts of the name of a package revision, besides the name of the package object. */
  readonly revisionNames: 'digest' | 'digest-and-generation';
}

/**
 * How well the rules of a release are known. `tested`: compared with the release, running.
 * `read`: from its source. `inferred`: from the releases before and after, which agree.
 */
export type KnownState = 'tested' | 'read' | 'inferred';

/** A release of Crossplane in `releases.json`. */
export interface Release {
  readonly version: string;
  readonly date: string;
  readonly state: KnownState;
  /** When the tests ran; undefined if the state is not `tested`. */
  readonly testedOn: string | undefined;
  readonly rules: TargetRules;
  readonly packageManager: PackageManagerRules;
}

/** A minor version of Crossplane with its releases, oldest first. */
export interface ReleaseLine {
  /** As `v1.20`. */
  readonly line: string;
  /** Stable releases. */
  readonly releases: readonly Release[];
  readonly candidates: readonly Release[];
}

/** All that is known about releases. */
export interface ReleaseFacts {
  /** The day on which the facts were collected. */
  readonly asOf: string;
  /** Oldest first. */
  readonly lines: readonly ReleaseLine[];
}

/** The rules that a release changes; `null` stands for undefined. */
type Changes = Readonly<Record<string, unknown>>;

/** The form of `releases.json`. */
export interface ReleaseFactsDocument {
  readonly schemaVersion: 1;
  readonly asOf: string;
  readonly dialects: Readonly<Record<Dialect, DialectRules>>;
  readonly lines: readonly {
    readonly line: string;
    readonly releases: readonly {
      readonly version: string;
      readonly date: string;
      readonly state: KnownState;
      readonly testedOn?: string;
      readonly rules?: Changes;
      readonly packageManager?: Changes;
    }[];
  }[];
}

let current: ReleaseFacts | undefined;

export function releaseFacts(): ReleaseFacts {
  // A test compares the shipped document with these types.
  current ??= readReleaseFacts(shipped as unknown as ReleaseFactsDocument);
  return current;
}

/**
 * Reads the facts of a document. A release has the rules of the one before it in its line, with its
 * own changes; the first release of a line starts from the first stable release of the line before,
 * so that patch releases of an older line change nothing in newer ones.
 */
function readReleaseFacts({ asOf, lines }: ReleaseFactsDocument): ReleaseFacts {
  let first: Rules = { rules: {}, packageManager: {} };
  const read = lines.map(({ line, releases }) => {
    let before = first;
    const all = releases.map(({ version, date, state, testedOn, ...changes }) => {
      before = {
        rules: withChanges(before.rules, changes.rules),
        packageManager: withChanges(before.packageManager, changes.packageManager),
      };
      return { version, date, state, testedOn, ...before } as Release; // as the schema requires
    });
    const [candidates, stable] = [true, false].map((wanted) =>
      all.filter(({ version }) => version.includes('-') === wanted),
    );
    first = stable![0] ?? first;
    return { line, releases: stable!, candidates: candidates! };
  });
  return { asOf, lines: read };
}

interface Rules {
  readonly rules: object;
  readonly packageManager: object;
}

/** Returns the same object if nothing changes, so that releases with equal rules share it. */
function withChanges(rules: object, changes: Changes | undefined): object {
  if (changes === undefined) return rules;
  const given = Object.entries(changes).map(([name, value]) => [name, value ?? undefined]);
  return { ...rules, ...Object.fromEntries(given) };
}
