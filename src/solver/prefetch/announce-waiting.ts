import { ABSENT } from '../incompatibility.js';
import { preferredValue } from '../preferred-value.js';
import type { PackageSubject } from '../encoder/subject.js';
import { ask, type Solving } from '../question.js';
import type { SolverState } from '../solver-state.js';
import { listsFor } from './lists-for.js';
import { prefetchable, type Prospect } from './prefetchable.js';
import { walkedVersions } from './walked-versions.js';

/**
 * Says which versions will probably be read next: those of packages that wait for a decision, and
 * more of the package that is being `decided`.
 */
export function* announceWaiting(state: SolverState, decided: PackageSubject): Solving<void> {
  const next = () => ({
    packages: [...prefetchable(prospects(state)), ...walkedVersions(decided, state)],
    listsFor: listsFor(state),
  });
  yield* ask({ ask: 'expect', next });
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
