import { SourceMemory } from '../driver/source-memory.js';
import type { LockedPackage, Lockfile } from '../lock/lockfile.js';
import type { Repository } from '../model/package.js';
import type { Request } from '../model/request.js';
import { targetFor } from '../model/target/target.js';
import { compareVersions, parseVersion, type Version } from '../semver/version.js';
import type { Problem } from '../solver/problem.js';
import type { Answer, Solved } from './resolve/answer.js';
import { requirersIn } from './resolve/requirers.js';
import { ruledOut } from './resolve/ruled-out.js';
import { newestOf } from '../semver/newest.js';
import { resolve, type ResolveOptions } from './resolve/resolve.js';
import { toProblem } from './resolve/to-problem.js';
import { update } from './update.js';
import { heldBy } from './why-not/held-by.js';

/** A locked package of which there are newer versions. */
export interface Outdated {
  readonly repository: Repository;
  /** As locked. */
  readonly version: string;
  /** What `update` of this package locks; undefined: there is no answer to lock, or not in time. */
  readonly fits: string | undefined;
  readonly newest: string;
  /** What keeps it from the newest, in one line; undefined: nothing does, for that is what fits. */
  readonly heldBy: string | undefined;
  /** What moving to the newest would take; undefined: no way is known, or none is needed. */
  readonly takes: string | undefined;
}

export interface OutdatedReport {
  /** By repository. */
  readonly packages: readonly Outdated[];
  readonly notes: readonly string[];
}

export interface OutdatedOptions extends Omit<ResolveOptions, 'lockfile' | 'unlock' | 'pins'> {
  /** Packages to look at; undefined: all that are locked. */
  readonly only?: ReadonlySet<Repository> | undefined;
}

/**
 * Which locked packages are not the newest, and how far `update` would take each: it is asked, unless
 * the package is pinned. What is read for one is not read again for the next.
 */
export async function outdated(
  lockfile: Lockfile,
  request: Request,
  given: OutdatedOptions,
): Promise<OutdatedReport> {
  const source = SourceMemory.of(given.source);
  const options = { ...given, source, lockfile };
  const answer = await resolve(request, options);
  const target = answer.status === 'solved' ? answer.target : targetFor(lockfile.crossplane)!;
  const problem = toProblem(request, [target], options);
  const notes = answer.status === 'solved' ? [] : [`what is asked for has no answer: ${ASK}`];
  const packages: Outdated[] = [];
  for (const locked of lockfile.packages) {
    const { repository } = locked;
    if (given.only?.has(repository) === false) continue;
    const tags = await source.tags(repository, target);
    if (tags === undefined) notes.push(`no source given knows ${repository}`);
    const newest = newerThan(locked, tags ?? [], problem)?.raw;
    if (newest === undefined) continue;
    const about = { repository, version: locked.version, newest };
    if (answer.status === 'solved') {
      const stays = isPinned(locked, answer, { tags: tags!, problem });
      const moved = stays ? answer : await update(request, [{ repository }], options);
      packages.push({ ...about, ...(await prospects(about, moved, request, options)) });
    } else {
      packages.push({ ...about, ...UNANSWERED[answer.status] });
    }
  }
  return { packages, notes };
}

const ASK = '`xpkg-resolve resolve` says why';

/** undefined: none is newer, or it is locked by what has no order: a digest, an opaque tag. */
function newerThan(
  { repository, version }: LockedPackage,
  tags: readonly string[],
  problem: Problem,
): Version | undefined {
  const locked = parseVersion(version, problem.dialect);
  if (locked === undefined) return undefined;
  const anyPrerelease = locked.prerelease !== '' || problem.prereleases.has(repository);
  return newestOf(
    tags,
    problem,
    (other) => compareVersions(other, locked) > 0 && (anyPrerelease || other.prerelease === ''),
  );
}

type Prospects = Pick<Outdated, 'fits' | 'heldBy' | 'takes'>;

/**
 * Whether `update` of a package leaves everything as it is, seen without asking it. Those decided
 * before the package keep their locked versions; where they, and the user, admit no other version
 * of it, it stays, and so does the rest.
 */
function isPinned(
  locked: LockedPackage,
  { changes, order, lockfile, target }: Solved,
  { tags, problem }: { readonly tags: readonly string[]; readonly problem: Problem },
): boolean {
  if (changes.length > 0) return false;
  const { repository, version } = locked;
  const before = new Set(order.slice(0, order.indexOf(repository)));
  const earlier = lockfile.packages.filter((one) => before.has(one.repository));
  const requirers = requirersIn({ ...lockfile, packages: [...earlier, locked] }, problem);
  return tags.every(
    (tag) =>
      tag === version || ruledOut(repository, tag, { requirers, problem, target }) !== undefined,
  );
}

async function prospects(
  { repository, newest }: Pick<Outdated, 'repository' | 'newest'>,
  answer: Answer,
  request: Request,
  options: ResolveOptions & { readonly lockfile: Lockfile },
): Promise<Prospects> {
  if (answer.status !== 'solved') return UNANSWERED[answer.status];
  const fits = versionIn(answer, repository);
  if (fits === newest) return { fits, heldBy: undefined, takes: undefined };
  if (fits === undefined) {
    return { fits, heldBy: 'nothing: it is no longer required, and goes', takes: undefined };
  }
  const wanted = { repository, version: newest };
  return { fits, ...(await heldBy(wanted, answer, request, options)) };
}

/** Whether there is an answer does not depend on which packages may move. */
const UNANSWERED: Readonly<Record<'unsolvable' | 'gave-up', Prospects>> = {
  unsolvable: {
    fits: undefined,
    heldBy: 'what is asked for, which has no answer at all',
    takes: undefined,
  },
  'gave-up': {
    fits: undefined,
    heldBy: 'what could not be found out in time',
    takes: undefined,
  },
};

function versionIn({ lockfile }: Solved, repository: Repository): string | undefined {
  return lockfile.packages.find((locked) => locked.repository === repository)?.version;
}
