import * as fc from 'fast-check';
import type { Policy, PolicyEntry } from '../../project/inputs/policy.js';
import type { VersionRule } from '../../project/inputs/request.js';
import { sha256 } from '../../base/digest.js';
import { pick, weighted } from './knobs.js';

/** Current time in scenarios with a minimum age. */
export const GENERATED_NOW = Date.UTC(2026, 0, 31);

const DAY = 86_400_000;

/** A policy, planned before the published packages are known. */
export interface PolicyPlan<Rule> {
  readonly form: 'registries' | 'deny' | 'deny-all' | 'age' | 'age-but';
  /** Selects the package of the policy. */
  readonly rule: Rule;
  /** Number of path segments in the policy, which other packages may share. */
  readonly parts: number;
  readonly days: number;
  readonly unknown: 'refuse' | 'allow';
}

export function policyPlan<Rule>(rule: fc.Arbitrary<Rule>): fc.Arbitrary<PolicyPlan<Rule>> {
  return fc.record({
    form: weighted<PolicyPlan<Rule>['form']>(
      [0.3, 'age'],
      [0.2, 'age-but'],
      [0.2, 'deny'],
      [0.1, 'deny-all'],
      [0.2, 'registries'],
    ),
    rule,
    parts: fc.constantFrom(1, 2, 3),
    days: pick(),
    unknown: weighted<'refuse' | 'allow'>([0.5, 'allow'], [0.5, 'refuse']),
  });
}

/** Returns the policy of a plan for a package. */
export function policyOf(
  { form, parts, days, unknown }: PolicyPlan<unknown>,
  { repository, version }: VersionRule,
): Policy {
  const origin = { file: 'request.yaml', line: 40 };
  const packages = repository.split('/').slice(0, parts).join('/');
  const one: PolicyEntry = { packages: repository, version, origin };
  switch (form) {
    case 'registries': {
      const hosts = ['xpkg.upbound.io', 'xpkg.crossplane.io'];
      const allowed = [packages, ...(days % 2 === 0 ? hosts : [])];
      return { registries: { allowed, origin }, deny: [] };
    }
    case 'deny':
      return { deny: [one] };
    case 'deny-all':
      return { deny: [{ packages: repository, version: undefined, origin }] };
    case 'age':
    case 'age-but': {
      const text = `${days % 30}d`;
      const except = form === 'age' ? [] : [one];
      const milliseconds = (days % 30) * DAY;
      return { deny: [], minimumAge: { text, milliseconds, except, unknown, origin } };
    }
  }
}

/**
 * Returns the age of a generated version, which does not depend on the universe. Newer tags are
 * usually younger, and some have no age.
 */
export function generatedRelease(
  repository: string,
  tag: string,
  place: number,
): { readonly created?: string; readonly firstSeen?: string } {
  const draw = Number.parseInt(sha256(`age of ${repository}:${tag}`).slice(-4), 16);
  const days = Math.max(0, 40 - 9 * place) + (draw % 5);
  switch (draw % 11) {
    case 0:
      return {};
    case 1:
      return { created: '1970-01-01T00:00:00Z' };
    case 2:
      return { created: '0001-01-01T00:00:00Z', firstSeen: daysAgo(days) };
    case 3:
      return { created: daysAgo(days + 20), firstSeen: daysAgo(days) };
    default:
      return { created: daysAgo(days) };
  }
}

function daysAgo(days: number): string {
  return new Date(GENERATED_NOW - days * DAY).toISOString();
}
