import { ABSENT, FIRST, type Variable } from './incompatibility.js';
import type { ChosenOwner, Selected, Solution } from './search-result.js';
import type { SolverState } from './solver-state.js';

/** The answer that a queue without waiting variables holds. */
export function solutionOf(state: SolverState): Solution {
  const { encoder, queue, effort } = state;
  return {
    status: 'solved',
    release: queue.value(encoder.crossplane)! - FIRST,
    selected: queue.decided().flatMap((variable) => selected(variable, state)),
    owners: queue.decided().flatMap((variable) => chosenOwner(variable, state)),
    effort,
  };
}

/** A package and its version; nothing for other variables and for packages left out. */
function selected(variable: Variable, { encoder, queue }: SolverState): Selected[] {
  const subject = encoder.subject(variable);
  const value = queue.value(variable)!;
  if (subject.about !== 'package' || value === ABSENT) return [];
  const { repository, versions, metas } = subject;
  return [{ repository, version: versions.label(value), meta: metas.get(value)! }];
}

/** The owner of a CRD; nothing where there was no choice. */
function chosenOwner(variable: Variable, { encoder, queue }: SolverState): ChosenOwner[] {
  const subject = encoder.subject(variable);
  const value = queue.value(variable)!;
  if (subject.about !== 'api' || value === ABSENT || subject.owners.length < 2) return [];
  const repositories = subject.owners.map(({ repository }) => repository);
  const [owner] = repositories.splice(value - FIRST, 1);
  return [{ demand: subject.demand, owner: owner!, others: repositories }];
}
