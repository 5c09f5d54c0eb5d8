import pLimit from 'p-limit';
import type { IndexFile, IndexPackage, IndexVersion } from './index-file.js';
import { toIndexEntry, singleMeta } from './index-entry.js';
import { byCodePoint } from '../../base/collections.js';
import { isDigest } from '../../base/digest.js';
import { undefinedIfFailed } from '../../base/errors.js';
import { parseVersion } from '../../crossplane/constraints/version.js';
import { DOT_REGISTRY, DOT_REGISTRY_API } from '../../crossplane/legacy/dot-registry.js';
import type { Candidate, Released, Repository } from '../../crossplane/packages/package.js';
import { isAttachmentTag, joinReference } from '../../crossplane/packages/reference.js';
import type { ReleaseRules } from '../../crossplane/releases/release-facts.js';
import type { ImageRepository } from '../../oci/image/image-repository.js';
import { locatePackage } from '../../oci/image/locate-package.js';
import { hasImages, type ImageSource } from '../images/fetch-image.js';
import { memorySource } from '../memory-source.js';
import { type FetchedPackage, type PackageSource, readReleaseDates } from '../package-source.js';

export interface IndexOptions {
  readonly note?: ((line: string) => void) | undefined;
  /** Whether to list packages in formats that current Crossplane releases do not support. */
  readonly compat?: boolean | undefined;
}

/** Builds an index without unknown repositories and untagged images. */
export async function buildIndex(
  source: PackageSource,
  repositories: readonly Repository[],
  target: ReleaseRules,
  { note = () => {}, compat = false }: IndexOptions = {},
): Promise<IndexFile> {
  const packages: [string, IndexPackage][] = [];
  for (const repository of [...new Set(repositories)].sort(byCodePoint)) {
    const tags = await source.tags(repository, target);
    if (tags === undefined) continue;
    const fetched = await Promise.all(
      tags
        .filter((tag) => !isAttachmentTag(tag))
        .sort(byCodePoint)
        .map(async (version) => {
          const candidate = { repository, version };
          const found = await source.fetch(candidate, target);
          const dates = found && source.released?.(candidate, target);
          const released = dates && (await undefinedIfFailed(dates, DATE_ERRORS));
          return { version, found, released };
        }),
    );
    const included = fetched.filter(({ version, found }) => {
      const why = found && reasonToOmit(version, found, { target, compat });
      if (why !== undefined)
        note(`note: ${joinReference(repository, version)} is left out: ${why}`);
      return why === undefined;
    });
    packages.push([repository, packageEntry(repository, included)]);
  }
  return { packages: Object.fromEntries(packages) };
}

/** Errors that make only the date unavailable. */
const DATE_ERRORS = ['BAD_IMAGE', 'OFFLINE', 'TOO_LARGE'] as const;

/** Returns why a tag is omitted from the index, or undefined if it is not. */
function reasonToOmit(
  version: string,
  found: FetchedPackage,
  { target, compat }: { readonly target: ReleaseRules; readonly compat: boolean },
): string | undefined {
  if (!compat && found.contents.metas[0]?.apiVersion === DOT_REGISTRY_API) {
    return `it is a package of the first format (\`${DOT_REGISTRY}/\`), which only \`--compat\` reads`;
  }
  const [problem] = found.contents.problems;
  if (found.artifact !== undefined) return problem?.message ?? found.artifact;
  // Versions that are not packages are kept with their problems, because a resolution must explain
  // why they are refused. Other tags satisfy no constraint.
  const isVersion = parseVersion(version, target.rules.dialect) !== undefined;
  const empty = found.contents.metas.length + found.contents.objects.length === 0;
  return empty && !isVersion
    ? (problem?.message ?? 'it holds no package meta document')
    : undefined;
}

interface IndexedVersion {
  readonly version: string;
  readonly found: FetchedPackage | undefined;
  /** When the image claims to be created, and when an index first contained it. */
  readonly released: Released | undefined;
}

function packageEntry(repository: string, fetched: readonly IndexedVersion[]): IndexPackage {
  // Versions of another kind than the first one have their own in the entry.
  const metas = fetched.flatMap(({ found }) => (found && singleMeta(found.contents)) ?? []);
  const kind = metas[0]?.kind ?? 'Unknown';
  const versions = fetched.flatMap(({ version, found, released }) => {
    const { created, firstSeen } = released ?? {};
    const entry = found && { ...toIndexEntry(found, repository, kind), created, firstSeen };
    return entry ? [[version, entry] as const] : [];
  });
  return { kind, versions: Object.fromEntries(versions) };
}

/** Formats an index: sorted, one version per line, deterministic. */
export function formatIndex({ packages }: IndexFile): string {
  const blocks = Object.keys(packages)
    .sort(byCodePoint)
    .map((repository) => formatPackage(repository, packages[repository]!));
  return `{"packages":{${blocks.join(',')}\n}}\n`;
}

