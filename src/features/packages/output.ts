import { printable } from '../../base/escape.js';
import type { JsonValue } from '../../base/json.js';
import {
  anything,
  count,
  crossplane,
  flag,
  jsonOutput,
  kind,
  list,
  notes,
  outputSchema,
  owned,
  packageFinding,
  record,
  source,
  type Static,
  text,
  texts,
  version,
} from '../../cli/kit/json-schema.js';
import { columns, counted } from '../../cli/terminal/package-text.js';
import { needsCompat, type Requirement } from '../../crossplane/packages/package-meta.js';
import type { ownsByGroup } from '../../project/lockfile/format-lockfile.js';
import type { FoundPackage } from './search.js';
import type { VersionList } from './versions.js';

/** The result of `versions`. */
export interface VersionsValue {
  readonly published: VersionList;
  /** The locked version; undefined: none is. */
  readonly locked: string | undefined;
  readonly crossplane: string;
}

const versionsSchema = outputSchema('versions -o json', {
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
});

export const versionsOutput = jsonOutput(
  versionsSchema,
  ({ published, locked, crossplane: target }: VersionsValue): Static<typeof versionsSchema> => ({
    source: published.repository,
    crossplane: target,
    locked,
    versions: published.versions,
    total: published.total,
  }),
);

/** Returns a line for each version: required Crossplane, and whether it is locked or rejected. */
export function versionLines(published: VersionList, locked: string | undefined): string[] {
  const rows = published.versions.map((each) => [
    each.version,
    each.crossplane ?? '',
    [each.version === locked ? 'locked' : '', each.refused ?? ''].filter(Boolean).join('; '),
  ]);
  const omitted = published.total - published.versions.length;
  return [
    ...columns([['version', 'Crossplane', ''], ...rows]),
    ...(omitted > 0 ? [`and ${counted(omitted, 'older version')}; \`--all\` shows them`] : []),
  ];
}

const searchSchema = outputSchema('search -o json', {
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
});

export const searchOutput = jsonOutput(
  searchSchema,
  (
    packages: readonly FoundPackage[],
    { word }: { readonly word: string },
  ): Static<typeof searchSchema> => ({
    word,
    packages: packages.map(({ repository, ...rest }) => ({ source: repository, ...rest })),
  }),
);

/** Maximum number of matching objects that a line names. */
const MAX_OWNED_NAMED = 2;

/** Returns a line for each package: name, version, kind, and owned objects that match the word. */
export function foundLines(packages: readonly FoundPackage[]): string[] {
  return columns(
    packages.map(({ repository, version, kind, owns }) => {
      const names = owns.slice(0, MAX_OWNED_NAMED).map(({ kind: as, name }) => `${as} ${name}`);
      const omitted = owns.length - names.length;
      const more = omitted > 0 ? [`${omitted} more`] : [];
      return [repository, version, kind, [...names, ...more].join(', ')];
    }),
  );
}

const constraintSchema = outputSchema('constraint -o json', {
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
});

/** The result of `constraint`. */
export type ConstraintReport = Static<typeof constraintSchema>;

export const constraintOutput = jsonOutput(
  constraintSchema,
  (report: ConstraintReport): ConstraintReport => report,
);

export function constraintLines(report: ConstraintReport): string[] {
  const lines = [
    `${report.constraint} on Crossplane ${report.crossplane} (semver ${report.semver})`,
    `  means ${report.means}`,
    `  prereleases are ${report.prereleases ? 'admitted where in range' : 'not admitted'}`,
    ...report.notes.map((note) => `  note: ${note}`),
  ];
  const width = Math.max(0, ...report.versions.map(({ version }) => version.length));
  if (report.versions.length > 0) lines.push('');
  for (const { version, satisfied, reason } of report.versions) {
    lines.push(`${version.padEnd(width)}  ${satisfied ? 'yes' : `no: ${reason}`}`);
  }
  return lines;
}

