import type { Problem } from '../problem.js';
import type { Announcements } from '../prefetch/announcements.js';
import type { Search } from '../search.js';
import type { Statements } from './statements.js';
import type { Subjects } from './subjects.js';

/** What all parts of the encoder share. */
export interface EncoderContext {
  readonly problem: Problem;
  readonly search: Search;
  readonly subjects: Subjects;
  readonly statements: Statements;
  readonly announcements: Announcements;
}