function formatPackage(repository: string, { kind, versions }: IndexPackage): string {
  const lines = Object.keys(versions)
    .sort(byCodePoint)
    .map((version) => `\n${JSON.stringify(version)}:${JSON.stringify(versions[version])}`);
  const key = JSON.stringify(repository);
  return `\n${key}:{"kind":${JSON.stringify(kind)},"versions":{${lines.join(',')}\n}}`;
}

/** An index in one file or a sparse index. */
export interface ReadableIndex {
  repositories(): readonly Repository[] | Promise<readonly Repository[]>;
  /** Returns undefined if the index does not list the package. */
  package(repository: Repository): IndexPackage | undefined | Promise<IndexPackage | undefined>;
}

export interface RefreshOptions extends IndexOptions {
  readonly target: ReleaseRules;
  /** Sources in order; the first one that knows a repository is used for it. */
  readonly sources: readonly PackageSource[];
  /** Current time (RFC 3339) for new versions; if undefined, no time is recorded. */
  readonly now?: string | undefined;
  /** Whether to read every version instead of only new and moved ones. */
  readonly all?: boolean | undefined;
  /** Whether to compare only tags and digests if a source has images. */
  readonly quick?: boolean | undefined;
}

export interface RefreshedPackage {
  readonly repository: Repository;
  readonly before: IndexPackage | undefined;
  /** undefined if no source knows the package. */
  readonly after: IndexPackage | undefined;
}

/** Reads packages again, several at a time. The results are in the given order. */
export async function refreshPackages(
  index: ReadableIndex,
  repositories: readonly Repository[],
  options: RefreshOptions & { readonly concurrency: number },
): Promise<readonly RefreshedPackage[]> {
  const limit = pLimit(options.concurrency);
  return Promise.all(
    repositories.map((repository) =>
      limit(async () => {
        const before = await index.package(repository);
        return { repository, before, after: await refreshPackage(repository, before, options) };
      }),
    ),
  );
}

async function refreshPackage(
  repository: Repository,
  before: IndexPackage | undefined,
  { sources, target, now, all = false, quick = false, ...options }: RefreshOptions,
): Promise<IndexPackage | undefined> {
  for (const source of sources) {
    const tags = await source.tags(repository, target);
    if (tags === undefined) continue;
    if (quick && hasImages(source)) {
      const compared = await compareTags(source, repository, tags, { before, target });
      if (compared !== undefined) return compared;
    }
    const reader =
      all || before === undefined ? source : readingMovedOnly(source, repository, before);
    const index = await buildIndex(reader, [repository], target, options);
    const after = index.packages[repository];
    return after && setFirstSeen(after, before, now);
  }
  return undefined;
}

/** Wraps a source so that it reads a version only if its tag has moved since the index. */
function readingMovedOnly(
  source: PackageSource,
  repository: Repository,
  before: IndexPackage,
): PackageSource {
  if (!hasImages(source)) return source;
  const known = memorySource({ packages: { [repository]: before } });
  const readerFor = async (candidate: Candidate, target: ReleaseRules) => {
    const digest = entryOf(before, candidate.version)?.digest;
    const images = digest === undefined ? undefined : await source.images(candidate, target);
    const { version } = candidate;
    const isUnmoved = images && digest && (await stillPointsAt(images, version, digest));
    return isUnmoved ? known : source;
  };
  return {
    tags: (name, target) => source.tags(name, target),
    fetch: async (candidate, target) =>
      (await readerFor(candidate, target)).fetch(candidate, target),
    released: async (candidate, target) =>
      readReleaseDates(await readerFor(candidate, target), candidate, target),
  };
}

function entryOf({ versions }: IndexPackage, version: string): IndexVersion | undefined {
  return Object.hasOwn(versions, version) ? versions[version] : undefined;
}

/** Returns the differences between two states of a package, as lists of versions. */
export function versionChanges(before: IndexPackage | undefined, after: IndexPackage | undefined) {
  const [was, is] = [versionsOf(before), versionsOf(after)];
  const commonVersions = [...is.keys()].filter((version) => was.has(version));
  const isMoved = (version: string) => was.get(version)!.digest !== is.get(version)!.digest;
  const hasOtherFields = (version: string) =>
    formatFields(was.get(version)!) !==
    formatFields(withoutNewDate(was.get(version)!, is.get(version)!));
  return {
    added: [...is.keys()].filter((version) => !was.has(version)),
    removed: [...was.keys()].filter((version) => !is.has(version)),
    /** Versions whose tag points at another digest. */
    moved: commonVersions.filter(isMoved),
    /** Versions whose index entry is wrong for the same image. */
    incorrect: commonVersions.filter((version) => !isMoved(version) && hasOtherFields(version)),
  };
}

/** Returns the versions of a package, sorted, each with its kind. */
function versionsOf(indexed: IndexPackage | undefined): ReadonlyMap<string, IndexVersion> {
  const entries = Object.entries(indexed?.versions ?? {}).sort(([a], [b]) => byCodePoint(a, b));
  return new Map(
    entries.map(([version, entry]) => [version, { ...entry, kind: entry.kind ?? indexed!.kind }]),
  );
}

