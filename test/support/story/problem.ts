import { selectorOf, type Selector } from '../../../src/crossplane/constraints/constraint.js';
import type { Problem, RootRequirement, Rule } from '../../../src/resolver/solver/problem.js';
import { parseVersion } from '../../../src/crossplane/constraints/version.js';
import { parseRequirement } from './universe.js';

/** The parts of a problem besides its roots; all others have default values. */
export interface Asked extends Partial<
  Pick<
    Problem,
    | 'prefer'
    | 'allowCycles'
    | 'maxConflicts'
    | 'ignoreRequirements'
    | 'skipsIncompleteTags'
    | 'policy'
  >
> {
  /** In descending order of preference. */
  readonly releases?: readonly string[];
  /** Constraints by package. */
  readonly exclude?: Readonly<Record<string, string>>;
  readonly overrides?: Readonly<Record<string, string>>;
  /** Versions by package. */
  readonly locked?: Readonly<Record<string, string>>;
  /** Packages whose Crossplane constraint is ignored. */
  readonly anyCrossplane?: readonly string[];
  readonly replace?: Readonly<Record<string, string>>;
}

/**
 * Returns the problem of a story. A root is `a ^1.0.0`, `a ^1.0.0 as Function`, `a tag:v1` (exactly
 * this tag), a digest instead of a constraint, or `crd things`; a package under development is
 * `owns things` or `crossplane >=v2.1.0`.
 */
export function problemOf(roots: readonly string[], asked: Asked): Problem {
  const { releases = ['v2.0.0'], exclude = {}, overrides = {}, ...more } = asked;
  return {
    dialect: '3.4.0',
    skipsIncompleteTags: false,
    releases: releases.map((release) => parseVersion(release, '3.4.0')!),
    roots: roots.map(rootOf),
    overrides: new Map(Object.entries(overrides).map(([name, text]) => [name, rule(text)])),
    exclude: new Map(Object.entries(exclude).map(([name, text]) => [name, [rule(text)]])),
    prereleases: new Set(),
    ignoreRequirements: false,
    prefer: 'newest',
    allowCycles: false,
    maxConflicts: 1_000,
    ...more,
    anyCrossplane: new Set(asked.anyCrossplane),
    locked: new Map(Object.entries(asked.locked ?? {})),
    replace: new Map(Object.entries(asked.replace ?? {})),
  };
}

function rootOf(statement: string, index: number): RootRequirement {
  const origin = { file: 'xpkg.yaml', line: index + 1 };
  const [word, rest] = [statement.split(' ')[0]!, statement.slice(statement.indexOf(' ') + 1)];
  const local = { origin, by: 'local' };
  if (word === 'crd') return { requires: 'api', crd: { crd: rest }, origin, by: undefined };
  if (word === 'crossplane') return { requires: 'crossplane', constraint: rest, ...local };
  if (word === 'owns') {
    return { requires: 'owns', objects: [{ kind: 'CRD', name: rest }], ...local };
  }
  const { repository, constraint, kind } = parseRequirement(statement);
  const tag = /^tag:(.+)$/.exec(constraint)?.[1];
  const selector: Selector = tag === undefined ? selectorOf(constraint) : { form: 'tag', tag };
  return { requires: 'package', repository, kind, selector, origin, by: undefined };
}

function rule(text: string): Rule {
  return { selector: { form: 'range', text }, origin: { file: 'xpkg.yaml' } };
}
