import {
  CLUSTER_SCHEMAS,
  COMPARE_SCHEMAS,
  PACKAGE_SCHEMAS,
  SUPPLY_SCHEMAS,
} from './package-schemas-output.js';
import { SET_SCHEMAS } from './project-schemas-output.js';
import type { Schema } from '../../base/json-schema.js';
import { command, EXIT } from '../../cli/kit/command.js';
import {
  count,
  oneOf,
  outputSchema,
  record,
  shardFields,
  text,
} from '../../cli/kit/json-schema.js';
import { PACKAGE_SET_SCHEMA } from '../../project/inputs/package-set-schema.js';
import { LOCKFILE_SCHEMA } from '../../project/lockfile/lockfile-schema.js';
import { INDEX_SCHEMA } from '../../sources/index/index-schema.js';
import { FLEET_OUTPUT_SCHEMA } from '../projects/fleet-output.js';
import { initOutput } from '../edit/init-output.js';
import { answerOutput } from '../resolve/answer-output.js';
import { answerFields } from '../resolve/answer-schema-output.js';

/** Fields that `--each` adds to the JSON line of a project. */
const EACH_OUTPUT_SCHEMA = outputSchema(
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

const { mismatches } = answerFields;

/** Schemas of `-o json` documents, by the name that `schema` takes. */
export const OUTPUT_SCHEMAS = {
  'resolve-output': answerOutput.schema,
  'error-output': outputSchema('COMMAND -o json, failing', {
    status: { const: 'error', description: 'The command failed.' },
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
  }),
  'mismatch-output': outputSchema('COMMAND -o json, where a lockfile or bundle is not true', {
    status: { const: 'mismatch', description: 'What is locked is missing, stale or not so.' },
    exitCode: { const: 4, description: 'Exit code of the process.' },
    mismatches: mismatches,
  }),
  'each-output': EACH_OUTPUT_SCHEMA,
  'fleet-output': FLEET_OUTPUT_SCHEMA,
  'init-output': initOutput.schema,
  ...SET_SCHEMAS,
  ...COMPARE_SCHEMAS,
  ...PACKAGE_SCHEMAS,
  ...CLUSTER_SCHEMAS,
  ...SUPPLY_SCHEMAS,
} as const satisfies Readonly<Record<string, Schema>>;

const SCHEMAS = {
  'package-set': PACKAGE_SET_SCHEMA,
  lockfile: LOCKFILE_SCHEMA,
  index: INDEX_SCHEMA,
  ...OUTPUT_SCHEMAS,
};

const NAMES = Object.keys(SCHEMAS) as (keyof typeof SCHEMAS)[];

export const schemaCommand = command({
  positionals: {
    document: {
      choices: NAMES,
      demandOption: true,
      describe: 'Whose schema: of an input, of the lockfile, or of what a command prints as JSON',
    },
  },
  flags: {},
  examples: [['$0 schema package-set > package-set.schema.json', 'for an editor to check against']],
  run: async ({ document }, io) => {
    io.out(`${JSON.stringify(SCHEMAS[document], null, 2)}\n`);
    return EXIT.done;
  },
});
