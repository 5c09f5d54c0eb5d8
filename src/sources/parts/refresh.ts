import pLimit from 'p-limit';
import type { IndexPackage, IndexVersion } from '../../model/index-file.js';
import type { Candidate, Repository } from '../../model/package.js';
import type { PackageSource } from '../../model/package-source.js';
import type { Target } from '../../model/target/target.js';
import { byCodePoint } from '../../text/code-point-order.js';
import { stillPointsAt } from '../image/still-points-at.js';
import { holdsImages, type ImageHolder } from '../image/image-holder.js';
import { comparedTags } from './compared-tags.js';
import { withFirstSeen } from './first-seen.js';
import { formatIndex, makeIndex, type IndexOptions } from '../index/make-index.js';
import { releasedBy } from '../../model/policy/released-by.js';
import { memorySource } from '../memory-source.js';

/** An index that can be read package by package. */
export interface HeldIndex {
  repositories(): Promise<readonly Repository[]>;
  /** undefined: it does not list that package. */
  package(repository: Repository): Promise<IndexPackage | undefined>;
}

/** How a package is looked at again. */
export interface RefreshOptions extends IndexOptions {
  readonly target: Target;
  /** Asked in order; the first that knows a repository answers for it. */
  readonly sources: readonly PackageSource[];
  /** What time it is, for versions that are new, as in RFC 3339; undefined: nothing is noted. */
  readonly now?: string | undefined;
  /** Reads every version, and not only those that are new or whose tag has moved. */
  readonly all?: boolean | undefined;
  /** Compares tags and digests alone, where a source has images: what is new is not read. */
  readonly quick?: boolean | undefined;
}

/** A package as an index has it, and as the sources have it now. */
export interface Refreshed {
  readonly repository: Repository;
  readonly before: IndexPackage | undefined;
  /** undefined: no source knows it. */
  readonly after: IndexPackage | undefined;
}

/** Looks at packages again, several at a time; in the order given. */
export async function refresh(
  held: HeldIndex,
  repositories: readonly Repository[],
  options: RefreshOptions & { readonly concurrency: number },
): Promise<readonly Refreshed[]> {
  const limit = pLimit(options.concurrency);
  return Promise.all(
    repositories.map((repository) =>
      limit(async () => {
        const before = await held.package(repository);
        return { repository, before, after: await refreshed(repository, before, options) };
      }),
    ),
  );
}

async function refreshed(
  repository: Repository,
  before: IndexPackage | undefined,
  { sources, target, now, all = false, quick = false, ...options }: RefreshOptions,
): Promise<IndexPackage | undefined> {
  for (const source of sources) {
    const tags = await source.tags(repository, target);
    if (tags === undefined) continue;
    if (quick && holdsImages(source)) {
      const compared = await comparedTags(source, repository, tags, { before, target });
      if (compared !== undefined) return compared;
    }
    const asked = all || before === undefined ? source : sparing(source, repository, before);
    const index = await makeIndex(asked, [repository], target, options);
    const after = index.packages[repository];
    return after && withFirstSeen(after, before, now);
  }
  return undefined;
}

/** A source that reads a version only where an index does not say what its tag points at now. */
function sparing(
  source: PackageSource,
  repository: Repository,
  before: IndexPackage,
): PackageSource {
  if (!holdsImages(source)) return source;
  const known = memorySource({ packages: { [repository]: before } });
  return {
    tags: (name, target) => source.tags(name, target),
    fetch: async (candidate, target) => {
      const entry = entryOf(before, candidate.version);
      if (entry?.digest === undefined) return source.fetch(candidate, target);
      const isKnown = await isStill(source, candidate, target, entry.digest);
      return (isKnown ? known : source).fetch(candidate, target);
    },
    released: async (candidate, target) => {
      const digest = entryOf(before, candidate.version)?.digest;
      const isKnown = digest !== undefined && (await isStill(source, candidate, target, digest));
      return releasedBy(isKnown ? known : source, candidate, target);
    },
  };
}

/** Whether the tag of a version points at the image that an index names. */
async function isStill(
  source: ImageHolder,
  candidate: Candidate,
  target: Target,
  digest: string,
): Promise<boolean> {
  const images = await source.images(candidate, target);
  return images !== undefined && stillPointsAt(images, candidate.version, digest);
}

function entryOf({ versions }: IndexPackage, version: string): IndexVersion | undefined {
  return Object.hasOwn(versions, version) ? versions[version] : undefined;
}

/** How two states of a package differ, by version. */
export interface VersionChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Those whose tag points at something else. */
  readonly moved: readonly string[];
  /** Those of which an index says something else than their image does. */
  readonly told: readonly string[];
}

export function versionChanges(
  before: IndexPackage | undefined,
  after: IndexPackage | undefined,
): VersionChanges {
  const [was, is] = [versionsOf(before), versionsOf(after)];
  const both = is.filter((version) => was.includes(version));
  const moved = both.filter(
    (version) => before!.versions[version]!.digest !== after!.versions[version]!.digest,
  );
  return {
    added: is.filter((version) => !was.includes(version)),
    removed: was.filter((version) => !is.includes(version)),
    moved,
    told: both.filter(
      (version) =>
        !moved.includes(version) &&
        saidOf(before!, version) !== saidOf(undatedAs(before!, after!, version), version),
    ),
  };
}

function versionsOf(held: IndexPackage | undefined): readonly string[] {
  return Object.keys(held?.versions ?? {}).sort(byCodePoint);
}

/** A version with the kind that holds for it: which one a package is said to be decides nothing. */
function saidOf({ kind, versions }: IndexPackage, version: string): string {
  const entry = versions[version]!;
  const said = { ...entry, kind: entry.kind ?? kind };
  const fields = Object.entries(said)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => byCodePoint(a, b));
  return JSON.stringify(fields);
}

/** Without the date of a version, where an index made before there were any says none. */
function undatedAs(before: IndexPackage, after: IndexPackage, version: string): IndexPackage {
  if (before.versions[version]!.created !== undefined) return after;
  const undated = { ...after.versions[version]!, created: undefined };
  return { ...after, versions: { ...after.versions, [version]: undated } };
}

/** Whether an index would have other bytes for them. */
export function isChanged({ repository, before, after }: Refreshed): boolean {
  const text = (held: IndexPackage | undefined) =>
    held === undefined ? '' : formatIndex({ packages: { [repository]: held } });
  return text(before) !== text(after);
}
