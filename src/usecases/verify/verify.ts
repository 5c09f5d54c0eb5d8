import type { Lockfile } from '../../lock/lockfile.js';
import { isRejection, judge } from '../../admission/judge.js';
import type { CheckedPackage } from '../../driver/checked-package.js';
import { SourceMemory } from '../../driver/source-memory.js';
import type { PackageSource } from '../../model/package-source.js';
import type { Request } from '../../model/request.js';
import { SourceError } from '../../model/source-error.js';
import { targetFor, type Target } from '../../model/target/target.js';
import type { Selected } from '../../solver/search-result.js';
import { clusterRefusals } from '../resolve/cluster-refusals.js';
import { reResolve } from './re-resolve.js';
import type { Mismatch } from '../mismatch.js';
import { contentMismatches } from './lock-mismatch.js';
import { readLocked, type LockedRead, type ReadingLocked } from './read-locked.js';
import { staleness } from './staleness.js';
import {
  releaseSelector,
  isSelected,
  type ReleaseSelector,
} from '../../model/target/target-choice.js';
import { INPUTS_SAY_SO } from '../resolve/to-lockfile.js';
import { toProblem, type ProblemOptions } from '../resolve/to-problem.js';

export interface VerifyOptions extends Pick<
  ProblemOptions,
  'prereleases' | 'allowCycles' | 'compat'
> {
  readonly source: PackageSource;
  /** The Crossplane release that is asked for, or a range; beats the request's own. */
  readonly crossplane?: string | undefined;
  /** The lockfile may be without digests. */
  readonly allowUndigested?: boolean | undefined;
}

export interface Verification {
  readonly target: Target;
  /** Packages that were read. */
  readonly read: number;
  readonly mismatches: readonly Mismatch[];
  /** Sources that failed; what they have could not be checked. */
  readonly failures: readonly SourceError[];
  readonly notes: readonly string[];
}

/**
 * Holds a lockfile against its sources and against what is asked for.
 *
 * What each package says is read again, and nothing in the lockfile is believed: the set is
 * resolved again, from the locked versions alone. Without a request, it must still fit together.
 */
export async function verify(
  lockfile: Lockfile,
  request: Request | undefined,
  options: VerifyOptions,
): Promise<Verification> {
  const target = targetFor(lockfile.crossplane)!;
  const stale = [
    ...otherRelease(releaseSelector(request ?? {}, options.crossplane), target),
    ...(request === undefined ? [] : unanswered(lockfile, request, target, options)),
  ];
  const allowUndigested = options.allowUndigested ?? false;
  const reading = { source: SourceMemory.of(options.source), target, allowUndigested };
  const { reads, failures } = await readAll(lockfile, reading);
  const fetched = reads.filter((read): read is Read => read.fetched !== undefined);
  const judged = fetched.map((read) => judgeRead(read, target, options));
  const mismatches = [
    ...stale,
    ...reads.flatMap((read) => read.mismatches),
    ...judged.flatMap((each) => each.mismatches),
  ];
  const notes = [...onWhatIsAsked(request, target, options), ...notesOn(reads)];
  const common = { target, read: fetched.length, failures };
  if (fetched.length < lockfile.packages.length) {
    notes.push('whether the set fits together was not checked: not all of it could be read');
    return { ...common, mismatches, notes };
  }
  const asked = stale.length === 0 ? request : undefined;
  const selected = judged.flatMap((each) => each.selected);
  if (asked === undefined) mismatches.push(...unfoundedSkips(lockfile, selected, target));
  if (asked === undefined && lockfile.skipDependencyResolution.length > 0) {
    notes.push('dependencies were not checked: the lockfile breaks constraints on purpose');
  }
  const derived = await reResolve(lockfile, fetched, { ...options, asked });
  return {
    ...common,
    mismatches: [...mismatches, ...derived.mismatches],
    notes: [...notes, ...derived.notes],
  };
}

type Read = LockedRead & { readonly fetched: CheckedPackage };

