import type { Policy } from './policy.js';
import { isDigest } from '../../base/digest.js';
import { formatOrigin, InputError, type Origin } from '../../base/errors.js';
import { type JsonObject, type JsonValue, mappingOf } from '../../base/json.js';
import type { KeptObject } from '../../crossplane/package-manager/image-config.js';
import type { CrdRef } from '../../crossplane/packages/crd-ref.js';
import type { PackageObject } from '../../crossplane/packages/package-contents.js';
import type { Candidate, PackageKind, Repository } from '../../crossplane/packages/package.js';
import type { LockedPackage, Lockfile } from '../lockfile/lockfile.js';

/** The packages that a resolution must install and the rules for choosing them. */
export interface Request {
  /** `spec.crossplane` of a PackageSet: an exact release or a constraint. A flag overrides it. */
  readonly crossplane?: { readonly text: string; readonly origin: Origin } | undefined;
  /** Roots in the given order, which may change the answer. */
  readonly roots: readonly Root[];
  readonly overrides: readonly VersionRule[];
  readonly replace: readonly Replacement[];
  readonly exclude: readonly VersionRule[];
  /** Fields merged into the spec of every rendered package object. */
  readonly defaults: JsonObject;
  /** ImageConfigs, runtime configs and activation policies, in the given order. */
  readonly kept: readonly KeptObject[];
  /** Packages whose prereleases are allowed, as with `--prerelease`. */
  readonly prereleases?: readonly Repository[];
  /** Releases or ranges of releases that the project supports. `matrix` checks them. */
  readonly crossplanes?: { readonly texts: readonly string[]; readonly origin: Origin } | undefined;
  /** Policies, all of which apply. */
  readonly policies?: readonly Policy[] | undefined;
  /** Whether versions with an unknown digest may be locked. */
  readonly allowUndigested?: boolean | undefined;
}

export type Root = PackageRoot | LocalRoot | CrdRoot;

export interface PackageRoot {
  readonly root: 'package';
  readonly repository: Repository;
  /** Kind; undefined if it is read from the package. */
  readonly kind: PackageKind | undefined;
  readonly version: RootVersion;
  /** Name of the object, if the user chose one. */
  readonly name: string | undefined;
  /** Fields merged into the rendered spec. */
  readonly spec: JsonObject;
  /** The input object of this root, whose other fields are rendered too. */
  readonly object: JsonObject | undefined;
  /** Fields of the spec of `object` that no known release has. */
  readonly unknownFields?: readonly { readonly name: string; readonly origin: Origin }[];
  /** Whether the file allows a tag or digest but no range; undefined: true for an `object`. */
  readonly takesNoRange?: boolean | undefined;
  readonly ignoreCrossplaneConstraints: boolean;
  readonly skipDependencyResolution: boolean;
  /** Whether the command names the package (`add`). No suggestion changes or removes it. */
  readonly isNamed?: boolean | undefined;
  readonly origin: Origin;
}

/**
 * `tag`: exactly this tag. `digest`: exactly this image. `text`: a constraint if the dialect of the
 * target can parse it, otherwise a tag.
 */
export type RootVersion =
  | { readonly form: 'tag'; readonly tag: string }
  | { readonly form: 'digest'; readonly digest: string }
  | { readonly form: 'text'; readonly text: string };

/** Returns the tag, digest or constraint of a root, as an input file has it. */
export function rootVersionText(version: RootVersion): string {
  switch (version.form) {
    case 'tag':
      return version.tag;
    case 'digest':
      return version.digest;
    case 'text':
      return version.text;
  }
}

/** Returns the version of a root for a tag or a digest. */
export function exactVersion(text: string): RootVersion {
  return isDigest(text) ? { form: 'digest', digest: text } : { form: 'tag', tag: text };
}

/** Returns the root that requires a locked package, with the settings of its object. */
export function lockedRoot(
  { repository, kind, version, object }: LockedPackage,
  { skipDependencyResolution }: Pick<Lockfile, 'skipDependencyResolution'>,
): PackageRoot {
  return {
    root: 'package',
    repository,
    kind,
    version: exactVersion(version),
    name: undefined,
    spec: {},
    object: undefined,
    ignoreCrossplaneConstraints: object.spec['ignoreCrossplaneConstraints'] === true,
    skipDependencyResolution: skipDependencyResolution.length > 0,
    origin: { file: 'the lockfile' },
  };
}

/** A package under development. Its requirements count, but it is not rendered. */
export interface LocalRoot {
  readonly root: 'local';
  readonly kind: PackageKind;
  readonly name: string;
  readonly crossplane: string | undefined;
  /** `dependsOn` entries, unchanged, with their origins. */
  readonly dependsOn: readonly { readonly entry: JsonValue; readonly origin: Origin }[];
  /** Fields of its package metadata that no known release has. */
  readonly unknownFields?: readonly { readonly message: string; readonly origin: Origin }[];
  /** Place of the constraint; undefined: only the place of the document is known. */
  readonly crossplaneOrigin?: Origin | undefined;
  /** XRDs, Compositions and CRDs that the package would own. */
  readonly objects: readonly LocalObject[];
  readonly origin: Origin;
}

