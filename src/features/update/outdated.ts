import { SourceReader } from '../../resolver/driver/source-reader.js';
import type { Suggestion } from '../../resolver/explain/refusal.js';
import { lockedIn, type LockedPackage, type Lockfile } from '../../project/lockfile/lockfile.js';
import { changeEffect, type ChangeEffect } from '../../resolver/suggest/change-effect.js';
import { InputError } from '../../base/errors.js';
import type { Repository } from '../../crossplane/packages/package.js';
import type { Request } from '../../project/inputs/request.js';
import { targetFor } from '../../crossplane/releases/target.js';
import { installableVersions } from '../../crossplane/constraints/installable-versions.js';
import { compareVersions, parseVersion } from '../../crossplane/constraints/version.js';
import type { Problem } from '../../resolver/solver/problem.js';
import type { Answer, Solved } from '../../resolver/resolve/answer.js';
import { requirersIn, excludingRule } from '../../resolver/resolve/movements.js';
import { resolve, update } from '../../resolver/resolve/resolve.js';
import { type ResolveOptions, toProblem } from '../../resolver/resolve/to-problem.js';
import { heldByInAnswer, type HeldBy } from '../../resolver/resolve/blocked-by.js';

/** A locked package with newer versions. */
export interface Outdated {
  readonly repository: Repository;
  /** The locked version. */
  readonly version: string;
  /** The version that `update` of this package locks; undefined: it finds no solution. */
  readonly fits: string | undefined;
  readonly newest: string;
  /** What keeps the package from the newest version; undefined: `update` locks the newest version. */
  readonly heldBy: HeldBy | undefined;
  /** How to lock the newest version; undefined: no way is known. */
  readonly advice?: UpdateAdvice | undefined;
}

/** A change that locks a newer version, checked by solving. */
export interface UpdateAdvice {
  readonly version: string;
  /** Number of the suggestion that `update SOURCE@VERSION` applies; undefined: none is needed. */
  readonly hint: number | undefined;
  /** The text of the suggestion; undefined: no input file changes. */
  readonly change: string | undefined;
  readonly effect: ChangeEffect;
}

/** A request with a suggestion applied. */
export interface AppliedSuggestion {
  /** Number of the suggestion, from 1. */
  readonly number: number;
  readonly text: string;
  readonly effect: ChangeEffect | undefined;
  readonly request: Request;
}

export interface OutdatedReport {
  /** Sorted by repository. */
  readonly packages: readonly Outdated[];
  readonly notes: readonly string[];
}

export interface OutdatedOptions extends Omit<ResolveOptions, 'lockfile' | 'unlock' | 'pins'> {
  /** Packages to check; undefined: all locked packages. */
  readonly only?: ReadonlySet<Repository> | undefined;
  /** Applies each suggestion separately to the input files; undefined: none can be applied. */
  readonly apply?:
    ((suggestions: readonly Suggestion[]) => Promise<readonly AppliedSuggestion[]>) | undefined;
}

/** Returns the locked packages with newer versions, and the version that `update` would lock. */
export async function outdated(
  lockfile: Lockfile,
  request: Request,
  reading: OutdatedOptions,
): Promise<OutdatedReport> {
  const reader = SourceReader.of(reading.source);
  const options = { ...reading, source: reader, lockfile };
  const answer = await resolve(request, options);
  const target = answer.status === 'solved' ? answer.target : targetFor(lockfile.crossplane)!;
  const problem = toProblem(request, [target], options);
  const notes = answer.status === 'solved' ? [] : [UNSOLVED];
  const packages: Outdated[] = [];
  for (const locked of lockfile.packages) {
    const { repository } = locked;
    if (reading.only?.has(repository) === false) continue;
    const tags = await reader.tags(repository, target);
    if (tags === undefined) notes.push(`no source given knows ${repository}`);
    const newest = newerThan(locked, tags ?? [], problem);
    if (newest === undefined) continue;
    const about = { repository, version: locked.version, newest };
    if (answer.status !== 'solved') {
      packages.push({ ...about, ...UNANSWERED[answer.status] });
      continue;
    }
    const updated = isPinned(locked, answer, tags!, problem)
      ? answer
      : await update(request, [{ repository }], options);
    const result = await updateResult(about, updated, request, options);
    const advice =
      result.fits === newest
        ? { version: newest, ...withoutHint(updated as Solved, options) }
        : await adviceFor(about, request, options);
    packages.push({ ...about, ...result, advice });
  }
  return { packages, notes };
}

