import { crossplane, kind, locked, notes, place, severity, source } from './fields.js';
import { count, list, oneOf, outputSchema, record, text } from './parts.js';

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

/** What `-o json` prints, of commands about a cluster. */
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
