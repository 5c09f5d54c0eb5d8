import * as fc from 'fast-check';
import { digestOf } from './sample-packages.js';
import { pick, picked, weighted } from './arbitraries.js';
import type { Knobs } from './knobs.js';

type Shape =
  | 'at-least'
  | 'caret'
  | 'tilde'
  | 'exact'
  | 'up-to'
  | 'between'
  | 'either'
  | 'any'
  | 'with-prereleases'
  | 'short'
  | 'below-major'
  | 'spaced'
  | 'digest'
  | 'never'
  | 'phantom'
  | 'from-phantom'
  | 'invalid';

/** A constraint before it is known which versions there are to constrain. */
export interface ConstraintPlan {
  readonly shape: Shape;
  readonly at: number;
}

/**
 * Constraints a package may hold, whatever a target makes of them; or those of a user, for whom
 * one that the target cannot read is bad input, and no question to a resolver.
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

/** The constraint in words, about a repository whose tags are `tags`, oldest first. */
export function constraintText(
  plan: ConstraintPlan,
  repository: string,
  tags: readonly string[],
): string {
  const tag = picked(plan.at, tags) ?? 'v1.0.0';
  const newest = tags.at(-1) ?? tag;
  const [release = tag] = tag.split('-');
  const [major = '0', minor = '0'] = release.slice(1).split('.');
  switch (plan.shape) {
    case 'at-least':
      return `>=${tag}`;
    case 'caret':
      return `^${tag}`;
    case 'tilde':
      return `~${tag}`;
    case 'exact':
      return tag;
    case 'up-to':
      return `<=${tag}`;
    case 'between':
      return `>=${tag}, <${newest}`;
    case 'either':
      return `${tag} || >=${newest}`;
    case 'any':
      return '*';
    case 'with-prereleases':
      return `>=${release}-0`;
    case 'short':
      return `${major}.${minor}`;
    case 'below-major':
      return `<${Number(major) + 1}`;
    case 'spaced':
      return `>=${tag} <=${newest}`;
    case 'digest':
      return digestOf(repository, tag);
    case 'never':
      return '>=v99.0.0';
    case 'phantom':
      return phantomAfter(release, tags);
    case 'from-phantom':
      return `>=${phantomAfter(release, tags)}`;
    case 'invalid':
      return 'latest';
  }
}

/** The next patch release that there is not, with or without a prerelease. */
function phantomAfter(release: string, tags: readonly string[]): string {
  const [, line = 'v1.0.', patch = '0'] = /^(v\d+\.\d+\.)(\d+)$/.exec(release) ?? [];
  const next = (n: number): string => {
    const tag = `${line}${n}`;
    return tags.some((one) => one === tag || one.startsWith(`${tag}-`)) ? next(n + 1) : tag;
  };
  return next(Number(patch) + 1);
}