const inspectSchema = outputSchema('inspect -o json', {
  package: text('What was asked for.'),
  target: crossplane,
  accepted: flag('Whether the release takes the package.'),
  'version?': text('The tag that was read; absent: it is of a file.'),
  'digest?': text('Digest of the image.'),
  'apiVersion?': text('Of the meta document.'),
  'kind?': text('Kind of the package.'),
  'name?': text('Name in the meta document.'),
  'crossplane?': text('Which Crossplane it needs; absent: any.'),
  labels: anything<Readonly<Record<string, string>>>('Labels of the meta document.'),
  annotations: anything<Readonly<Record<string, string>>>('Annotations of the meta document.'),
  capabilities: texts('What it says it can do.'),
  dependsOn: list(anything<JsonValue>('An entry, as written.'), 'What it depends on.'),
  requirements: list(
    anything<Requirement>('An entry, as the release reads it.'),
    'What it requires.',
  ),
  owns: anything<ReturnType<typeof ownsByGroup>>('Names of what it owns, by API group and kind.'),
  findings: list(packageFinding, 'What the release makes of it.'),
});

/** The result of `inspect`. For a refused package, fields that cannot be read are missing. */
export type InspectReport = Static<typeof inspectSchema>;

export const inspectOutput = jsonOutput(
  inspectSchema,
  (report: InspectReport): InspectReport => report,
);

const MAX_LINE_LENGTH = 1200;

export function inspectLines(report: InspectReport): string[] {
  const { kind = 'Package', name = '(no meta document)', target } = report;
  const lines = [
    `${kind} ${name}`,
    ...(report.version === undefined ? [] : [`  version     ${report.version}`]),
    ...(report.digest === undefined ? [] : [`  digest      ${report.digest}`]),
    `  crossplane  ${report.crossplane ?? 'any'}`,
    ...(report.capabilities.length === 0
      ? []
      : [`  can         ${report.capabilities.join(', ')}`]),
    '',
    ...dependencies(report),
    '',
    ...ownedLines(report),
  ];
  if (!report.accepted) lines.push('', `Crossplane ${target} refuses it:`);
  else if (needsCompat(report.findings)) lines.push('', 'only `--compat` takes it:');
  else if (report.findings.length > 0) lines.push('', `Crossplane ${target} takes it, but:`);
  lines.push(...report.findings.map(({ severity, message }) => `  ${severity}: ${message}`));
  return lines.map((line) => printable(line, MAX_LINE_LENGTH));
}

function dependencies({ requirements, dependsOn }: InspectReport): string[] {
  if (dependsOn.length === 0) return ['needs nothing'];
  if (requirements.length === 0) {
    return ['needs, as written', ...dependsOn.map((entry) => `  ${JSON.stringify(entry)}`)];
  }
  const rows = requirements.map((requirement) =>
    requirement.requires === 'crd'
      ? ['CRD', requirement.text, '']
      : [requirement.kind, requirement.repository, requirement.constraint],
  );
  return ['needs', ...columns(rows)];
}

function ownedLines({ owns, target }: InspectReport): string[] {
  const groups = Object.entries(owns);
  if (groups.length === 0) return [`owns nothing on Crossplane ${target}`];
  const total = groups.flatMap(([, kinds]) => Object.values(kinds).flat()).length;
  return [
    `owns ${counted(total, 'object')} on Crossplane ${target}`,
    ...groups.flatMap(([group, kinds]) => [
      `  ${group}`,
      ...Object.entries(kinds).flatMap(([kind, names]) =>
        names.map((name) => `    ${kind} ${name}`),
      ),
    ]),
  ];
}

const convertSchema = outputSchema('convert -o json', {
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
});

/** The result of `convert`. */
export type ConversionReport = Static<typeof convertSchema>;

export const convertOutput = jsonOutput(
  convertSchema,
  (report: ConversionReport): ConversionReport => report,
);

/** Returns a line for each loss, and a summary. */
export function conversionLines({ folder, name, files, losses }: ConversionReport): string[] {
  const lines = losses.map(({ file, what, text: why }) => `${file}: ${what}: ${why}`);
  const crds = counted(files.length - 1, 'CRD');
  const lost = `lines above, of what has no equivalent: ${losses.length}`;
  return [...lines, `Provider ${name} in ${folder}/: crossplane.yaml and ${crds}; ${lost}`].map(
    (line) => printable(line, MAX_LINE_LENGTH),
  );
}
