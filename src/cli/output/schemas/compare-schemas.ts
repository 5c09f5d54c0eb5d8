import type { Schema } from '../../../text/json-schema.js';
import { DIFF_OUTPUT_SCHEMA } from '../diff/diff-json.js';
import { answerFields, answerParts } from './answer-fields.js';
import { notes, owned, source } from './fields.js';
import { list, oneOf, outputSchema, record, text, texts } from './parts.js';

const { explanation, core } = answerFields;

const { $defs } = answerParts;

const planStep = record(
  {
    apply: texts('What is applied, `SOURCE@VERSION`, dependencies first.'),
    remove: texts('What is removed, `SOURCE@VERSION`, dependents first.'),
    'crossplane?': text('Crossplane release that is upgraded to; absent: it stays.'),
    'handOvers?': list(
      record({
        ...(owned['properties'] as Readonly<Record<string, Schema>>),
        from: source,
        to: source,
      }),
      'Objects that pass from one package to another.',
    ),
    commands: texts('What to run, in this order.'),
    warnings: texts('What would be deleted, or may go wrong.'),
    because: texts('Why it is not part of the step before.'),
  },
  'What goes together; everything is healthy again before the next step.',
);

/** What `-o json` prints, of commands that compare two sets. */
export const COMPARE_SCHEMAS = {
  'diff-output': DIFF_OUTPUT_SCHEMA,
  'plan-output': {
    ...outputSchema('plan -o json', {
      status: oneOf(['planned', 'unsolvable', 'gave-up'], 'Whether there is an order.'),
      'steps?': list(planStep, 'What to do, in this order; absent: there is no order.'),
      'notes?': notes,
      'explanation?': explanation!,
      'core?': core!,
      'suggestions?': list(
        record({
          text: text('What would help.'),
          args: texts('Flags to add.'),
          steps: list(planStep, 'The plan with them.'),
        }),
        'Versions in between with which there is an order.',
      ),
    }),
    $defs,
  },
} as const;
