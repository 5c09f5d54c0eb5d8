import type { Schema } from '../../../text/json-schema.js';
import { CHECK_OUTPUT_SCHEMA } from '../check/check-schema.js';
import { GRAPH_OUTPUT_SCHEMA } from '../graph/graph-schema.js';
import { answerFields, answerParts } from './answer-fields.js';
import { crossplane, kind, locked, notes, owned, shardFields, source, version } from './fields.js';
import { anything, count, flag, list, oneOf, outputSchema, record, text, texts } from './parts.js';

const { mismatches, changes, summary, explanation, core, suggestions, stats } = answerFields;

const { $defs } = answerParts;

const node: Schema = record(
  {
    ...locked,
    kind,
    'constraint?': text('What the package above asks for.'),
    'repeated?': flag('What it requires is shown further up.'),
    'requires?': list({ $ref: '#/$defs/node' }, 'What it requires, in dependsOn order.'),
  },
  'A locked package.',
);

const shard = record(shardFields, 'With `--shard`: which part of the work it is about.');

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

/** What `-o json` prints, of commands about the set. */
export const SET_SCHEMAS = {
  'check-output': CHECK_OUTPUT_SCHEMA,
  'verify-output': outputSchema('verify -o json', {
    status: oneOf(['verified', 'mismatch', 'failed'], 'How it went; `failed`: a source did.'),
    crossplane,
    mismatches: mismatches!,
    failures: list(
      record({ code: text('What sort of failure.'), text: text('What failed.') }),
      'Sources that failed.',
    ),
    'signatures?': list(
      record({
        source,
        version,
        status: oneOf(
          ['verified', 'refused', 'not-required'],
          'Whether it is signed as asked; `not-required`: no policy is for it.',
        ),
        'policy?': text('The ImageConfig that asks for a signature.'),
        'authority?': text('The authority of the policy that signed it.'),
        'key?': text('SHA-256 of the key that signed it (DER).'),
        'subject?': text('Who signed it, where a certificate says so.'),
        'issuer?': text('Who vouches for that.'),
        'signature?': text('SHA-256 of the signature.'),
        'place?': oneOf(['tag', 'referrer'], 'Where the signature is kept.'),
        'predicateType?': text('What is attested, where the policy asks for an attestation.'),
      }),
      'What became of signatures, with `--signatures`.',
    ),
    notes,
    stats: record(
      { read: count('Packages read.'), bytes: count('Bytes read from the network.') },
      'What it took.',
    ),
    'exitCode?': count('Exit code of the process, where it is not 0.'),
  }),
  'render-output': outputSchema('render -o json', {
    status: oneOf(['rendered', 'matched'], 'Files were written, or are as they should be.'),
    crossplane,
    files: texts('Files of the bundle.'),
  }),
  'outdated-output': outputSchema('outdated -o json', {
    crossplane,
    packages: list(
      record({
        source,
        version,
        'fits?': text('What `update` of it would lock; absent: what is asked for has no answer.'),
        newest: text('The newest version there is.'),
        'heldBy?': text('What keeps the package from it, where that is not what fits.'),
        'takes?': text('What moving to it would take, where a way was found.'),
      }),
      'Locked packages that are not at their newest version.',
    ),
    notes,
  }),
  'why-output': {
    ...outputSchema('why -o json', {
      'source?': text('Repository asked about with `--not`.'),
      'version?': text('Version asked about with `--not`.'),
      'why?': record(
        {
          status: { const: 'unsolvable', description: 'There is no set with the version.' },
          'crossplane?': crossplane,
          summary: summary!,
          explanation: explanation!,
          core: core!,
          suggestions: suggestions!,
          'notes?': notes,
        },
        'Why the set does not have the version, as `resolve` refuses the set with it.',
      ),
      'status?': oneOf(['possible', 'gave-up'], 'There is a set with the version; or: not known.'),
      'crossplane?': crossplane,
      'changes?': changes!,
      'notes?': notes,
      'answers?': list(
        record({
          ...locked,
          'owns?': owned,
          paths: list(
            list(
              record({ ...locked, 'constraint?': text('What the package before it asks for.') }),
              'A path, from a package at the top.',
            ),
            'How it came to be locked, shortest first.',
          ),
          more: flag('There are more paths than are listed.'),
        }),
        'The package, or each owner of the object asked about.',
      ),
    }),
    $defs,
  },
  'tree-output': {
    ...outputSchema('tree -o json', {
      crossplane,
      packages: list({ $ref: '#/$defs/node' }, 'Packages at the top.'),
    }),
    $defs: { node },
  },
  'graph-output': GRAPH_OUTPUT_SCHEMA,
  'matrix-output': outputSchema('matrix -o json', {
    'shard?': shard,
    rows: list(
      record({
        from: text('Oldest release of the row.'),
        to: text('Newest release of the row.'),
        releases: texts('Every release of the row.'),
        status: oneOf(['solved', 'unsolvable', 'gave-up'], 'Whether the set works on them.'),
        'packages?': list(record({ source, version }), 'What is chosen there.'),
        'reason?': text('What blocks it, in one line.'),
        'core?': core!,
      }),
      'Releases with the same answer, oldest first.',
    ),
    stats: stats!,
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
          core: core!,
          suggestions: suggestions!,
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