/** An object of a package under development. */
export interface LocalObject extends PackageObject {
  readonly origin?: Origin | undefined;
}

/** A required API, which any package may provide. */
export interface CrdRoot {
  readonly root: 'crd';
  readonly demand: CrdRef;
  readonly origin: Origin;
}

export interface VersionRule {
  readonly repository: Repository;
  /** Constraint, tag or digest. */
  readonly version: string;
  readonly origin: Origin;
}

export interface Replacement {
  readonly repository: Repository;
  readonly with: Repository;
  readonly origin: Origin;
}

/** Returns the replacement of a repository, or the repository itself. */
export function replacedRepository({ replace }: Request, named: Repository): Repository {
  return replace.findLast(({ repository }) => repository === named)?.with ?? named;
}

/** Returns the override that decides the version of a package, or undefined. */
export function overrideOf(
  { overrides }: Request,
  repository: Repository,
): VersionRule | undefined {
  return overrides.findLast((rule) => rule.repository === repository);
}

/** A change to the request. `at` is the origin of the entry to change. */
export type RequestEdit =
  | {
      readonly edit: 'version';
      readonly at: Origin;
      readonly repository: Repository;
      /** Constraint, tag or digest. */
      readonly version: string;
    }
  | { readonly edit: 'kind'; readonly at: Origin; readonly kind: PackageKind }
  | {
      readonly edit: 'repository';
      readonly at: Origin;
      readonly from: Repository;
      readonly to: Repository;
    }
  | { readonly edit: 'remove'; readonly at: Origin }
  | {
      readonly edit: 'prerelease';
      /** The root that requires the package; undefined if another package requires it. */
      readonly at: Origin | undefined;
      readonly repository: Repository;
    }
  | { readonly edit: 'override'; readonly repository: Repository; readonly version: string }
  | { readonly edit: 'replace'; readonly repository: Repository; readonly with: Repository }
  /** Versions that may have any age; `at` is the origin of the minimum age. */
  | {
      readonly edit: 'age-exceptions';
      readonly at: Origin;
      readonly versions: readonly Candidate[];
    }
  | { readonly edit: 'crossplane'; readonly version: string }
  | { readonly edit: 'allow-cycles' };

/** A package root of one document, before `combine` applies the defaults. */
export type PackageRootDraft = Omit<
  PackageRoot,
  'ignoreCrossplaneConstraints' | 'skipDependencyResolution'
>;

/** The part of a request that one document, or one reference on the command line, contributes. */
export interface Contribution extends Partial<Omit<Request, 'roots' | 'defaults'>> {
  /** `metadata.name` of a package set. */
  readonly name?: string | undefined;
  /** PackageSets that this PackageSet includes and overrides. */
  readonly include?: readonly { readonly path: string; readonly origin: Origin }[] | undefined;
  readonly roots?: readonly (PackageRootDraft | LocalRoot | CrdRoot)[];
  readonly defaults?: { readonly spec: JsonObject; readonly origin: Origin } | undefined;
  /** An object that belongs to a local package, if there is one next to it. */
  readonly owned?: { readonly object: PackageObject; readonly origin: Origin } | undefined;
  /** A document that requests nothing. It causes a note or, with `--strict`, an error. */
  readonly ignored?: { readonly what: string; readonly origin: Origin } | undefined;
  readonly notes?: readonly string[];
}

export interface CombineOptions {
  /** Whether roots with `skipDependencyResolution` may be combined with other roots. */
  readonly mixedSkips?: boolean | undefined;
}

/** Combines contributions into one request. Throws an `InputError` if they conflict. */
export function combine(
  contributions: readonly Contribution[],
  { mixedSkips = false }: CombineOptions = {},
): Request {
  type Lists = 'overrides' | 'replace' | 'exclude' | 'kept' | 'prereleases' | 'policies';
  const all = <K extends Lists>(key: K) =>
    contributions.flatMap(
      (contribution): readonly NonNullable<Contribution[K]>[number][] => contribution[key] ?? [],
    );
  const singleValue = <K extends 'defaults' | 'crossplane' | 'crossplanes'>(key: K) =>
    onlyValue(
      contributions.flatMap((each): readonly NonNullable<Contribution[K]>[] =>
        each[key] === undefined ? [] : [each[key]],
      ),
      `spec.${key}`,
    );
  const defaults = singleValue('defaults');
  const crossplane = singleValue('crossplane');
  const crossplanes = singleValue('crossplanes');
  const policies = all('policies');
  const request: Request = {
    crossplane,
    ...(crossplanes !== undefined && { crossplanes }),
    ...(contributions.some(({ allowUndigested }) => allowUndigested) && { allowUndigested: true }),
    roots: contributions
      .flatMap(({ roots }) => roots ?? [])
      .map((root): Root =>
        root.root === 'package' ? withFlags(root, defaults?.spec ?? {}) : root,
      ),
    overrides: all('overrides'),
    replace: all('replace'),
    exclude: all('exclude'),
    defaults: defaults?.spec ?? {},
    kept: all('kept'),
    prereleases: all('prereleases'),
    ...(policies.length > 0 && { policies }),
  };
  checkDuplicates(request);
  checkReplacements(request);
  if (!mixedSkips) checkSkipping(request);
  return request;
}

