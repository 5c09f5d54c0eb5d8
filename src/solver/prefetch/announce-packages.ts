import type { Candidate } from '../../model/package.js';
import type { Solving } from '../question.js';
import type { SolverState } from '../solver-state.js';
import { listsFor } from './lists-for.js';
import { prefetchable, type Prospect } from './prefetchable.js';

interface Guess {
  /** What will probably be read after it, in that order. */
  readonly prospects: () => Iterable<Prospect>;
  /** What may be asked for whether or not others are. */
  readonly more?: () => readonly Candidate[];
}

/**
 * Says which versions will probably be read with the one that is read now.
 *
 * One that was announced with others comes when they do. What these require may rule out what would be
 * announced now, and to look at it first takes no further round.
 */
export function* announcePackages(
  state: SolverState,
  { subject, value }: Pick<Prospect, 'subject' | 'value'>,
  { prospects, more = () => [] }: Guess,
): Solving<void> {
  const { announced } = state;
  const next = () => {
    const now = { repository: subject.repository, version: subject.versions.label(value) };
    const others = announced.has(keyOf(now)) ? [] : prefetchable(prospects());
    for (const each of others) announced.add(keyOf(each));
    return { packages: [...others, ...more()], listsFor: listsFor(state) };
  };
  yield* state.encoder.announcements.say(next);
}

function keyOf({ repository, version }: Candidate): string {
  return `${repository}\n${version}`;
}
