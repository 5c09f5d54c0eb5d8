import { source, version } from './fields.js';
import { count, list, oneOf, outputSchema, record, text, texts } from './parts.js';

/** Of what `index` and its verbs print with `-o json`; `index push` prints what `push` does. */
export const INDEX_OUTPUT_SCHEMAS = {
  'index-output': outputSchema('index -o json', {
    file: text('File or folder that was written.'),
    'digest?': text('Of an index in parts: which state of it this is.'),
    packages: count('Packages in it.'),
    versions: count('Versions in it.'),
  }),
  'index-update-output': outputSchema('index update -o json', {
    place: text('Index that was updated.'),
    'digest?': text('Of an index in parts: which state of it this is.'),
    'sent?': count('Of an index in parts: parts that were written.'),
    packages: list(
      record({
        source,
        added: texts('Versions that are new.'),
        removed: texts('Versions that are gone.'),
        moved: texts(
          'Versions whose tag points at another image, or of which the index said otherwise.',
        ),
      }),
      'Packages that changed.',
    ),
  }),
  'index-verify-output': outputSchema('index verify -o json', {
    status: oneOf(['verified', 'mismatch'], 'Whether the index says what its sources say.'),
    'exitCode?': { const: 4, description: 'Exit code of the process, where it is not 0.' },
    place: text('Index that was compared.'),
    'digest?': text('Of an index in parts: which state of it was compared.'),
    packages: count('Packages that were compared.'),
    mismatches: list(
      record({
        kind: oneOf(['tag-moved', 'gone', 'new', 'content', 'tables'], 'Sort of difference.'),
        'source?': source,
        'version?': version,
        text: text('What differs.'),
      }),
      'Differences.',
    ),
  }),
} as const;
