import * as fc from 'fast-check';
import { type Knobs, pick, pickFrom, weighted } from './knobs.js';
import { digestOf } from './sample-packages.js';
import { sha256 } from '../../base/digest.js';
import type { Policy, PolicyEntry } from '../../project/inputs/policy.js';
import type { VersionRule } from '../../project/inputs/request.js';

/** A constraint, planned before the published versions are known. */
export interface ConstraintPlan {
  readonly shape: Shape;
  readonly at: number;
}

/** Draws constraints. Those of users are never invalid, because that is invalid input. */
export function constraintPlan(
  knobs: Knobs,
  writtenIn: 'package' | 'request',
): fc.Arbitrary<ConstraintPlan> {
  const unreadable = writtenIn === 'package' ? 1 : 0;
  const { digests, unsatisfiable, phantoms, invalid, dialects } = knobs;
  const odd = digests + unsatisfiable + phantoms + invalid + dialects;
  const plain = Math.max(0, 1 - odd);
  return fc.record({
    shape: weighted<Shape>(
      [plain * 0.46, 'at-least'],
      [plain * 0.2, 'caret'],
      [plain * 0.06, 'tilde'],
      [plain * 0.06, 'exact'],
      [plain * 0.08, 'up-to'],
      [plain * 0.03, 'between'],
      [plain * 0.04, 'either'],
      [plain * 0.05, 'any'],
      [plain * 0.03, 'with-prereleases'],
      [dialects * 0.4, 'short'],
      [dialects * 0.4, 'below-major'],
      [dialects * 0.2 * unreadable, 'spaced'],
      [digests, 'digest'],
      [unsatisfiable, 'never'],
      [phantoms / 2, 'phantom'],
      [phantoms / 2, 'from-phantom'],
      [invalid * unreadable, 'invalid'],
    ),
    at: pick(),
  });
}

/** Parts from which the text of a constraint is made. */
interface ConstraintParts {
  readonly repository: string;
  readonly tags: readonly string[];
  readonly tag: string;
  readonly newest: string;
  /** The tag without its prerelease. */
  readonly release: string;
  readonly major: string;
  readonly minor: string;
}

/** Formats of constraints, by shape. */
const FORMATS = {
  'at-least': ({ tag }: ConstraintParts) => `>=${tag}`,
  caret: ({ tag }: ConstraintParts) => `^${tag}`,
  tilde: ({ tag }: ConstraintParts) => `~${tag}`,
  exact: ({ tag }: ConstraintParts) => tag,
  'up-to': ({ tag }: ConstraintParts) => `<=${tag}`,
  between: ({ tag, newest }: ConstraintParts) => `>=${tag}, <${newest}`,
  either: ({ tag, newest }: ConstraintParts) => `${tag} || >=${newest}`,
  any: () => '*',
  'with-prereleases': ({ release }: ConstraintParts) => `>=${release}-0`,
  short: ({ major, minor }: ConstraintParts) => `${major}.${minor}`,
  'below-major': ({ major }: ConstraintParts) => `<${Number(major) + 1}`,
  spaced: ({ tag, newest }: ConstraintParts) => `>=${tag} <=${newest}`,
  digest: ({ repository, tag }: ConstraintParts) => digestOf(repository, tag),
  never: () => '>=v99.0.0',
  phantom: ({ release, tags }: ConstraintParts) => phantomAfter(release, tags),
  'from-phantom': ({ release, tags }: ConstraintParts) => `>=${phantomAfter(release, tags)}`,
  invalid: () => 'latest',
};

type Shape = keyof typeof FORMATS;

/** Returns the text of a constraint for a repository with `tags`, oldest first. */
export function constraintText(
  { shape, at }: ConstraintPlan,
  repository: string,
  tags: readonly string[],
): string {
  const tag = pickFrom(at, tags) ?? 'v1.0.0';
  const [release = tag] = tag.split('-');
  const [major = '0', minor = '0'] = release.slice(1).split('.');
  const newest = tags.at(-1) ?? tag;
  return FORMATS[shape]({ repository, tags, tag, newest, release, major, minor });
}

/** Returns the next patch release that is not published, with or without a prerelease. */
function phantomAfter(release: string, tags: readonly string[]): string {
  const [, line = 'v1.0.', patch = '0'] = /^(v\d+\.\d+\.)(\d+)$/.exec(release) ?? [];
  const next = (n: number): string => {
    const tag = `${line}${n}`;
    return tags.some((one) => one === tag || one.startsWith(`${tag}-`)) ? next(n + 1) : tag;
  };
  return next(Number(patch) + 1);
}

/** Current time in scenarios with a minimum age. */
export const GENERATED_NOW = Date.UTC(2026, 0, 31);

const DAY = 86_400_000;

/** A policy, planned before the published packages are known. */
export interface PolicyPlan {
  readonly form: 'registries' | 'deny' | 'deny-all' | 'age' | 'age-but';
  /** Number of path segments in the policy, which other packages may share. */
  readonly parts: number;
  readonly days: number;
  readonly unknown: 'refuse' | 'allow';
}

export function policyPlan<Rule>(
  rule: fc.Arbitrary<Rule>,
): fc.Arbitrary<PolicyPlan & { readonly rule: Rule }> {
  return fc.record({
    form: weighted<PolicyPlan['form']>(
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

export function policyOf(
  { form, parts, days, unknown }: PolicyPlan,
  { repository, version }: VersionRule,
): Policy {
  const origin = { file: 'request.yaml', line: 40 };
  const packages = repository.split('/').slice(0, parts).join('/');
  const one: PolicyEntry = { packages: repository, version, origin };
  switch (form) {
    case 'registries': {
      const hosts = days % 2 === 0 ? ['xpkg.upbound.io', 'xpkg.crossplane.io'] : [];
      return { registries: { allowed: [packages, ...hosts], origin }, deny: [] };
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

/** Returns the age of a version, independent of the universe. Newer tags are usually younger. */
export function generatedRelease(
  repository: string,
  tag: string,
  place: number,
): { readonly created?: string; readonly firstSeen?: string } {
  const draw = Number.parseInt(sha256(`age of ${repository}:${tag}`).slice(-4), 16);
  const days = Math.max(0, 40 - 9 * place) + (draw % 5);
  const releases = [
    {},
    { created: '1970-01-01T00:00:00Z' },
    { created: '0001-01-01T00:00:00Z', firstSeen: daysAgo(days) },
    { created: daysAgo(days + 20), firstSeen: daysAgo(days) },
  ];
  return releases[draw % 11] ?? { created: daysAgo(days) };
}

function daysAgo(days: number): string {
  return new Date(GENERATED_NOW - days * DAY).toISOString();
}
