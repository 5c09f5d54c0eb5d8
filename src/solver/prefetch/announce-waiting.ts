import { ABSENT } from '../incompatibility.js';
import { preferredValue } from '../preferred-value.js';
import type { Solving } from '../question.js';
import type { SolverState } from '../solver-state.js';
import { announcePackages } from './announce-packages.js';
import type { Prospect } from './prefetchable.js';
import { walkedVersions } from './walked-versions.js';

/**
 * Says which versions will probably be read next: those of packages that wait for a decision, and
 * more of the one that is being decided on `value`.
 */
export function* announceWaiting(
  state: SolverState,
  { subject, value }: Pick<Prospect, 'subject' | 'value'>,
): Solving<void> {
  yield* announcePackages(
    state,
    { subject, value },
    { prospects: () => prospects(state), more: () => walkedVersions(subject, state) },
  );
}

/** What would be decided now, from the head of the queue on; after a conflict that is no guide. */
function* prospects(state: SolverState): Iterable<Prospect> {
  if (state.effort.conflicts > 0) return;
  for (const variable of state.queue.waiting()) {
    const subject = state.encoder.subject(variable);
    const value = preferredValue(variable, state);
    if (subject.about !== 'package' || value === undefined || value === ABSENT) continue;
    yield { subject, value, certain: state.search.allowed(variable).only !== undefined };
  }
}
