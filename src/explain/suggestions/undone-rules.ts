import { formatOrigin } from '../../model/input-error.js';
import type { Repository } from '../../model/package.js';
import { selectorText } from '../../model/selector.js';
import { proofFacts } from '../proof-facts.js';
import type { Proposal, Stuck } from './proposal.js';

/** An exclusion or an override of the user's own is undone. */
export function* undoneRules(stuck: Stuck): Generator<Proposal> {
  yield* withoutExclusions(stuck);
  yield* withoutOverrides(stuck);
}

function* withoutExclusions({ problem, targets, proof }: Stuck): Generator<Proposal> {
  for (const fact of proofFacts(proof)) {
    if (fact.fact !== 'excluded') continue;
    const subject = proof.encoder.subject(fact.of.variable);
    if (subject.about !== 'package') continue;
    const { repository } = subject;
    const { selector, origin } = fact.rule;
    const rules = (problem.exclude.get(repository) ?? []).filter((rule) => rule !== fact.rule);
    yield {
      end: `no exclusion of ${repository}`,
      targets,
      problem: { ...problem, exclude: new Map([...problem.exclude, [repository, rules]]) },
      put: () => ({
        text: `do not exclude ${repository} \`${selectorText(selector)}\` (${formatOrigin(origin)})`,
        edits: [{ edit: 'remove', at: origin }],
      }),
    };
  }
}

function* withoutOverrides({ problem, targets, proof }: Stuck): Generator<Proposal> {
  const involved = new Set<Repository>();
  for (const fact of proofFacts(proof)) {
    if (fact.fact !== 'root' && fact.fact !== 'requires') continue;
    const subject = proof.encoder.subject(fact.on.variable);
    if (subject.about === 'package') involved.add(subject.repository);
  }
  for (const [repository, { selector, origin }] of problem.overrides) {
    if (!involved.has(repository)) continue;
    const overrides = new Map(problem.overrides);
    overrides.delete(repository);
    yield {
      end: `no override of ${repository}`,
      targets,
      problem: { ...problem, overrides },
      put: () => ({
        text: `do not override ${repository} to \`${selectorText(selector)}\` (${formatOrigin(origin)})`,
        edits: [{ edit: 'remove', at: origin }],
      }),
    };
  }
}
