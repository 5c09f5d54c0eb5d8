import { formatOrigin } from '../../model/input-error.js';
import type { Candidate, Repository } from '../../model/package.js';
import type { Ruling } from '../../model/policy/ruling.js';
import type { PolicyRules, Problem } from '../../solver/problem.js';
import { proofFacts } from '../proof-facts.js';
import { andList } from '../sentences/word-list.js';
import type { Proposal, Stuck } from './proposal.js';

/** Something that a policy forbids is let in. What it forbids of whole registries is not tried. */
export function* policyExceptions(stuck: Stuck): Generator<Proposal> {
  yield* ofAnyAge(stuck);
  yield* withoutDenials(stuck);
}

type AgeRuling = Extract<Ruling, { by: 'age' | 'unknown-age' }>;

/** Releases that are too young, or of unknown age, are named as exceptions. */
function* ofAnyAge({ problem, targets, proof }: Stuck): Generator<Proposal> {
  const first = proofFacts(proof).find((fact) => fact.fact === 'ruled-out' && isOfAge(fact.ruling));
  if (first?.fact !== 'ruled-out') return;
  const { origin } = first.ruling;
  const waived = new Map<string, AgeRuling>();
  const waives = (ruling: Ruling, repository: Repository, version: string | undefined) => {
    if (!isOfAge(ruling) || formatOrigin(ruling.origin) !== formatOrigin(origin)) return false;
    waived.set(`${repository}\n${version}`, ruling);
    return true;
  };
  yield {
    end: 'exceptions from an age',
    targets,
    problem: waiving(problem, waives),
    put: ({ selected }) => {
      const versions = selected.flatMap(({ repository, version }): Candidate[] =>
        waived.has(nameOf({ repository, version })) ? [{ repository, version }] : [],
      );
      const names = new Set(versions.map(nameOf));
      return {
        text: exceptionText(versions.map((each) => ({ ...each, ...waived.get(nameOf(each))! }))),
        edits: [{ edit: 'age-exceptions', at: origin, versions }],
        problem: waiving(
          problem,
          (ruling, repository, version) =>
            names.has(`${repository}\n${version}`) && waives(ruling, repository, version),
        ),
      };
    },
  };
}

function isOfAge(ruling: Ruling): ruling is AgeRuling {
  return ruling.by === 'age' || ruling.by === 'unknown-age';
}

/** Which versions are let in, and when there would be no need to. */
function exceptionText(versions: readonly (Candidate & AgeRuling)[]): string {
  const names = andList(versions.map(({ repository, version }) => `${repository} \`${version}\``));
  const dates = versions.flatMap((each) => (each.by === 'age' ? [each.from] : []));
  const latest = dates.sort().at(-1);
  const wait =
    latest === undefined || dates.length < versions.length ? '' : `, or wait until ${latest}`;
  return `let ${names} in whatever the age (\`minimumAgeExcept\`)${wait}`;
}

/** What is denied is no longer. */
function* withoutDenials({ problem, targets, proof }: Stuck): Generator<Proposal> {
  for (const fact of proofFacts(proof)) {
    if (fact.fact !== 'ruled-out' || fact.ruling.by !== 'deny') continue;
    const subject = proof.encoder.subject(fact.of.variable);
    if (subject.about !== 'package') continue;
    const { origin } = fact.ruling;
    const place = formatOrigin(origin);
    yield {
      end: `no denial at ${place}`,
      targets,
      problem: waiving(
        problem,
        (ruling) => ruling.by === 'deny' && formatOrigin(ruling.origin) === place,
      ),
      put: () => ({
        text: `do not deny ${subject.repository} (${place})`,
        edits: [{ edit: 'remove', at: origin }],
      }),
    };
  }
}

function waiving(problem: Problem, waives: NonNullable<PolicyRules['waives']>): Problem {
  return { ...problem, policy: problem.policy && { ...problem.policy, waives } };
}

function nameOf({ repository, version }: Candidate): string {
  return `${repository}\n${version}`;
}
