import { byCodePoint } from '../../base/collections.js';
import { parseConstraint } from '../../crossplane/constraints/constraint.js';
import { installableVersions } from '../../crossplane/constraints/installable-versions.js';
import type { CrdOwner } from '../../crossplane/legacy/convert-package.js';
import { isRejection, judge } from '../../crossplane/packages/admission.js';
import type { CrdRef } from '../../crossplane/packages/crd-ref.js';
import type { OwnedObject } from '../../crossplane/packages/owned-objects.js';
import { type PackageContents, pluralsOf } from '../../crossplane/packages/package-contents.js';
import type { PackageMeta } from '../../crossplane/packages/package-meta.js';
import type { PackageKind, Repository } from '../../crossplane/packages/package.js';
import { versionOf } from '../../crossplane/releases/target-choice.js';
import type { Target } from '../../crossplane/releases/target.js';
import type { Lockfile } from '../../project/lockfile/lockfile.js';
import { SourceReader } from '../../resolver/driver/source-reader.js';
import type { PackageSource } from '../../sources/package-source.js';

interface SearchOptions {
  readonly source: PackageSource;
  readonly target: Target;
  /** Its packages are searched, too. */
  readonly lockfile?: Lockfile | undefined;
}

/**
 * Returns the packages that have a word in their name, or own an object of that name or kind, sorted
 * by repository. `named`: the word is in the name; `owns`: the objects that match the word.
 *
 * Searches the newest version of each package that the source lists. A source may leave out
 * packages that it knows not to match.
 */
export async function search(word: string, { source, target, lockfile }: SearchOptions) {
  const query = word.toLowerCase();
  const listed = [...new Set(await source.repositories?.(query))];
  const known = new Set<Repository>();
  const found: FoundMatch[] = [];
  const add = (searched: SearchedPackage | undefined) => {
    if (searched === undefined || known.has(searched.repository)) return;
    known.add(searched.repository);
    const match = matchOf(searched, query);
    if (match !== undefined) found.push(match);
  };
  while (listed.length > 0) {
    const batch = listed.splice(-PACKAGES_AT_ONCE);
    const reader = SourceReader.of(source).withOwnCache();
    const read = await Promise.all(batch.map((repository) => newestOf(repository, reader, target)));
    read.forEach(add);
  }
  lockfile?.packages.forEach(add);
  return found.sort((a, b) => byCodePoint(a.repository, b.repository));
}

/** An index may list 100,000 packages, which do not fit into memory together. */
const PACKAGES_AT_ONCE = 64;

function matchOf({ repository, version, kind, owns, kinds }: SearchedPackage, query: string) {
  const named = repository.toLowerCase().includes(query);
  const matching = owns.filter(
    (owned) => kinds?.get(owned.name) === query || matchesName(owned, query),
  );
  if (!named && matching.length === 0) return undefined;
  return { repository, version, kind, named, owns: matching };
}

type FoundMatch = NonNullable<ReturnType<typeof matchOf>>;

interface SearchedPackage {
  readonly repository: Repository;
  /** The newest version; the locked one if no searchable source has the package. */
  readonly version: string;
  readonly kind: PackageKind;
  readonly owns: readonly OwnedObject[];
  /** The kinds that CRDs define, in lower case, by name of the CRD; undefined: not known. */
  readonly kinds?: ReadonlyMap<string, string> | undefined;
}

/** Returns the newest version, or undefined if the target rejects it or there is none. */
async function newestOf(
  repository: Repository,
  reader: SourceReader,
  target: Target,
): Promise<SearchedPackage | undefined> {
  const tags = (await reader.tags(repository, target)) ?? [];
  const published = installableVersions(tags, target);
  const stable = published.find(({ prerelease }) => prerelease === '') ?? published[0];
  if (stable === undefined) return undefined;
  const found = await reader.fetch({ repository, version: stable.raw }, target);
  const judged = found && judge(found.contents, target);
  if (judged === undefined || isRejection(judged)) return undefined;
  const kinds = new Map(
    found!.contents.objects.flatMap(({ name, defines }) =>
      defines === undefined ? [] : [[name, defines.kind.toLowerCase()]],
    ),
  );
  return { repository, version: stable.raw, kind: judged.kind, owns: judged.owns, kinds };
}

/** Whether a query is the name of a CRD, its plural, its group, or its kind, such as `bucket`. */
function matchesName({ name }: OwnedObject, query: string): boolean {
  const [plural, ...group] = name.toLowerCase().split('.');
  if (name.toLowerCase() === query || group.join('.') === query) return true;
  return plural === query || pluralsOf(query).includes(plural!);
}

/** Returns the packages that own a CRD; none if the source cannot list its packages. */
export async function knownOwners(
  source: PackageSource,
  crdRef: CrdRef,
  target: Target,
): Promise<CrdOwner[]> {
  const reader = SourceReader.of(source);
  const owners: CrdOwner[] = [];
  for (const { repository, versions } of (await reader.owners?.(crdRef, target)) ?? []) {
    const published = (await reader.tags(repository, target)) ?? [];
    const found = await reader.fetch({ repository, version: versions.at(-1)! }, target);
    const kind = found?.contents.metas[0]?.kind ?? 'Provider';
    owners.push({ repository, kind, published, owning: versions });
  }
  return owners;
}

interface VersionsOptions {
  readonly source: PackageSource;
  readonly target: Target;
  /** How many of the newest versions to read; each one may need a download. */
  readonly newest: number;
}

/**
 * Returns the newest versions of a package, newest first, and the number of all published versions.
 * Returns undefined if no source knows the package.
 */
export async function versions(
  repository: Repository,
  { source, target, newest }: VersionsOptions,
) {
  const reader = SourceReader.of(source);
  const tags = await reader.tags(repository, target);
  if (tags === undefined) return undefined;
  const published = installableVersions(tags, target);
  const read = published.slice(0, newest).map(async ({ raw, prerelease }) => {
    const found = await reader.fetch({ repository, version: raw }, target);
    return {
      version: raw,
      prerelease: prerelease !== '',
      ...supportOf(found?.contents, target),
    };
  });
  return { versions: await Promise.all(read), total: published.length };
}

/** Returns the constraint on Crossplane, if it is known, and why the target rejects a version, if it does. */
function supportOf(contents: PackageContents | undefined, target: Target) {
  if (contents === undefined) return { refused: 'it is listed, and not there' };
  const meta = judge(contents, target);
  if (isRejection(meta)) {
    const error = meta.findings.find(({ severity }) => severity === 'error');
    return { refused: error?.message };
  }
  return { crossplane: meta.crossplane, refused: crossplaneProblem(meta, target) };
}

function crossplaneProblem({ crossplane }: PackageMeta, target: Target): string | undefined {
  if (crossplane === undefined) return undefined;
  const constraint = parseConstraint(crossplane, target.rules.dialect);
  if (constraint.invalid || constraint.admits(versionOf(target))) return undefined;
  return `needs Crossplane ${crossplane}`;
}
