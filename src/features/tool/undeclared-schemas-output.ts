import {
  anything,
  count,
  crossplane,
  kind,
  list,
  locked,
  notes,
  oneOf,
  outputSchema,
  place,
  record,
  severity,
  shard,
  source,
  text,
  texts,
  version,
} from '../../cli/kit/json-schema.js';
import { imageSchema } from '../mirror/output.js';
import {
  answerFields,
  answerParts,
  RESOLVE_OUTPUT_SCHEMA,
} from '../resolve/answer-schema-output.js';

const { core, suggestions } = answerFields;

const { $defs } = answerParts;

const foundAt = count(
  'With `--shard`: the place of the trial that found it, among those of all parts.',
);

const choice = record(
  {
    'source?': source,
    'version?': text('Version tried; absent: as it is asked for.'),
    'local?': text('Name of a package under development.'),
    'crd?': text('CRD that is asked for.'),
  },
  'A root of an example.',
);

const end = oneOf(['healthy', 'stuck'], 'Whether every package ends installed and healthy.');

const conditions = list(
  record({
    kind: text('Kind of the package, or `Lock`.'),
    name: text('Name of the object.'),
    type: oneOf(['Installed', 'Healthy', 'Resolved'], 'Type of the condition.'),
    status: oneOf(['True', 'False', 'Unknown'], 'Its status.'),
    'message?': text('What it says.'),
  }),
  'What objects say of themselves at the end.',
);

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

/** Documents of commands that print by themselves, by name. */
export const UNDECLARED_SCHEMAS = {
  'resolve-output': RESOLVE_OUTPUT_SCHEMA,
  'init-output': outputSchema('init -o json', {
    status: { const: 'solved', description: 'What it asks for has an answer.' },
    file: text('File that is written.'),
    text: text('What is in it.'),
  }),
  'render-output': outputSchema('render -o json', {
    status: oneOf(
      ['rendered', 'matched'],
      'Files were written (not with `--no-write`), or are as they should be.',
    ),
    crossplane,
    files: texts('Files of the bundle.'),
  }),
  'simulate-output': outputSchema('simulate -o json', {
    crossplane,
    end,
    steps: list(
      record({
        package: text('OCI repository; `Lock`: it is about no package in particular.'),
        'version?': version,
        because: text('Which package requires it, by which constraint; or that it is applied.'),
        result: text(
          'What came of it; where it is stuck, the message that users of a cluster read.',
        ),
      }),
      'What happens, in that order.',
    ),
    lock: list(anything('A row, as the release writes it.'), 'Rows of the Lock at the end.'),
    conditions,
    hidden: list(
      record({
        revision: text('Revision that brings an XRD or MRD.'),
        crd: text('CRD that it cannot make.'),
        controller: text('Whose CRD it is.'),
      }),
      'Clashes that no condition of a package shows.',
    ),
    'orders?': record(
      {
        tried: count('How many other orders of arrival were tried.'),
        same: count('How many of them end as the first order does.'),
        otherEnds: list(
          record({
            orders: count('How many of them lead there.'),
            end,
            packages: texts('`spec.package` of every package there.'),
            conditions,
          }),
          'Ends that differ, most frequent first.',
        ),
      },
      'With `--orders`: whether the end depends on the order.',
    ),
    'compare?': list(
      record({
        source,
        'locked?': text('Version that is locked; absent: none is.'),
        'installed?': text('Version that the cluster ends with; absent: it has none.'),
      }),
      'With `--compare`: where the end is not as locked.',
    ),
    notes,
  }),
  'fuzz-output': {
    ...outputSchema('fuzz -o json', {
      'shard?': shard,
      seed: anything('What the variations were drawn with.'),
      runs: count('How many were tried.'),
      gaveUp: count('Of how many nothing is known.'),
      releases: texts('Crossplane releases that were tried.'),
      varied: list(
        record({ source, versions: count('Versions it was varied among.') }),
        'Packages that were varied.',
      ),
      breakages: list(
        record({
          'foundAt?': foundAt,
          packages: list(choice, 'Roots of the example.'),
          crossplane,
          brokenOn: texts('Releases on which it breaks.'),
          explanation: text('Why there is no answer.'),
          core: core,
          suggestions: suggestions,
          replay: text('Command that shows it again.'),
          others: list(
            record({
              'foundAt?': foundAt,
              packages: list(choice, 'Roots of the example.'),
              crossplane,
            }),
            'Other examples of the same.',
          ),
        }),
        'What breaks.',
      ),
      notes,
    }),
    $defs,
  },
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
} as const;