/** Notes on what the lockfile could not be compared with: inputs, a release, a known release. */
function onWhatIsAsked(
  request: Request | undefined,
  target: Target,
  { crossplane }: VerifyOptions,
): string[] {
  const { version, warning } = target;
  const notes = warning === undefined ? [] : [warning];
  if (request === undefined) {
    notes.unshift('nothing says what was asked for: the lockfile is held to its sources alone');
  } else if (crossplane === undefined && request.crossplane === undefined) {
    notes.unshift(`no Crossplane release is asked for: ${version}, as locked, is taken`);
  }
  return notes;
}

/** A note on more packages than this is told once, with their number. */
const MAX_ALIKE_NOTES = 3;

function notesOn(reads: readonly LockedRead[]): string[] {
  const about = new Map<string, string[]>();
  for (const { locked, fetched, notes } of reads) {
    for (const note of [...(fetched?.notes ?? []), ...notes]) {
      const subject = `${locked.repository} ${locked.version}`;
      about.set(note, [...(about.get(note) ?? []), subject]);
    }
  }
  return [...about].flatMap(([note, subjects]) =>
    subjects.length > MAX_ALIKE_NOTES
      ? [`${subjects.length} packages: ${note}`]
      : subjects.map((subject) => `${subject}: ${note}`),
  );
}

/** Why the lockfile does not answer the request, as far as can be told from the two. */
function unanswered(
  lockfile: Lockfile,
  request: Request,
  target: Target,
  options: VerifyOptions,
): Mismatch[] {
  const problem = toProblem(request, [target], options);
  return staleness(lockfile, problem, target).map((text) => ({ kind: 'input', text }));
}

function otherRelease(asked: ReleaseSelector | undefined, target: Target): Mismatch[] {
  if (asked === undefined || isSelected(target, asked)) return [];
  const text = 'the Crossplane release is not the one that is asked for';
  return [{ kind: 'input', text, locked: target.version, found: asked.text }];
}

/** Reads every locked package; the failure of one source does not stop the others. */
async function readAll(lockfile: Lockfile, reading: ReadingLocked) {
  const outcomes = await Promise.allSettled(
    lockfile.packages.map((locked) => readLocked(locked, reading)),
  );
  const reads: LockedRead[] = [];
  const failures: SourceError[] = [];
  for (const outcome of outcomes) {
    if (outcome.status === 'fulfilled') reads.push(outcome.value);
    else if (outcome.reason instanceof SourceError) failures.push(outcome.reason);
    else throw outcome.reason;
  }
  return { reads, failures };
}

interface JudgedRead {
  readonly mismatches: readonly Mismatch[];
  /** What the target would install; none: it refuses. */
  readonly selected: readonly Selected[];
}

function judgeRead(
  { locked, fetched }: Read,
  target: Target,
  { compat = false }: VerifyOptions,
): JudgedRead {
  const { repository, version } = locked;
  const meta = judge(fetched.contents, target, { compat });
  if (!isRejection(meta)) {
    const mismatches = contentMismatches(locked, fetched, meta);
    return { mismatches, selected: [{ repository, version, meta }] };
  }
  const [first] = meta.findings.filter(({ severity }) => severity === 'error');
  const text = `Crossplane ${target.version} refuses it: ${first?.message ?? 'it is no package'}`;
  return { mismatches: [{ kind: 'content', repository, version, text }], selected: [] };
}

/** Reasons for breaking constraints that the packages do not give. */
function unfoundedSkips(
  { skipDependencyResolution: reasons }: Lockfile,
  selected: readonly Selected[],
  target: Target,
): Mismatch[] {
  if (reasons.length === 0 || (reasons.length === 1 && reasons[0] === INPUTS_SAY_SO)) return [];
  const refused = clusterRefusals(selected, target);
  const unfounded = reasons.filter((reason) => !refused.includes(reason));
  return unfounded.map((reason) => ({
    kind: 'content',
    text: '`skipDependencyResolution` has a reason that no package gives',
    locked: reason,
  }));
}
