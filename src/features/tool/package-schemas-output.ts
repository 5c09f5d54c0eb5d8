import {
  anything,
  count,
  crossplane,
  flag,
  kind,
  list,
  locked,
  notes,
  oneOf,
  outputSchema,
  place,
  record,
  severity,
  source,
  text,
  texts,
  version,
} from '../../cli/kit/json-schema.js';
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

const clusterFinding = record(
  {
    rule: text('Name of the rule.'),
    severity,
    ...place,
    text: text('What is wrong, and why it hurts.'),
    'fix?': text('What to do.'),
  },
  'Something found in a cluster.',
);

/** Documents of commands about a cluster. */
export const CLUSTER_SCHEMAS = {
  'import-output': outputSchema('import -o json', {
    status: { const: 'imported', description: 'What is installed was taken over.' },
    crossplane,
    packages: list(
      record({
        ...locked,
        'digest?': text('Digest of the image; absent: no source was asked, or none knows it.'),
        kind,
        name: text('Name of the object.'),
      }),
      'What is installed, by source.',
    ),
    undigested: count('How many are locked without a digest.'),
    files: list(
      record({ file: text('File that is written.'), text: text('What is in it.') }),
      'Files that are written.',
    ),
    findings: list(clusterFinding, 'What is wrong with the cluster, worst first.'),
  }),
  'drift-output': outputSchema('drift -o json', {
    status: oneOf(['same', 'drifted'], 'Whether the cluster is as locked, and nothing is wrong.'),
    crossplane,
    differences: list(
      record({
        kind: text('What differs.'),
        'source?': source,
        'file?': text('Dump that it stands in.'),
        'line?': count('Line in that file, from 1.'),
        text: text('How it differs.'),
        'locked?': text('What is locked.'),
        'found?': text('What is in the cluster.'),
        fix: text('What to do.'),
      }),
      'What is otherwise in the cluster than it is locked.',
    ),
    findings: list(clusterFinding, 'What is wrong with the cluster by itself, worst first.'),
    notes,
  }),
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
  'push-output': outputSchema('push -o json', {
    reference: text('Where it is.'),
    digest: text('Digest of what was pushed.'),
    pinned: text('Reference to exactly this.'),
  }),
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
