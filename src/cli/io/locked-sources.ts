import pLimit from 'p-limit';
import type { ReadStats } from '../../driver/read-stats.js';
import { SourceMemory } from '../../driver/source-memory.js';
import type { Lockfile } from '../../lock/lockfile.js';
import type { PackageSource } from '../../model/package-source.js';
import type { KeptObject } from '../../model/request.js';
import { audited, type IsLocked } from '../../sources/decorators/audited.js';
import { firstKnowing } from '../../sources/decorators/first-knowing.js';
import { limited } from '../../sources/decorators/limited.js';
import { traitsOf } from '../../sources/decorators/traits.js';
import { tellUnsearched } from '../../sources/decorators/unsearched.js';
import type { SharedSources } from '../each/shared-sources.js';
import { inOwnTime, openEach, sourcesKey, type SourceArgs } from '../flags/source/source-flags.js';
import type { Io } from './io.js';

interface LockedSources {
  /** Audits every image that is locked, and reads no other. */
  readonly audited: SourceMemory;
  /** Has everything; what is locked is read as the audit reads it, and once for both. */
  readonly whole: SourceMemory;
  /** One by one, in the order given. */
  readonly each: readonly PackageSource[];
}

/** The sources that the flags name, opened once, with the cache ignored. */
export async function openAnew(
  args: SourceArgs,
  io: Io,
  stats: ReadStats,
  { lockfile, kept }: { readonly lockfile: Lockfile; readonly kept: readonly KeptObject[] },
): Promise<LockedSources> {
  const sources = await openEach({ ...args, anew: true }, io, stats, kept);
  const digests = new Map(lockfile.packages.map(({ repository, digest }) => [repository, digest]));
  const closely = (isLocked: IsLocked) =>
    firstKnowing(sources.map((source) => audited(source, isLocked)));
  const isLocked: IsLocked = ({ repository }, digest) =>
    (digests.get(repository) ?? digest) === digest;
  const { shared } = io;
  const own = shared
    ? inOwnTime(await sharedAudit(shared, { args, kept, digests, closely }), args)
    : limited(closely(isLocked), args.concurrency);
  const held = new SourceMemory(own, stats);
  const all = tellUnsearched(firstKnowing(sources), sources, (line) => io.note(line));
  const rest = limited(all, args.concurrency);
  const whole = new SourceMemory(lockedFirst(held, rest, lockfile), stats);
  return { audited: held, whole, each: sources };
}

interface Audit {
  readonly args: SourceArgs;
  readonly kept: readonly KeptObject[];
  /** What is locked, by repository. */
  readonly digests: ReadonlyMap<string, string | undefined>;
  readonly closely: (isLocked: IsLocked) => PackageSource;
}

/**
 * The audit of one of many sets. How closely a package is read depends on the digest that is locked:
 * sets that lock the same share what was read.
 */
async function sharedAudit(
  shared: SharedSources,
  { args, kept, digests, closely }: Audit,
): Promise<PackageSource> {
  const key = await sourcesKey({ ...args, anew: true }, kept);
  const limit = await shared.once(`limit of ${key}`, async () => pLimit(args.concurrency));
  const memoryFor = (locked: string | undefined) =>
    shared.once(`${locked} in ${key}`, async () => {
      const source = closely((_, digest) => (locked ?? digest) === digest);
      return new SourceMemory(limited(source, args.concurrency, limit), shared.stats);
    });
  const all = await memoryFor(undefined);
  return {
    ...traitsOf(all),
    tags: (repository, target) => all.tags(repository, target),
    fetch: async (candidate, target) =>
      (await memoryFor(digests.get(candidate.repository))).fetch(candidate, target),
  };
}

function lockedFirst(held: PackageSource, rest: PackageSource, lockfile: Lockfile): PackageSource {
  const locked = new Map(lockfile.packages.map((each) => [each.repository, each]));
  return {
    ...traitsOf(rest),
    tags: (repository, target) => held.tags(repository, target),
    fetch: async (candidate, target) => {
      const { version, digest } = locked.get(candidate.repository) ?? {};
      if (version === candidate.version && digest !== undefined) {
        const found = await held.fetch(candidate, target);
        if (found?.digest === digest) return found;
      }
      return rest.fetch(candidate, target);
    },
  };
}
