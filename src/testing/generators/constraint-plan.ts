import * as fc from 'fast-check';
import { digestOf } from './sample-packages.js';
import { type Knobs, pick, picked, weighted } from './knobs.js';

/** A constraint, planned before the published versions are known. */
export interface ConstraintPlan {
  readonly shape: Shape;
  readonly at: number;
}

/**
 * Draws constraints of packages, also unreadable ones, or constraints of users. For a user an
 * unreadable constraint is invalid input, so it is never drawn.
 */
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

/** What the text of a constraint is made from. */
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
  const tag = picked(at, tags) ?? 'v1.0.0';
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
