import pLimit from 'p-limit';
import type { ReadStats } from '../../resolver/driver/read-stats.js';
import { SourceReader } from '../../resolver/driver/source-reader.js';
import { byRepository, type Lockfile } from '../../project/lockfile/lockfile.js';
import type { PackageSource } from '../../sources/package-source.js';
import type { KeptObject } from '../../crossplane/package-manager/image-config.js';
import { auditedSource, type IsLocked } from '../../sources/audited-source.js';
import {
  firstKnowing,
  lockedFirst,
  withConcurrencyLimit,
  forwardingSource,
  noteUnsearchableSources,
} from '../../sources/decorators.js';
import type { SharedSources, RunIo } from '../terminal/io.js';
import {
  withRemainingTime,
  openEach,
  openSources,
  sourcesKey,
  type SourceArgs,
} from './source-flags.js';

interface LockedSources {
  /** Audits locked images. */
  readonly audited: SourceReader;
  /** All versions. Locked ones come from the audited source, so each is read once. */
  readonly whole: SourceReader;
  /** The sources in the order of the flags. */
  readonly each: readonly PackageSource[];
}

interface ReopenOptions {
  readonly lockfile: Lockfile;
  readonly kept: readonly KeptObject[];
  /** `whole` reads the index states that the lockfile records, as `resolve --locked` does. */
  readonly asRecorded?: boolean | undefined;
}

/** Opens the sources that the flags name, without the cache. */
export async function reopenSources(
  args: SourceArgs,
  io: RunIo,
  stats: ReadStats,
  { lockfile, kept, asRecorded = false }: ReopenOptions,
): Promise<LockedSources> {
  const sources = await openEach({ ...args, ignoreCache: true }, io, stats, kept);
  const digests = new Map(lockfile.packages.map(({ repository, digest }) => [repository, digest]));
  const auditing = (isLocked: IsLocked) =>
    firstKnowing(sources.map((source) => auditedSource(source, isLocked)));
  const isLocked: IsLocked = ({ repository }, digest) =>
    (digests.get(repository) ?? digest) === digest;
  const { shared } = io;
  const own = shared
    ? withRemainingTime(await sharedAudit(shared, { args, kept, digests, auditing }), args)
    : withConcurrencyLimit(auditing(isLocked), args.concurrency);
  const audited = new SourceReader(own, stats);
  const { indexes = [] } = lockfile;
  if (asRecorded && indexes.length > 0) {
    const whole = await openSources(args, io, kept, { stats, locked: indexes });
    return { audited, whole, each: sources };
  }
  const all = noteUnsearchableSources(firstKnowing(sources), sources, (line) => io.note(line));
  const rest = withConcurrencyLimit(all, args.concurrency);
  const locked = byRepository(lockfile.packages);
  const whole = new SourceReader(lockedFirst(audited, rest, locked), stats);
  return { audited, whole, each: sources };
}

interface Audit {
  readonly args: SourceArgs;
  readonly kept: readonly KeptObject[];
  /** Locked digests by repository. */
  readonly digests: ReadonlyMap<string, string | undefined>;
  readonly auditing: (isLocked: IsLocked) => PackageSource;
}

/** Returns the audited source of one of many projects. Projects with the same locked digest share results. */
async function sharedAudit(
  shared: SharedSources,
  { args, kept, digests, auditing }: Audit,
): Promise<PackageSource> {
  const key = await sourcesKey({ ...args, ignoreCache: true }, kept);
  const limit = await shared.once(`limit of ${key}`, async () => pLimit(args.concurrency));
  const readerFor = (locked: string | undefined) =>
    shared.once(`${locked} in ${key}`, async () => {
      const source = auditing((_, digest) => (locked ?? digest) === digest);
      return new SourceReader(withConcurrencyLimit(source, args.concurrency, limit), shared.stats);
    });
  const reader = await readerFor(undefined);
  return {
    ...forwardingSource(reader),
    fetch: async (candidate, target) => {
      const lockedReader = await readerFor(digests.get(candidate.repository));
      return lockedReader.fetch(candidate, target);
    },
  };
}
