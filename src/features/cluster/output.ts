import { type Drift, hasDrifted } from './drift.js';
import type { ImportedCluster } from './import-cluster.js';
import { formatOrigin } from '../../base/errors.js';
import * as json from '../../cli/kit/json-schema.js';
import { columns, amount, shortVersion } from '../../cli/terminal/package-text.js';
import type { Target } from '../../crossplane/releases/target.js';
import { findingFields, findingLines, findingsJson } from '../lint/output.js';

export interface ImportValue extends ImportedCluster {
  readonly target: Target;
  /** The files of the new project. */
  readonly files: readonly { readonly file: string; readonly text: string }[];
  /** The first of these files that exists already. */
  readonly existing: string | undefined;
}

/** The result of `drift`; `crossplane` is the release of the lockfile. */
export interface DriftValue extends Drift {
  readonly crossplane: string;
}

const finding = json.record(
  { ...findingFields, 'fix?': json.text('What to do.') },
  'Something found in a cluster.',
);

const importSchema = json.outputSchema('import -o json', {
  status: json.constant('imported', 'What is installed was taken over.'),
  crossplane: json.crossplane,
  packages: json.list(
    json.record({
      ...json.locked,
      'digest?': json.text('Digest of the image; absent: no source was asked, or none knows it.'),
      kind: json.kind,
      name: json.text('Name of the object.'),
    }),
    'What is installed, by source.',
  ),
  undigested: json.count('How many are locked without a digest.'),
  files: json.list(
    json.record({ file: json.text('File that is written.'), text: json.text('What is in it.') }),
    'Files that are written.',
  ),
  findings: json.list(finding, 'What is wrong with the cluster, worst first.'),
});

export const importOutput = json.jsonOutput(
  importSchema,
  (value: ImportValue): json.Static<typeof importSchema> => ({
    status: 'imported',
    crossplane: value.target.version,
    packages: value.lockfile.packages.map((each) => {
      const { repository, version, digest, kind, name, direct } = each;
      return { source: repository, version, digest, kind, name, direct };
    }),
    undigested: value.undigested,
    files: value.files,
    findings: findingsJson(value.findings),
  }),
);

/** Returns a line for each package: name, version, and whether it is a dependency. */
export function importLines({ lockfile, required, target }: ImportValue): string[] {
  const rows = lockfile.packages.map(({ repository, version, kind, direct, digest }) => [
    repository,
    shortVersion(version),
    kind,
    !direct ? 'dependency' : required.has(repository) ? 'required, too' : '',
    digest === undefined ? 'no digest' : '',
  ]);
  return [
    `${amount(rows.length, 'package')} of a cluster with Crossplane ${target.version}`,
    ...columns(rows),
  ];
}

const driftSchema = json.outputSchema('drift -o json', {
  status: json.oneOf(
    ['same', 'drifted'],
    'Whether the cluster is as locked, and nothing is wrong.',
  ),
  crossplane: json.crossplane,
  differences: json.list(
    json.record({
      kind: json.text('What differs.'),
      'source?': json.source,
      'file?': json.text('Dump that it stands in.'),
      'line?': json.count('Line in that file, from 1.'),
      text: json.text('How it differs.'),
      'locked?': json.text('What is locked.'),
      'found?': json.text('What is in the cluster.'),
      fix: json.text('What to do.'),
    }),
    'What is otherwise in the cluster than it is locked.',
  ),
  findings: json.list(finding, 'What is wrong with the cluster by itself, worst first.'),
  notes: json.notes,
});

export const driftOutput = json.jsonOutput(
  driftSchema,
  (drift: DriftValue): json.Static<typeof driftSchema> => ({
    status: hasDrifted(drift) ? 'drifted' : 'same',
    crossplane: drift.crossplane,
    differences: drift.differences.map(({ kind, repository, origin, ...rest }) => ({
      kind,
      source: repository,
      file: origin?.file,
      line: origin?.line,
      ...rest,
    })),
    findings: findingsJson(drift.findings),
    notes: drift.notes,
  }),
);

/** Returns differences, then problems of the cluster itself, each with its fix. */
export function driftLines(drift: DriftValue): string[] {
  const { differences, findings, crossplane } = drift;
  return [
    ...differences.flatMap(({ origin, kind, text, fix }) => [
      `${origin === undefined ? '' : `${formatOrigin(origin)}: `}differs: ${text} [${kind}]`,
      `  fix: ${fix}`,
    ]),
    ...findingLines(findings),
    hasDrifted(drift)
      ? `the cluster has drifted from the lockfile for Crossplane ${crossplane}: ${amount(differences.length, 'difference')}, ${amount(findings.length, 'finding')}`
      : `the cluster is as locked for Crossplane ${crossplane}`,
  ];
}
