import {
  anything,
  count,
  flag,
  list,
  oneOf,
  outputSchema,
  record,
  source,
  text,
  texts,
  version,
} from '../../cli/kit/json-schema.js';
import { driftOutput, importOutput } from '../cluster/output.js';
import { diffOutput } from '../diff/json-output.js';
import {
  constraintOutput,
  convertOutput,
  inspectOutput,
  searchOutput,
  versionsOutput,
} from '../packages/output.js';
import { lintOutput } from '../lint/package-output.js';
import { imagesOutput, imageSchema } from '../mirror/output.js';
import { pushOutput } from '../render/output.js';
import { planOutput } from '../plan/output.js';

/** Documents of commands about one package. */
export const PACKAGE_SCHEMAS = {
  'versions-output': versionsOutput.schema,
  'search-output': searchOutput.schema,
  'constraint-output': constraintOutput.schema,
  'inspect-output': inspectOutput.schema,
  'lint-output': lintOutput.schema,
  'convert-output': convertOutput.schema,
} as const;

/** Documents of commands that compare two package sets. */
export const COMPARE_SCHEMAS = {
  'diff-output': diffOutput.schema,
  'plan-output': planOutput.schema,
} as const;

/** Documents of commands about a cluster. */
export const CLUSTER_SCHEMAS = {
  'import-output': importOutput.schema,
  'drift-output': driftOutput.schema,
} as const;

/** Schemas of `index` and its verbs; `index push` prints the document of `push`. */
const INDEX_OUTPUT_SCHEMAS = {
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

/** Documents of commands that copy packages. */
export const SUPPLY_SCHEMAS = {
  ...INDEX_OUTPUT_SCHEMAS,
  'images-output': imagesOutput.schema,
  'mirror-output': outputSchema('mirror -o json', {
    to: text('Where the mirror is.'),
    images: list(
      record({
        ...imageSchema,
        to: text('Name at the mirror.'),
        status: oneOf(
          ['copied', 'present', 'missing'],
          '`present`: the mirror had it; `missing`: it would be copied.',
        ),
        'attachments?': count('Signatures and the like that it has; absent: nothing was copied.'),
      }),
      'Every image, by name.',
    ),
    bytes: count('Bytes that were sent.'),
    imageConfigs: list(
      anything('An ImageConfig.'),
      'With which a cluster pulls from the mirror; empty: the release has none that can.',
    ),
    'commands?': texts('With `--dry-run`: what copies the images with another tool.'),
  }),
  'bundle-output': outputSchema('bundle -o json', {
    file: text('File that was written.'),
    images: count('Images in it.'),
    'bytes?': count('Size of the file; absent with `--no-write`.'),
  }),
  'vendor-output': outputSchema('vendor -o json', {
    folder: text('Folder of the layout.'),
    packages: count('Packages in it.'),
    'bytes?': count('Bytes in it; absent with `--no-write`.'),
  }),
  'push-output': pushOutput.schema,
  'cache-output': outputSchema('cache -o json', {
    folder: text('Folder of the cache.'),
    'cleaned?': flag('Whether anything was taken away.'),
    'format?': anything('Version of its format.'),
    'blobs?': anything('Manifests and layers: files and bytes.'),
    'packages?': anything('Parsed packages: files and bytes.'),
    'quarantine?': anything('What is put aside as damaged: files and bytes.'),
    'tagLists?': list(
      record({ name: text('Repository.'), at: text('When it was asked for.') }),
      'Tag lists that are kept.',
    ),
  }),
} as const;