/** The request without roots and rules. */
export const EMPTY_REQUEST = combine([]);

/** Throws an `InputError` if values differ in more than their origins. */
function onlyValue<T extends { readonly origin: Origin }>(
  values: readonly T[],
  field: string,
): T | undefined {
  const [first] = values;
  const textOf = (value: T) => JSON.stringify({ ...value, origin: undefined });
  const other = values.find((value) => textOf(value) !== textOf(first!));
  if (other !== undefined) {
    throw duplicateError(`\`${field}\` is given twice, and differs`, first!.origin, other.origin);
  }
  return first;
}

function withFlags(root: PackageRootDraft, defaults: JsonObject): PackageRoot {
  const own = root.object?.['spec'];
  const flag = (name: string): boolean => {
    const values = [root.spec[name], mappingOf(own)?.[name], defaults[name]];
    // An explicit null overrides the more general values.
    return values.find((value) => value !== undefined) === true;
  };
  return {
    ...root,
    ignoreCrossplaneConstraints: flag('ignoreCrossplaneConstraints'),
    skipDependencyResolution: flag('skipDependencyResolution'),
  };
}

function checkDuplicates({ roots, kept, overrides, replace }: Request): void {
  const packages = roots.filter((root) => root.root === 'package');
  // Two objects for one source block the package manager of the whole cluster.
  refuseDuplicates(
    packages,
    repositoryOf,
    ({ repository }) => `\`${repository}\` is asked for twice`,
    'keep one of them; a constraint can hold both ranges: `>=v1.0.0, <v2.0.0`',
  );
  refuseDuplicates(
    packages,
    ({ name }) => name,
    (first, second) =>
      `two packages, \`${first.repository}\` and \`${second.repository}\`, are named \`${first.name}\``,
    'names must differ, whatever the kind: names of revisions and deployments derive from them',
  );
  refuseDuplicates(
    kept,
    ({ object: { kind, metadata } }) => JSON.stringify([kind, mappingOf(metadata)?.['name']]),
    () => 'one object is given twice',
  );
  refuseDuplicates(overrides, repositoryOf, (rule) => `\`${rule.repository}\` is overridden twice`);
  refuseDuplicates(replace, repositoryOf, (rule) => `\`${rule.repository}\` is replaced twice`);
}

function checkSkipping({ roots }: Request): void {
  const packages = roots.filter((root) => root.root === 'package');
  const skips = packages.find((root) => root.skipDependencyResolution);
  const resolvingRoot = packages.find((root) => !root.skipDependencyResolution);
  if (skips === undefined || resolvingRoot === undefined) return;
  throw new InputError(
    `\`${skips.repository}\` has \`skipDependencyResolution: true\` and \`${resolvingRoot.repository}\` (${formatOrigin(resolvingRoot.origin)}) has not: a package that skips is not in the Lock, so whatever depends on it reports it missing`,
    { origin: skips.origin, hint: 'set it on every package or on none' },
  );
}

function checkReplacements({ replace }: Request): void {
  const next = new Map<string, string>(replace.map((rule) => [rule.repository, rule.with]));
  for (const { repository, origin } of replace) {
    let at = next.get(repository);
    for (let steps = 0; at !== undefined && at !== repository && steps < replace.length; steps++) {
      at = next.get(at);
    }
    if (at !== repository) continue;
    throw new InputError(`\`${repository}\` is, in the end, replaced by itself`, { origin });
  }
}

function repositoryOf({ repository }: { readonly repository: Repository }): Repository {
  return repository;
}

/** Throws an `InputError` if two values have the same key. Values without a key are unique. */
function refuseDuplicates<T extends { readonly origin: Origin }>(
  values: readonly T[],
  keyOf: (value: T) => string | undefined,
  what: (first: T, second: T) => string,
  hint?: string,
): void {
  const seen = new Map<string, T>();
  for (const value of values) {
    const key = keyOf(value);
    if (key === undefined) continue;
    const first = seen.get(key);
    if (first !== undefined)
      throw duplicateError(what(first, value), first.origin, value.origin, hint);
    seen.set(key, value);
  }
}

function duplicateError(what: string, first: Origin, second: Origin, hint?: string): InputError {
  return new InputError(`${what}: here and at ${formatOrigin(first)}`, { origin: second, hint });
}
