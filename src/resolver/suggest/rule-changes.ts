import { mustKeepRoots, type Proposal, type SuggestionContext } from './proposal.js';
import { formatOrigin } from '../../base/errors.js';
import { andList } from '../../base/messages.js';
import { ANY, type Selector, selectorText } from '../../crossplane/constraints/constraint.js';
import type { Candidate, Repository } from '../../crossplane/packages/package.js';
import { joinReference } from '../../crossplane/packages/reference.js';
import { packageName, registryOf } from '../../crossplane/packages/repository-names.js';
import { factsOf, packageOf, versionIn } from '../solver/search-result.js';
import {
  effectiveRepository,
  packageRoots,
  type PolicyRules,
  type Problem,
  type Ruling,
} from '../solver/problem.js';

/** Proposes that one of two packages with the same name replaces the other. */
export function* replacements(context: SuggestionContext): Generator<Proposal> {
  const { problem, proof } = context;
  const roots = new Set(packageRoots(problem).map(({ repository }) => repository));
  for (const fact of factsOf(proof, 'owns')) {
    const a = proof.subjects.subject(fact.one.variable);
    const b = proof.subjects.subject(fact.other.variable);
    if (a.about !== 'package' || b.about !== 'package') continue;
    if (packageName(a.repository) !== packageName(b.repository)) continue;
    const areRoots = roots.has(a.repository) && roots.has(b.repository);
    if (areRoots && mustKeepRoots(context)) continue;
    for (const [from, to] of [
      [a.repository, b.repository],
      [b.repository, a.repository],
    ] as const) {
      const replaced = [...problem.replace].flat();
      if (replaced.includes(from) || (roots.has(from) && !areRoots)) continue;
      const place = registryOf(from) === registryOf(to) ? 'organisation' : 'registry';
      yield {
        goal: `one registry for ${[from, to].sort().join(' ')}`,
        problem: { ...problem, replace: new Map([...problem.replace, [from, to]]) },
        describe: () => ({
          text: `take both from one ${place}: replace ${from} with ${to} (\`spec.replace\`)`,
          edits: [{ edit: 'replace', repository: from, with: to }],
          removesRoot: areRoots,
        }),
      };
    }
  }
}

/** Proposes an override of each package that other packages require. */
export function* overrides({ problem, proof }: SuggestionContext): Generator<Proposal> {
  const required = factsOf(proof, 'requires').map(({ on }) => packageOf(on, proof.subjects));
  for (const { repository } of new Set(required)) {
    if (problem.overrides.has(repository)) continue;
    yield {
      goal: `an override of ${repository}`,
      problem: withOverride(problem, repository, namedSelector(repository, problem) ?? ANY),
      describe: (solution) => {
        const version = versionIn(solution, repository)!;
        return {
          text: `override ${repository} to \`${version}\` (\`spec.overrides\`), against what others ask for`,
          edits: [{ edit: 'override', repository, version }],
          problem: withOverride(problem, repository, { form: 'range', text: version }),
        };
      },
    };
  }
}

/** Returns the version of a package that the command names; undefined if it names none. */
function namedSelector(repository: Repository, problem: Problem): Selector | undefined {
  return packageRoots(problem).find(
    (root) => root.isNamed === true && effectiveRepository(problem, root.repository) === repository,
  )?.selector;
}

function withOverride(problem: Problem, repository: Repository, selector: Selector): Problem {
  const rule = { selector, origin: { file: 'overrides' } };
  return { ...problem, overrides: new Map([...problem.overrides, [repository, rule]]) };
}

/** Proposes to remove exclusions of the user. */
export function* removedExclusions({ problem, proof }: SuggestionContext): Generator<Proposal> {
  for (const { of, rule } of factsOf(proof, 'excluded')) {
    if (rule.drops !== undefined) continue;
    const { repository } = packageOf(of, proof.subjects);
    const { selector, origin } = rule;
    const rules = (problem.exclude.get(repository) ?? []).filter((each) => each !== rule);
    yield {
      goal: `no exclusion of ${repository}`,
      problem: { ...problem, exclude: new Map([...problem.exclude, [repository, rules]]) },
      describe: () => ({
        text: `do not exclude ${repository} \`${selectorText(selector)}\` (${formatOrigin(origin)})`,
        edits: [{ edit: 'remove', at: origin }],
      }),
    };
  }
}

/** Proposes to remove overrides of the user. */
export function* removedOverrides({ problem, proof }: SuggestionContext): Generator<Proposal> {
  const required = factsOf(proof, 'root', 'requires').map(({ on }) => on);
  const involved = new Set(required.map((on) => packageOf(on, proof.subjects).repository));
  for (const [repository, { selector, origin }] of problem.overrides) {
    if (!involved.has(repository)) continue;
    const rest = new Map(problem.overrides);
    rest.delete(repository);
    yield {
      goal: `no override of ${repository}`,
      problem: { ...problem, overrides: rest },
      describe: () => ({
        text: `do not override ${repository} to \`${selectorText(selector)}\` (${formatOrigin(origin)})`,
        edits: [{ edit: 'remove', at: origin }],
      }),
    };
  }
}

