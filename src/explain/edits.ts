import { formatOrigin } from '../model/input-error.js';
import type { Repository } from '../model/package.js';
import { parseReference } from '../model/reference.js';
import { selectorText, type Selector } from '../model/selector.js';
import { groupByRules } from '../model/target/target-choice.js';
import { otherReleases, type Target } from '../model/target/target.js';
import { effectiveRepository } from '../solver/effective.js';
import type { Fact } from '../solver/fact.js';
import type { Problem, RootPackage } from '../solver/problem.js';
import type { Proof, Solution } from '../solver/search-result.js';
import { proofFacts } from './proof-facts.js';

/** Any version. */
const ANY: Selector = { form: 'range', text: '*' };

/** A change to the problem, and how to put it once the changed problem has been solution. */
interface Edit {
  /** Of edits that serve the same end, the first that works is enough. */
  readonly end: string;
  readonly problem: Problem;
  readonly targets: readonly Target[];
  say(solution: Solution): string;
}

/** What a suggestion is drawn from. */
export interface Stuck {
  readonly problem: Problem;
  readonly targets: readonly Target[];
  readonly proof: Proof;
  /** The problem as other releases would have it; those with the same rules in one. */
  readonly problemFor: (targets: readonly Target[]) => Problem | undefined;
}

/** Part of step 4: what might help, cheapest first. */
export function* edits(stuck: Stuck): Generator<Edit> {
  const facts = proofFacts(stuck.proof);
  const roots = facts.flatMap((fact) => (fact.fact === 'root' ? [fact.root] : []));
  yield* roots.map((root) => otherVersion(stuck, root));
  yield* twins(stuck, facts);
  yield* otherTargets(stuck, facts);
  yield* admittedPrereleases(stuck, facts);
  yield* withoutExclusions(stuck, facts);
  yield* overrides(stuck, facts);
  if (facts.some((fact) => fact.fact === 'cycle')) yield withCycles(stuck);
  yield* roots.map((root) => withoutRoot(stuck, root));
}

/** A root takes any version that works. */
function otherVersion({ problem, targets }: Stuck, root: RootPackage): Edit {
  const repository = effectiveRepository(problem, root.repository);
  return {
    end: `another version of root ${problem.roots.indexOf(root)}`,
    targets,
    problem: {
      ...problem,
      roots: problem.roots.map((each) => (each === root ? { ...root, selector: ANY } : each)),
    },
    say: (solution) =>
      `ask for ${root.repository} \`${versionIn(solution, repository)}\` instead of \`${selectorText(root.selector)}\` (${formatOrigin(root.origin)})`,
  };
}

/** One package from two registries: every requirement takes it from one of them. */
function* twins({ problem, targets, proof }: Stuck, facts: readonly Fact[]): Generator<Edit> {
  for (const fact of facts) {
    if (fact.fact !== 'owns') continue;
    const [a, b] = [fact.one, fact.other].map(({ variable }) => proof.encoder.subject(variable));
    if (a?.about !== 'package' || b?.about !== 'package') continue;
    if (lastPart(a.repository) !== lastPart(b.repository)) continue;
    for (const [from, to] of [
      [a.repository, b.repository],
      [b.repository, a.repository],
    ] as const) {
      yield {
        end: `one registry for ${[from, to].sort().join(' ')}`,
        targets,
        problem: { ...problem, replace: new Map([...problem.replace, [from, to]]) },
        say: () => `take both from one registry: replace ${from} with ${to} (\`spec.replace\`)`,
      };
    }
  }
}

/** The nearest other Crossplane that would do: newer ones first. */
function* otherTargets({ targets, problemFor }: Stuck, facts: readonly Fact[]): Generator<Edit> {
  const crossplaneMatters = facts.some(
    (fact) => fact.fact === 'crossplane' || fact.fact === 'owns' || fact.fact === 'rejected',
  );
  if (!crossplaneMatters) return;
  for (const group of groupByRules(otherReleases(targets[0]!))) {
    const problem = problemFor(group);
    if (problem === undefined) continue;
    yield {
      end: 'another Crossplane',
      targets: group,
      problem,
      say: (solution) =>
        `resolve for Crossplane ${group[solution.release]!.version} (\`--crossplane\`)`,
    };
  }
}

function* admittedPrereleases(
  { problem, targets, proof }: Stuck,
  facts: readonly Fact[],
): Generator<Edit> {
  for (const fact of facts) {
    if (fact.fact !== 'requires' && fact.fact !== 'root') continue;
    const subject = proof.encoder.subject(fact.on.variable);
    if (subject.about !== 'package' || !fact.on.values.isEmpty) continue;
    const { repository } = subject;
    yield {
      end: `prereleases of ${repository}`,
      targets,
      problem: { ...problem, prereleases: new Set([...problem.prereleases, repository]) },
      say: (solution) =>
        `admit prereleases of ${repository} (\`--prerelease ${repository}\`): \`${versionIn(solution, repository)}\` would be taken`,
    };
  }
}

function* withoutExclusions(
  { problem, targets, proof }: Stuck,
  facts: readonly Fact[],
): Generator<Edit> {
  for (const fact of facts) {
    if (fact.fact !== 'excluded') continue;
    const subject = proof.encoder.subject(fact.of.variable);
    if (subject.about !== 'package') continue;
    const exclude = new Map(problem.exclude);
    const rules = exclude.get(subject.repository) ?? [];
    exclude.set(
      subject.repository,
      rules.filter((rule) => rule !== fact.rule),
    );
    yield {
      end: `no exclusion of ${subject.repository}`,
      targets,
      problem: { ...problem, exclude },
      say: () =>
        `do not exclude ${subject.repository} \`${selectorText(fact.rule.selector)}\` (${formatOrigin(fact.rule.origin)})`,
    };
  }
}

/** A package that others ask for takes a version that they did not ask for. */
function* overrides({ problem, targets, proof }: Stuck, facts: readonly Fact[]): Generator<Edit> {
  const asked = new Set<Repository>();
  for (const fact of facts) {
    if (fact.fact !== 'requires') continue;
    const subject = proof.encoder.subject(fact.on.variable);
    if (subject.about !== 'package' || asked.has(subject.repository)) continue;
    const { repository } = subject;
    asked.add(repository);
    const rule = { selector: ANY, origin: { file: 'overrides' } };
    yield {
      end: `an override of ${repository}`,
      targets,
      problem: { ...problem, overrides: new Map([...problem.overrides, [repository, rule]]) },
      say: (solution) =>
        `override ${repository} to \`${versionIn(solution, repository)}\` (\`spec.overrides\`), against what others ask for`,
    };
  }
}

function withCycles({ problem, targets }: Stuck): Edit {
  return {
    end: 'a cycle',
    targets,
    problem: { ...problem, allowCycles: true },
    say: () =>
      'allow the cycle (`--allow-cycles`); the cluster must then skip dependency resolution',
  };
}

function withoutRoot({ problem, targets }: Stuck, root: RootPackage): Edit {
  return {
    end: `without root ${problem.roots.indexOf(root)}`,
    targets,
    problem: { ...problem, roots: problem.roots.filter((each) => each !== root) },
    say: () => `leave out ${root.repository} (${formatOrigin(root.origin)})`,
  };
}

function versionIn(solution: Solution, repository: Repository): string {
  return solution.selected.find((one) => one.repository === repository)?.version ?? 'none';
}

function lastPart(repository: Repository): string {
  return parseReference(repository)?.path.split('/').at(-1) ?? repository;
}
