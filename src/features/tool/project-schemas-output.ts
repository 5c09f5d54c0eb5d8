import {
  anything,
  count,
  crossplane,
  list,
  notes,
  oneOf,
  outputSchema,
  record,
  shard,
  source,
  text,
  texts,
  version,
} from '../../cli/kit/json-schema.js';
import { answerFields, answerParts } from '../resolve/answer-schema-output.js';
import { graphOutput } from '../graph/output.js';
import { matrixOutput } from '../matrix/json.js';
import { outdatedOutput } from '../update/outdated-json.js';
import { treeOutput, whyOutput } from '../why/output.js';
import { checkOutput } from '../verify/check-output.js';
import { verifyOutput } from '../verify/output.js';

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

/** Documents of commands about the package set. */
export const SET_SCHEMAS = {
  'check-output': checkOutput.schema,
  'verify-output': verifyOutput.schema,
  'render-output': outputSchema('render -o json', {
    status: oneOf(
      ['rendered', 'matched'],
      'Files were written (not with `--no-write`), or are as they should be.',
    ),
    crossplane,
    files: texts('Files of the bundle.'),
  }),
  'outdated-output': outdatedOutput.schema,
  'why-output': whyOutput.schema,
  'tree-output': treeOutput.schema,
  'graph-output': graphOutput.schema,
  'matrix-output': matrixOutput.schema,
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
} as const;
