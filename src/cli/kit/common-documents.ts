import {
  constant,
  count,
  mismatches,
  outputSchema,
  record,
  type Static,
  text,
} from './json-schema.js';
import { EXIT } from './command.js';

/** What `-o json` prints for every command that fails. */
export const ERROR_OUTPUT = outputSchema('COMMAND -o json, failing', {
  status: constant('error', 'The command failed.'),
  exitCode: count('Exit code of the process.'),
  error: record(
    {
      message: text('What is wrong; several problems of a file have a line each.'),
      'file?': text('File that it stands in, or `command line`.'),
      'line?': count('Line in that file, from 1.'),
      'hint?': text('What to do.'),
    },
    'What went wrong.',
  ),
});

/** An `ERROR_OUTPUT` document without `schemaVersion`. */
export type ErrorDocument = Static<typeof ERROR_OUTPUT>;

/** What `-o json` prints for every command whose lockfile or rendered manifests are not up to date. */
export const MISMATCH_OUTPUT = outputSchema(
  'COMMAND -o json, where a lockfile or bundle is not true',
  {
    status: constant('mismatch', 'What is locked is missing, stale or not so.'),
    exitCode: constant(EXIT.lockMismatch, 'Exit code of the process.'),
    mismatches,
  },
);

/** A `MISMATCH_OUTPUT` document without `schemaVersion`. */
export type MismatchOutputDocument = Static<typeof MISMATCH_OUTPUT>;
