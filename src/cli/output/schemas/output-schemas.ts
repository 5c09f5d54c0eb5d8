import type { Schema } from '../../../text/json-schema.js';
import { FLEET_OUTPUT_SCHEMA } from '../fleet/fleet-json.js';
import { EACH_OUTPUT_SCHEMA } from '../../each/each-schema.js';
import { RESOLVE_OUTPUT_SCHEMA } from '../answer/answer-schema.js';
import { answerFields } from './answer-fields.js';
import { CLUSTER_SCHEMAS } from './cluster-schemas.js';
import { COMPARE_SCHEMAS } from './compare-schemas.js';
import { PACKAGE_SCHEMAS } from './package-schemas.js';
import { count, outputSchema, record, text } from './parts.js';
import { SET_SCHEMAS } from './set-schemas.js';
import { SUPPLY_SCHEMAS } from './supply-schemas.js';

const { mismatches } = answerFields;

/** By the name that `schema` takes, the schema of what a command prints with `-o json`. */
export const OUTPUT_SCHEMAS = {
  'resolve-output': RESOLVE_OUTPUT_SCHEMA,
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
    mismatches: mismatches!,
  }),
  'each-output': EACH_OUTPUT_SCHEMA,
  'fleet-output': FLEET_OUTPUT_SCHEMA,
  'init-output': outputSchema('init -o json', {
    status: { const: 'solved', description: 'What it asks for has an answer.' },
    file: text('File that is written.'),
    text: text('What is in it.'),
  }),
  ...SET_SCHEMAS,
  ...COMPARE_SCHEMAS,
  ...PACKAGE_SCHEMAS,
  ...CLUSTER_SCHEMAS,
  ...SUPPLY_SCHEMAS,
} as const satisfies Readonly<Record<string, Schema>>;