type AgeRuling = Extract<Ruling, { by: 'age' | 'unknown-age' }>;

/** Proposes to name releases that are too young, or of unknown age, as exceptions. */
export function* ageExceptions({ problem, proof }: SuggestionContext): Generator<Proposal> {
  const first = factsOf(proof, 'ruled-out').find(({ ruling }) => isAboutAge(ruling));
  if (first === undefined) return;
  const { origin } = first.ruling;
  const waived = new Map<string, AgeRuling>();
  const waives: Waives = (ruling, repository, version = '') => {
    if (!isAboutAge(ruling) || formatOrigin(ruling.origin) !== formatOrigin(origin)) return false;
    waived.set(joinReference(repository, version), ruling);
    return true;
  };
  yield {
    goal: 'exceptions from an age',
    problem: withWaivers(problem, waives),
    describe: ({ selected }) => {
      const exceptions = selected.flatMap(({ repository, version }) => {
        const ruling = waived.get(joinReference(repository, version));
        return ruling === undefined ? [] : [{ repository, version, ruling }];
      });
      const versions = exceptions.map(({ repository, version }) => ({ repository, version }));
      const isException: Waives = (ruling, repository, version) =>
        versions.some((one) => one.repository === repository && one.version === version) &&
        waives(ruling, repository, version);
      return {
        text: exceptionText(exceptions),
        edits: [{ edit: 'age-exceptions', at: origin, versions }],
        problem: withWaivers(problem, isException),
      };
    },
  };
}

function isAboutAge(ruling: Ruling): ruling is AgeRuling {
  return ruling.by === 'age' || ruling.by === 'unknown-age';
}

/** Describes exceptions from an age, and the time at which none would be needed. */
function exceptionText(
  exceptions: readonly (Candidate & { readonly ruling: AgeRuling })[],
): string {
  const names = exceptions.map(({ repository, version }) => `${repository} \`${version}\``);
  const dates = exceptions.flatMap(({ ruling }) => (ruling.by === 'age' ? [ruling.from] : []));
  const latest = dates.sort().at(-1);
  const waitText =
    latest === undefined || dates.length < exceptions.length ? '' : `, or wait until ${latest}`;
  return `let ${andList(names)} in whatever the age (\`minimumAgeExcept\`)${waitText}`;
}

/** Proposes to remove denials of policies. */
export function* removedDenials({ problem, proof }: SuggestionContext): Generator<Proposal> {
  for (const { of, ruling } of factsOf(proof, 'ruled-out')) {
    if (!isDenial(ruling)) continue;
    const { repository } = packageOf(of, proof.subjects);
    const place = formatOrigin(ruling.origin);
    yield {
      goal: `no denial at ${place}`,
      problem: withWaivers(
        problem,
        (other) => isDenial(other) && formatOrigin(other.origin) === place,
      ),
      describe: () => ({
        text: `do not deny ${repository} (${place})`,
        edits: [{ edit: 'remove', at: ruling.origin }],
      }),
    };
  }
}

function isDenial({ by }: Ruling): boolean {
  return by === 'deny' || by === 'deny-digest';
}

type Waives = NonNullable<PolicyRules['waives']>;

function withWaivers(problem: Problem, waives: Waives): Problem {
  return { ...problem, policy: problem.policy && { ...problem.policy, waives } };
}

/** Proposes to admit prereleases of each package with a requirement that only these satisfy. */
export function* admittedPrereleases({ problem, proof }: SuggestionContext): Generator<Proposal> {
  for (const fact of factsOf(proof, 'root', 'requires')) {
    const { repository } = packageOf(fact.on, proof.subjects);
    if (!fact.on.values.isEmpty || problem.prereleases.has(repository)) continue;
    const at = fact.fact === 'root' ? fact.root.origin : undefined;
    yield {
      goal: `prereleases of ${repository}`,
      problem: { ...problem, prereleases: new Set([...problem.prereleases, repository]) },
      describe: (solution) => ({
        text: `admit prereleases of ${repository}: \`${versionIn(solution, repository) ?? 'none'}\` would be taken`,
        edits: [{ edit: 'prerelease', at, repository }],
      }),
    };
  }
}

/** Proposes to allow packages that require each other. */
export function* allowedCycles({ problem, proof }: SuggestionContext): Generator<Proposal> {
  if (factsOf(proof, 'cycle').length === 0) return;
  yield {
    goal: 'a cycle',
    problem: { ...problem, allowCycles: true },
    describe: () => ({
      text: 'allow the cycle (`--allow-cycles`)',
      edits: [{ edit: 'allow-cycles' }],
    }),
  };
}
