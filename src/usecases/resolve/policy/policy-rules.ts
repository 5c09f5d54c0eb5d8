import type { Repository } from '../../../model/package.js';
import { isOfPackages, type Policy, type PolicyEntry } from '../../../model/policy/policy.js';
import type { CandidateRule, Ruling } from '../../../model/policy/ruling.js';
import type { Request } from '../../../model/request.js';
import type { Target } from '../../../model/target/target.js';
import { realClock } from '../../../model/time/clock.js';
import type { PolicyRules, VersionRuling } from '../../../solver/problem.js';
import { readSelector } from '../read-selector.js';
import type { SignerOf } from '../to-lockfile.js';
import type { Lockfile } from '../../../lock/lockfile.js';
import { looksAtAge, minimumAgeRule } from './minimum-age.js';

/** What a user may set beside the policies of the request. */
export interface PolicyOptions {
  /** Rules on versions beside those of the policies: that each is signed, say. */
  readonly rules?: readonly CandidateRule[] | undefined;
  /** Says who signed what is locked; undefined: as a lockfile says of what stays. */
  readonly signerOf?: SignerOf | undefined;
  /** What time it is, in milliseconds, where a policy asks for an age; the clock's unless told. */
  readonly now?: number | undefined;
}

/** What the policies of a request, and rules beside it, say as a target reads them. */
export function policyRules(
  { policies = [] }: Request,
  target: Target,
  { rules = [] }: PolicyOptions,
): PolicyRules | undefined {
  if (policies.length === 0 && rules.length === 0) return undefined;
  const ages = policies.flatMap(({ minimumAge }) => minimumAge ?? []);
  for (const { except } of ages) refuseUnreadable(except, target);
  const denied = policies.flatMap(({ deny }) =>
    deny.map(({ packages, version, reason, origin }) => ({
      packages,
      selector: version === undefined ? undefined : readSelector(version, target, origin),
      ruling: { by: 'deny', reason, origin } as const,
    })),
  );
  const deniedOf = (repository: Repository) =>
    denied.filter(({ packages }) => isOfPackages(repository, packages, target));
  return {
    repository: (repository) =>
      outsideRegistries(repository, policies, target) ??
      deniedOf(repository).find(({ selector }) => selector === undefined)?.ruling,
    versions: (repository) =>
      deniedOf(repository).flatMap(({ selector, ruling }): VersionRuling[] =>
        selector === undefined ? [] : [{ selector, ruling }],
      ),
    looksAt: (repository) =>
      rules.length > 0 || ages.some((age) => looksAtAge(age, repository, target)),
  };
}

/** Throws for a version that the target can make nothing of. */
function refuseUnreadable(entries: readonly PolicyEntry[], target: Target): void {
  for (const { version, origin } of entries) {
    if (version !== undefined) readSelector(version, target, origin);
  }
}

function outsideRegistries(
  repository: Repository,
  policies: readonly Policy[],
  target: Target,
): Ruling | undefined {
  for (const { registries } of policies) {
    if (registries === undefined) continue;
    const { allowed, origin } = registries;
    if (allowed.some((prefix) => isOfPackages(repository, prefix, target))) continue;
    return { by: 'registries', allowed, origin };
  }
  return undefined;
}

/** The rules that take looking at each version: those of the policies, then those of the options. */
export function candidateRules(
  { policies = [] }: Request,
  { rules = [], now, lockfile }: PolicyOptions & { readonly lockfile?: Lockfile | undefined },
): CandidateRule[] {
  const ages = policies.flatMap(({ minimumAge }) => minimumAge ?? []);
  if (ages.length === 0) return [...rules];
  const context = { now: now ?? realClock.now(), lockfile };
  return [...ages.map((age) => minimumAgeRule(age, context)), ...rules];
}
