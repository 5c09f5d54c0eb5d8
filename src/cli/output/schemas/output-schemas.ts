import type { Schema } from '../../../text/json-schema.js';
import { RESOLVE_OUTPUT_SCHEMA } from '../answer/answer-schema.js';
import { DIFF_OUTPUT_SCHEMA } from '../diff/diff-json.js';
import { GRAPH_OUTPUT_SCHEMA } from '../graph/graph-schema.js';
import { crossplane, kind, notes, owned, place, severity, source, version } from './fields.js';
import { anything, count, flag, list, oneOf, outputSchema, record, text, texts } from './parts.js';

const { mismatches, changes, summary, explanation, core, suggestions, stats } =
  RESOLVE_OUTPUT_SCHEMA['properties'] as Readonly<Record<string, Schema>>;

/** Parts that those refer to. */
const { $defs } = RESOLVE_OUTPUT_SCHEMA;

const locked = { source, version, direct: flag('Whether the user asks for it by name.') };

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

const packageFinding = record(
  {
    severity,
    code: text('Name of the rule.'),
    message: text('What is wrong, why, and what to write.'),
    'file?': text('File that it stands in.'),
    'line?': count('Line in that file, from 1.'),
  },
  'Something found in a package.',
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
  'init-output': outputSchema('init -o json', {
    status: { const: 'solved', description: 'What it asks for has an answer.' },
    file: text('File that is written.'),
    text: text('What is in it.'),
  }),
  'verify-output': outputSchema('verify -o json', {
    status: oneOf(['verified', 'mismatch', 'failed'], 'How it went; `failed`: a source did.'),
    crossplane,
    mismatches: mismatches!,
    failures: list(
      record({ code: text('What sort of failure.'), text: text('What failed.') }),
      'Sources that failed.',
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
  'diff-output': DIFF_OUTPUT_SCHEMA,
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
  'graph-output': GRAPH_OUTPUT_SCHEMA,
  'matrix-output': outputSchema('matrix -o json', {
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
  'versions-output': outputSchema('versions -o json', {
    source,
    crossplane,
    'locked?': text('Version that is locked.'),
    versions: list(
      record({
        version,
        prerelease: flag('Whether it is a prerelease.'),
        'crossplane?': text('Which Crossplane it needs; absent: any, or it is refused.'),
        'refused?': text('Why the release does not take it.'),
      }),
      'Newest first.',
    ),
    total: count('How many versions there are.'),
  }),
  'search-output': outputSchema('search -o json', {
    word: text('What was searched for.'),
    packages: list(
      record({
        source,
        version: text('The newest version, or the one that is locked.'),
        kind,
        named: flag('Whether the word is in its name.'),
        owns: list(owned, 'What it owns by that word.'),
      }),
      'What was found, by source.',
    ),
  }),
  'constraint-output': outputSchema('constraint -o json', {
    constraint: text('The range.'),
    crossplane,
    semver: text('Version of the Go library that the release reads ranges with.'),
    means: text('What it admits, spelled out.'),
    prereleases: flag('Whether any prerelease can be admitted.'),
    notes,
    versions: list(
      record({
        version,
        validVersion: flag('Whether it is a version at all.'),
        satisfied: flag('Whether the range admits it.'),
        'reason?': text('Why it does not.'),
      }),
      'The versions that were asked about.',
    ),
  }),
  'inspect-output': outputSchema('inspect -o json', {
    package: text('What was asked for.'),
    target: crossplane,
    accepted: flag('Whether the release takes the package.'),
    'digest?': text('Digest of the image.'),
    'apiVersion?': text('Of the meta document.'),
    'kind?': text('Kind of the package.'),
    'name?': text('Name in the meta document.'),
    'crossplane?': text('Which Crossplane it needs; absent: any.'),
    labels: anything('Labels of the meta document.'),
    annotations: anything('Annotations of the meta document.'),
    capabilities: texts('What it says it can do.'),
    dependsOn: list(anything('An entry, as written.'), 'What it depends on.'),
    requirements: list(anything('An entry, as the release reads it.'), 'What it requires.'),
    owns: anything('Names of what it owns, by API group and kind.'),
    findings: list(packageFinding, 'What the release makes of it.'),
  }),
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
  'lint-output': {
    ...outputSchema('lint -o json', {
      crossplane,
      findings: list(
        {
          anyOf: [
            record({
              rule: text('Name of the rule.'),
              severity,
              ...place,
              text: text('What is wrong, and why it hurts.'),
              'fix?': text('What to write instead.'),
            }),
            packageFinding,
          ],
        },
        'By file and line; of a set `rule` and `text`, of a package `code` and `message`.',
      ),
      'package?': text('The package that was looked at; absent: the set.'),
      'errors?': count('How many errors a package has.'),
      'warnings?': count('How many warnings a package has.'),
    }),
  },
  'convert-output': outputSchema('convert -o json', {
    folder: text('Folder that was written.'),
    name: text('Name of the package.'),
    files: texts('Files in the folder.'),
    losses: list(
      record({
        what: text('Field or file that is lost.'),
        file: text('File that it stands in.'),
        text: text('Why, and what says it today.'),
      }),
      'What has no equivalent.',
    ),
  }),
  'fuzz-output': {
    ...outputSchema('fuzz -o json', {
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
          packages: list(choice, 'Roots of the example.'),
          crossplane,
          brokenOn: texts('Releases on which it breaks.'),
          explanation: text('Why there is no answer.'),
          core: core!,
          suggestions: suggestions!,
          replay: text('Command that shows it again.'),
          others: list(
            record({ packages: list(choice, 'Roots of the example.'), crossplane }),
            'Other examples of the same.',
          ),
        }),
        'What breaks.',
      ),
      notes,
    }),
    $defs,
  },
  'index-output': outputSchema('index -o json', {
    file: text('File that was written.'),
    packages: count('Packages in it.'),
    versions: count('Versions in it.'),
  }),
  'vendor-output': outputSchema('vendor -o json', {
    folder: text('Folder of the layout.'),
    packages: count('Packages in it.'),
    bytes: count('Bytes in it.'),
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
} as const satisfies Readonly<Record<string, Schema>>;
