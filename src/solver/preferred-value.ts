import { ABSENT, FIRST, type Variable } from './incompatibility.js';
import type { ApiSubject } from './encoder/subject.js';
import type { SolverState } from './solver-state.js';

/**
 * The value to decide a variable on: of those that nothing known forbids, the most preferred.
 *
 * undefined: only versions that no list has named yet are left.
 */
export function preferredValue(variable: Variable, state: SolverState): number | undefined {
  const allowed = state.search.allowed(variable);
  // The requirement that put it in the queue forbids absence, unless that fact is left out.
  if (allowed.has(ABSENT)) return ABSENT;
  return preference(variable, state).find((value) => allowed.has(value));
}

function preference(variable: Variable, state: SolverState): readonly number[] {
  const subject = state.encoder.subject(variable);
  switch (subject.about) {
    case 'package':
      return subject.versions.preference();
    case 'crossplane':
      return state.problem.releases.map((_, i) => FIRST + i);
    case 'api':
      return ownerPreference(subject, state);
    case 'local':
      return [FIRST];
  }
}

/** A package chosen already, then one that is locked, then by name. */
function ownerPreference({ owners }: ApiSubject, { queue, problem }: SolverState): number[] {
  const rank = (i: number) => {
    const { variable, repository } = owners[i]!;
    if (queue.value(variable) !== undefined) return 0;
    return problem.locked.has(repository) ? 1 : 2;
  };
  return owners
    .map((_, i) => i)
    .sort((a, b) => rank(a) - rank(b) || a - b)
    .map((i) => FIRST + i);
}
