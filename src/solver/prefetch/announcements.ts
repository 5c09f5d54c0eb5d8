import { ask, type Solving, type Upcoming } from '../question.js';

/** What a search says it will ask next, as long as the driver makes use of it. */
export class Announcements {
  /** false: all is answered at once, and what comes next need not be found out. */
  areHeeded = true;

  *say(next: () => Upcoming): Solving<void> {
    this.areHeeded = yield* ask({ ask: 'expect', next });
  }
}
