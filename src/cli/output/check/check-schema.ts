import { crossplane, severity } from '../schemas/fields.js';
import { count, list, oneOf, outputSchema, record, text } from '../schemas/parts.js';
import { CHECK_STEPS } from './check.js';

/** Of what `check -o json` prints. */
export const CHECK_OUTPUT_SCHEMA = outputSchema('check -o json', {
  status: oneOf(['passed', 'failed'], 'Whether every step passed, or was skipped.'),
  exitCode: count('Exit code of the process: that of the first step that failed.'),
  'crossplane?': crossplane,
  steps: list(
    record({
      name: oneOf(CHECK_STEPS, 'Name of the step.'),
      status: oneOf(['passed', 'failed', 'skipped'], 'How it went.'),
      exitCode: count('Exit code of the step; 0 where it passed or was skipped.'),
      text: text('How it went, in one line.'),
      findings: list(
        record({
          rule: text('Name of the rule.'),
          severity,
          'file?': text('File that it stands in; absent: in none.'),
          'line?': count('Line in that file, from 1.'),
          text: text('What was found; its first line says what it is.'),
          'fix?': text('What to do.'),
        }),
        'What was found.',
      ),
    }),
    'The steps, in the order of the table.',
  ),
  stats: record({ bytes: count('Bytes read from the network.') }, 'What it took.'),
});