/** Formats the fields of a version, independent of their order. */
function formatFields(entry: IndexVersion): string {
  const fields = Object.entries(entry)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => byCodePoint(a, b));
  return JSON.stringify(fields);
}

/** Drops the date of a version if `before` has none: older indexes have no dates. */
function withoutNewDate(before: IndexVersion, after: IndexVersion): IndexVersion {
  return before.created === undefined ? { ...after, created: undefined } : after;
}

export function isChanged({ repository, before, after }: RefreshedPackage): boolean {
  const text = (indexed: IndexPackage | undefined) =>
    indexed === undefined ? '' : formatIndex({ packages: { [repository]: indexed } });
  return text(before) !== text(after);
}

/**
 * Updates a package by its tags and digests, without reading layers. New tags that are not versions
 * are omitted. Returns undefined if the source has some versions only as files.
 */
async function compareTags(
  source: ImageSource,
  repository: Repository,
  tags: readonly string[],
  { before, target }: { readonly before: IndexPackage | undefined; readonly target: ReleaseRules },
): Promise<IndexPackage | undefined> {
  const kind = before?.kind ?? 'Unknown';
  const tagged = tags.filter((tag) => !isAttachmentTag(tag));
  const found = await Promise.all(
    tagged.map(async (version) => {
      const images = await source.images({ repository, version }, target);
      const known = before && entryOf(before, version);
      return images && (await currentEntry(images, version, target, known));
    }),
  );
  if (found.includes(undefined)) return undefined;
  const entries = found.flatMap((entry, at) =>
    entry === undefined || entry === 'other' ? [] : [[tagged[at]!, entry] as const],
  );
  return { kind, versions: Object.fromEntries(entries) };
}

/** Returns `other` if the tag is not a package, or undefined if there is no image. */
async function currentEntry(
  images: ImageRepository,
  version: string,
  target: ReleaseRules,
  previous: IndexVersion | undefined,
): Promise<IndexVersion | 'other' | undefined> {
  if (previous === undefined) {
    if (parseVersion(version, target.rules.dialect) === undefined) return 'other';
    const located = await locatePackage(images, version, target.rules);
    if (located === undefined) return undefined;
    const { location: at, digest } = located;
    return at.place !== 'layer' && at.artifact !== undefined ? 'other' : { digest };
  }
  if (previous.digest === undefined || (await stillPointsAt(images, version, previous.digest)))
    return previous;
  const digest = (await images.manifest(version))?.digest;
  return digest && { ...previous, digest };
}

/** Whether a reference still points at a digest. Its manifest is read only if necessary. */
async function stillPointsAt(
  images: ImageRepository,
  reference: string,
  digest: string,
): Promise<boolean> {
  if (isDigest(digest) && (await images.pointsAt?.(reference, digest)) === true) return true;
  return (await images.manifest(reference))?.digest === digest;
}

const MAX_PARALLEL_READS = 8;

/** Copies `firstSeen` from the previous index for versions with the same digest. */
function copyFirstSeen(after: IndexPackage, before: IndexPackage | undefined): IndexPackage {
  if (before === undefined) return after;
  return mapVersions(after, (version, entry) => {
    const known = entryOf(before, version);
    const isSame = known?.firstSeen !== undefined && known.digest === entry.digest;
    return isSame ? { ...entry, firstSeen: known.firstSeen } : entry;
  });
}

function mapVersions(
  indexed: IndexPackage,
  map: (version: string, entry: IndexVersion) => IndexVersion,
): IndexPackage {
  const versions = Object.entries(indexed.versions);
  const mapped = versions.map(([version, entry]) => [version, map(version, entry)] as const);
  return { ...indexed, versions: Object.fromEntries(mapped) };
}

/** Copies `firstSeen` from the index that is replaced. `before` returns its packages. */
export async function withFirstSeenOf(
  { packages }: IndexFile,
  before: (repository: Repository, after: IndexPackage) => Promise<IndexPackage | undefined>,
): Promise<IndexFile> {
  const limit = pLimit(MAX_PARALLEL_READS);
  const entries = await Promise.all(
    Object.entries(packages).map(([repository, after]) =>
      limit(async (): Promise<[string, IndexPackage]> => [
        repository,
        copyFirstSeen(after, await before(repository, after)),
      ]),
    ),
  );
  return { packages: Object.fromEntries(entries) };
}

/** Sets `firstSeen` to the previous value or `now`, unless the package is new to the index. */
function setFirstSeen(
  after: IndexPackage,
  before: IndexPackage | undefined,
  now: string | undefined,
): IndexPackage {
  if (before === undefined) return after;
  return mapVersions(after, (version, entry) => {
    const known = entryOf(before, version);
    const { firstSeen: _, ...rest } = entry;
    const firstSeen = known !== undefined && known.digest === entry.digest ? known.firstSeen : now;
    return firstSeen === undefined ? rest : { ...rest, firstSeen };
  });
}