/** Returns the newest version if it is newer; undefined for a locked digest or opaque tag. */
function newerThan(
  { repository, version }: LockedPackage,
  tags: readonly string[],
  problem: Problem,
): string | undefined {
  const locked = parseVersion(version, problem.dialect);
  if (locked === undefined) return undefined;
  const anyPrerelease = locked.prerelease !== '' || problem.prereleases.has(repository);
  const newest = installableVersions(tags, { rules: problem }).find(
    ({ prerelease }) => anyPrerelease || prerelease === '',
  );
  return newest && compareVersions(newest, locked) > 0 ? newest.raw : undefined;
}

type UpdateResult = Pick<Outdated, 'fits' | 'heldBy'>;

/**
 * Whether `update` of a package would change nothing, decided without solving. Packages that the
 * solver decides before it keep their locked versions; if they and the user allow no other version
 * of this package, all versions stay.
 */
function isPinned(
  locked: LockedPackage,
  { changes, order, lockfile, target }: Solved,
  tags: readonly string[],
  problem: Problem,
): boolean {
  if (changes.length > 0) return false;
  const { repository, version } = locked;
  const before = new Set(order.slice(0, order.indexOf(repository)));
  const earlier = lockfile.packages.filter((one) => before.has(one.repository));
  const requirers = requirersIn({ ...lockfile, packages: [...earlier, locked] }, problem);
  const others = tags.filter((tag) => tag !== version);
  return others.every((tag) => excludingRule(repository, tag, { requirers, problem, target }));
}

async function updateResult(
  { repository, newest }: Pick<Outdated, 'repository' | 'newest'>,
  answer: Answer,
  request: Request,
  options: AdviceOptions,
): Promise<UpdateResult> {
  if (answer.status !== 'solved') return UNANSWERED[answer.status];
  const fits = lockedIn(answer.lockfile, repository)?.version;
  if (fits === newest) return { fits, heldBy: undefined };
  if (fits === undefined) return { fits, heldBy: [NO_LONGER_REQUIRED] };
  const by = await heldByInAnswer({ repository, version: newest }, answer, request, options);
  return { fits, heldBy: by ?? [NOT_KNOWN] };
}

type AdviceOptions = OutdatedOptions & { readonly lockfile: Lockfile };

/** Finds a way to lock the newest version: first without changes, then with each suggestion. */
async function adviceFor(
  { repository, newest: version }: Pick<Outdated, 'repository' | 'newest'>,
  request: Request,
  options: AdviceOptions,
): Promise<UpdateAdvice | undefined> {
  const attempt = async (changed: Request): Promise<Answer | undefined> => {
    try {
      return await update(changed, [{ repository, version, origin: COMMAND_LINE }], options);
    } catch (error) {
      if (error instanceof InputError) return undefined;
      throw error;
    }
  };
  const isReached = (answer: Answer | undefined): answer is Solved =>
    answer?.status === 'solved' &&
    answer.movedTags.length === 0 &&
    lockedIn(answer.lockfile, repository)?.version === version;
  const answer = await attempt(request);
  if (isReached(answer)) return { version, ...withoutHint(answer, options) };
  if (answer?.status !== 'unsolvable') return undefined;
  for (const applied of (await options.apply?.(answer.suggestions)) ?? []) {
    const changed = await attempt(applied.request);
    if (!isReached(changed)) continue;
    const effect = effectOf(changed, options, applied.effect?.notes ?? []);
    return { version, hint: applied.number, change: applied.text, effect };
  }
  return undefined;
}

const COMMAND_LINE = { file: 'command line' };

function withoutHint(answer: Solved, options: AdviceOptions): Omit<UpdateAdvice, 'version'> {
  return { hint: undefined, change: undefined, effect: effectOf(answer, options, []) };
}

function effectOf(
  { lockfile, target }: Solved,
  options: AdviceOptions,
  notes: readonly string[],
): ChangeEffect {
  const { dialect } = target.rules;
  const effect = changeEffect(options.lockfile.packages, lockfile.packages, dialect);
  return { ...effect, notes: [...new Set([...notes, ...effect.notes])] };
}

const UNSOLVED = 'what is asked for has no answer: `xpkg-resolve resolve` says why';
const NO_LONGER_REQUIRED = { text: 'nothing: it is no longer required, and is removed' };
const NOT_KNOWN = { text: 'a conflict that could not be determined in time' };

/** The results if the request has no solution, which does not depend on the updated package. */
const UNANSWERED: Readonly<Record<'unsolvable' | 'gave-up', UpdateResult>> = {
  unsolvable: {
    fits: undefined,
    heldBy: [{ text: 'a conflict between all required packages: there is no set at all' }],
  },
  'gave-up': { fits: undefined, heldBy: [NOT_KNOWN] },
};
