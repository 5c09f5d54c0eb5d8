import type { Lockfile } from '../../../lock/lockfile.js';
import { publishedAt, timeText } from '../../../model/policy/age.js';
import { isOfPackages, type MinimumAge } from '../../../model/policy/policy.js';
import type { CandidateRule, Ruling } from '../../../model/policy/ruling.js';
import type { Candidate } from '../../../model/package.js';
import type { Target } from '../../../model/target/target.js';
import { meetsSelector } from '../meets-selector.js';
import { readSelector } from '../read-selector.js';

interface AgeContext {
  /** What time it is, in milliseconds. */
  readonly now: number;
  /** What it holds was taken in already: no time that passes, or does not, undoes that. */
  readonly lockfile: Lockfile | undefined;
}

/** That a release has been out for some time before it is chosen. */
export function minimumAgeRule(rule: MinimumAge, { now, lockfile }: AgeContext): CandidateRule {
  const locked = new Set(lockfile?.packages.map(nameOf));
  return {
    async judge(candidate, { source, target }) {
      if (locked.has(nameOf(candidate)) || isExcepted(candidate, rule, target)) return undefined;
      const released = await source.released?.(candidate, target);
      return released && rulingOn(publishedAt(released), rule, now);
    },
  };
}

/** Whether some version of a repository must be asked how old it is. */
export function looksAtAge({ except }: MinimumAge, repository: string, target: Target): boolean {
  return !except.some(
    ({ packages, version }) => version === undefined && isOfPackages(repository, packages, target),
  );
}

function rulingOn(
  published: ReturnType<typeof publishedAt>,
  { text: minimum, milliseconds, unknown, origin }: MinimumAge,
  now: number,
): Ruling | undefined {
  if (typeof published === 'number') {
    const from = published + milliseconds;
    return from <= now ? undefined : { by: 'age', minimum, from: timeText(from), origin };
  }
  if (unknown === 'allow') return undefined;
  return { by: 'unknown-age', minimum, because: published.unknown, origin };
}

function isExcepted(
  { repository, version }: Candidate,
  { except }: MinimumAge,
  target: Target,
): boolean {
  return except.some((entry) => {
    if (!isOfPackages(repository, entry.packages, target)) return false;
    if (entry.version === undefined || entry.version === version) return true;
    const selector = readSelector(entry.version, target, entry.origin);
    return meetsSelector(version, selector, target, 'named');
  });
}

function nameOf({ repository, version }: Candidate): string {
  return `${repository}\n${version}`;
}
