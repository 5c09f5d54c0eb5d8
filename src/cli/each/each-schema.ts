import { shardFields } from '../output/schemas/fields.js';
import { count, oneOf, outputSchema, record, text } from '../output/schemas/parts.js';

/** What a line of JSON has with `--each`, beside what the command prints for one set. */
export const EACH_OUTPUT_SCHEMA = outputSchema(
  'COMMAND --each -o json, a line: these fields, and those of COMMAND-output, error-output or mismatch-output',
  {
    set: text('File of the set.'),
    exitCode: oneOf(
      [0, 1, 2, 3, 4, 5, 6, 7],
      'Exit code that the command has for the set; that of the process is the worst: 1, 2, 5, 7, 3, 4, 6, 0.',
    ),
    headline: text('How it went, in one line.'),
    'shard?': record(
      {
        ...shardFields,
        sets: count('How many sets all parts have together.'),
      },
      'With `--shard`: which part of the sets was run.',
    ),
    'status?': text(
      'As of the command; `passed-over`: it has none of the packages that were named.',
    ),
  },
);
