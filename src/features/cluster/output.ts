import { type Drift, hasDrifted } from './drift.js';
import type { ImportedCluster } from './import-cluster.js';
import { formatOrigin } from '../../base/errors.js';
import {
  constant,
  count,
  crossplane,
  jsonOutput,
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
  type Static,
  text,
} from '../../cli/kit/json-schema.js';
import { columns, counted, shortVersion } from '../../cli/terminal/package-text.js';
import type { Target } from '../../crossplane/releases/target.js';
import { findingLines, findingsJson } from '../lint/output.js';

/** The result of `import`. */
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

const finding = record(
  {
    rule: text('Name of the rule.'),
    severity,
    ...place,
    text: text('What is wrong, and why it hurts.'),
    'fix?': text('What to do.'),
  },
  'Something found in a cluster.',
);

const importSchema = outputSchema('import -o json', {
  status: constant('imported', 'What is installed was taken over.'),
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
  findings: list(finding, 'What is wrong with the cluster, worst first.'),
});

export const importOutput = jsonOutput(
  importSchema,
  (value: ImportValue): Static<typeof importSchema> => ({
    status: 'imported',
    crossplane: value.target.version,
    packages: value.lockfile.packages.map((each) => ({
      source: each.repository,
      version: each.version,
      digest: each.digest,
      kind: each.kind,
      name: each.name,
      direct: each.direct,
    })),
    undigested: value.undigested,
    files: value.files,
    findings: findingsJson(value.findings),
  }),
);

/** Returns a line for each package: name, version, and whether it is a dependency. */
export function importLines({ lockfile, required, target }: ImportValue): string[] {
  const rows = lockfile.packages.map(({ repository, version, kind: sort, direct, digest }) => [
    repository,
    shortVersion(version),
    sort,
    !direct ? 'dependency' : required.has(repository) ? 'required, too' : '',
    digest === undefined ? 'no digest' : '',
  ]);
  return [
    `${counted(rows.length, 'package')} of a cluster with Crossplane ${target.version}`,
    ...columns(rows),
  ];
}

const driftSchema = outputSchema('drift -o json', {
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
  findings: list(finding, 'What is wrong with the cluster by itself, worst first.'),
  notes,
});

export const driftOutput = jsonOutput(
  driftSchema,
  (drift: DriftValue): Static<typeof driftSchema> => ({
    status: hasDrifted(drift) ? 'drifted' : 'same',
    crossplane: drift.crossplane,
    differences: drift.differences.map(({ kind: what, repository, origin, ...rest }) => ({
      kind: what,
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
  const { differences, findings, crossplane: release } = drift;
  return [
    ...differences.flatMap(({ origin, kind: sort, text: what, fix }) => [
      `${origin === undefined ? '' : `${formatOrigin(origin)}: `}differs: ${what} [${sort}]`,
      `  fix: ${fix}`,
    ]),
    ...findingLines(findings),
    hasDrifted(drift)
      ? `the cluster has drifted from the lockfile for Crossplane ${release}: ${counted(differences.length, 'difference')}, ${counted(findings.length, 'finding')}`
      : `the cluster is as locked for Crossplane ${release}`,
  ];
}
