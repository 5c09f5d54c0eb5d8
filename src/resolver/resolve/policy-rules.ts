import type { SignerOf } from './to-lockfile.js';
import { isDigest } from '../../base/digest.js';
import { realClock } from '../../base/time.js';
import type { Candidate, Repository } from '../../crossplane/packages/package.js';
import { joinReference } from '../../crossplane/packages/reference.js';
import type { ReleaseRules } from '../../crossplane/releases/release-facts.js';
import type { Target } from '../../crossplane/releases/target.js';
import {
  matchesPackages,
  type MinimumAge,
  type Policy,
  type PolicyEntry,
  publishedAt,
  formatTime,
  versionMatcher,
} from '../../project/inputs/policy.js';
import type { Request } from '../../project/inputs/request.js';
import type { Lockfile } from '../../project/lockfile/lockfile.js';
import { readReleaseDates } from '../../sources/package-source.js';
import type { CandidateRule, PolicyRules, Ruling, VersionPolicyRule } from '../solver/problem.js';

/** Options in addition to the policies of the request. */
export interface PolicyOptions {
  /** Rules on versions in addition to the policies, such as required signatures. */
  readonly rules?: readonly CandidateRule[] | undefined;
  /** Returns the signer of a locked package. Undefined: signers come from the old lockfile. */
  readonly signerOf?: SignerOf | undefined;
  /** The current time in milliseconds, for minimum ages. Undefined: the time of the clock. */
  readonly now?: number | undefined;
}

/** Combines the policies of a request and other rules; undefined if there are none. */
export function policyRules(
  { policies = [] }: Request,
  target: Target,
  { rules = [] }: PolicyOptions,
): PolicyRules | undefined {
  if (policies.length === 0 && rules.length === 0) return undefined;
  const ages = policies.flatMap(({ minimumAge }) => minimumAge ?? []);
  const denied = policies.flatMap(({ deny }) =>
    deny.map((entry) => ({ entry, matches: versionMatcher(entry, 'all') })),
  );
  const deniedOf = (repository: Repository) =>
    denied.filter(({ entry }) => matchesPackages(repository, entry.packages, target));
  return {
    repository: (repository) => {
      const entry = deniedOf(repository).find((one) => one.entry.version === undefined)?.entry;
      return outsideRegistries(repository, policies, target) ?? (entry && denial(entry));
    },
    versions: (repository) =>
      deniedOf(repository).flatMap(({ entry, matches }) => versionRulings(entry, matches)),
    mustInspect: (repository) => {
      const isExempt = ({ except }: MinimumAge) =>
        except.some(
          ({ packages, version }) =>
            version === undefined && matchesPackages(repository, packages, target),
        );
      return rules.length > 0 || !ages.every(isExempt);
    },
  };
}

function denial({ reason, origin }: PolicyEntry): Ruling {
  return { by: 'deny', reason, origin };
}

/** Returns rulings on the versions that an entry denies, and on every digest: it may be of one. */
function versionRulings(
  entry: PolicyEntry,
  matches: (version: string) => boolean,
): VersionPolicyRule[] {
  const { version, origin } = entry;
  if (version === undefined) return [];
  const unknown = {
    matches: (name: string) => isDigest(name) && !matches(name),
    ruling: { by: 'deny-digest', versions: version, origin } as const,
  };
  const denied = { matches, ruling: denial(entry) };
  return isDigest(version) ? [denied] : [denied, unknown];
}

function outsideRegistries(
  repository: Repository,
  policies: readonly Policy[],
  target: Target,
): Ruling | undefined {
  const violated = policies
    .flatMap(({ registries }) => registries ?? [])
    .find(({ allowed }) => !allowed.some((prefix) => matchesPackages(repository, prefix, target)));
  return violated && { by: 'registries', ...violated };
}

/** Returns the rules that check each version: those of the policies, then those of the options. */
export function candidateRules(
  { policies = [] }: Request,
  { rules = [], now, lockfile }: PolicyOptions & { readonly lockfile?: Lockfile | undefined },
): CandidateRule[] {
  const ages = policies.flatMap(({ minimumAge }) => minimumAge ?? []);
  if (ages.length === 0) return [...rules];
  const currentTime = now ?? realClock.now();
  return [...ages.map((age) => minimumAgeRule(age, currentTime, lockfile)), ...rules];
}

/** Returns the rule that a version was published some time ago. Locked versions are exempt. */
function minimumAgeRule(rule: MinimumAge, now: number, lockfile?: Lockfile): CandidateRule {
  const locked = new Set(
    lockfile?.packages.map((one) => joinReference(one.repository, one.version)),
  );
  const exceptions = rule.except.map((entry) => {
    return { packages: entry.packages, matches: versionMatcher(entry, 'named') };
  });
  const isExcepted = ({ repository, version }: Candidate, target: ReleaseRules) =>
    exceptions.some(
      ({ packages, matches }) => matchesPackages(repository, packages, target) && matches(version),
    );
  return {
    async judge(candidate, { source, target }) {
      const reference = joinReference(candidate.repository, candidate.version);
      if (locked.has(reference) || isExcepted(candidate, target)) return undefined;
      const released = await readReleaseDates(source, candidate, target);
      return released && violationOf(publishedAt(released), rule, now);
    },
  };
}

function violationOf(
  published: ReturnType<typeof publishedAt>,
  { text: minimum, milliseconds, unknown, origin }: MinimumAge,
  now: number,
): Ruling | undefined {
  if (typeof published === 'number') {
    const from = published + milliseconds;
    return from <= now ? undefined : { by: 'age', minimum, from: formatTime(from), origin };
  }
  if (unknown === 'allow') return undefined;
  return { by: 'unknown-age', minimum, because: published.unknown, origin };
}
