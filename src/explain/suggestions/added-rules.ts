import type { Repository } from '../../model/package.js';
import { parseReference } from '../../model/reference.js';
import { ANY, type Selector } from '../../model/selector.js';
import type { Problem } from '../../solver/problem.js';
import { proofFacts } from '../proof-facts.js';
import { versionIn, type Proposal, type Stuck } from './proposal.js';

/** One package from two registries: every requirement takes it from one of them. */
export function* replacements({ problem, targets, proof }: Stuck): Generator<Proposal> {
  for (const fact of proofFacts(proof)) {
    if (fact.fact !== 'owns') continue;
    const [a, b] = [fact.one, fact.other].map(({ variable }) => proof.encoder.subject(variable));
    if (a?.about !== 'package' || b?.about !== 'package') continue;
    if (lastPart(a.repository) !== lastPart(b.repository)) continue;
    for (const [from, to] of [
      [a.repository, b.repository],
      [b.repository, a.repository],
    ] as const) {
      if (!isFree(from, problem)) continue;
      yield {
        end: `one registry for ${[from, to].sort().join(' ')}`,
        targets,
        problem: { ...problem, replace: new Map([...problem.replace, [from, to]]) },
        put: () => ({
          text: `take both from one ${placeApart(from, to)}: replace ${from} with ${to} (\`spec.replace\`)`,
          edits: [{ edit: 'replace', repository: from, with: to }],
        }),
      };
    }
  }
}

/** What tells two repositories of one package apart. */
function placeApart(one: Repository, other: Repository): string {
  return one.split('/')[0] === other.split('/')[0] ? 'organisation' : 'registry';
}

/** Whether the user replaces neither this package nor another with it. */
function isFree(repository: Repository, { replace }: Problem): boolean {
  return !replace.has(repository) && ![...replace.values()].includes(repository);
}

/** A package that others ask for takes a version that they did not ask for. */
export function* overrides({ problem, targets, proof }: Stuck): Generator<Proposal> {
  const asked = new Set<Repository>();
  for (const fact of proofFacts(proof)) {
    if (fact.fact !== 'requires') continue;
    const subject = proof.encoder.subject(fact.on.variable);
    if (subject.about !== 'package' || asked.has(subject.repository)) continue;
    const { repository } = subject;
    asked.add(repository);
    if (problem.overrides.has(repository)) continue;
    yield {
      end: `an override of ${repository}`,
      targets,
      problem: overriding(problem, repository, ANY),
      put: (solution) => {
        const version = versionIn(solution, repository)!;
        return {
          text: `override ${repository} to \`${version}\` (\`spec.overrides\`), against what others ask for`,
          edits: [{ edit: 'override', repository, version }],
          problem: overriding(problem, repository, { form: 'range', text: version }),
        };
      },
    };
  }
}

function overriding(problem: Problem, repository: Repository, selector: Selector): Problem {
  const rule = { selector, origin: { file: 'overrides' } };
  return { ...problem, overrides: new Map([...problem.overrides, [repository, rule]]) };
}

function lastPart(repository: Repository): string {
  return parseReference(repository)?.path.split('/').at(-1) ?? repository;
}
