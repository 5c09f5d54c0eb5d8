import { printable } from '../../base/escape.js';
import type { JsonValue } from '../../base/json.js';
import * as json from '../../cli/kit/json-schema.js';
import { columns, amount } from '../../cli/terminal/package-text.js';
import { needsCompat, type Requirement } from '../../crossplane/packages/package-meta.js';
import type { ownsByGroup } from '../../project/lockfile/format-lockfile.js';

const versionsSchema = json.outputSchema('versions -o json', {
  source: json.source,
  crossplane: json.crossplane,
  'locked?': json.text('Version that is locked.'),
  versions: json.list(
    json.record({
      version: json.version,
      prerelease: json.flag('Whether it is a prerelease.'),
      'crossplane?': json.text('Which Crossplane it needs; absent: any, or it is refused.'),
      'refused?': json.text('Why the release does not take it.'),
    }),
    'Newest first.',
  ),
  total: json.count('How many versions there are.'),
});

export type VersionsReport = json.Static<typeof versionsSchema>;

export const versionsOutput = json.valueOutput(versionsSchema);

/** Returns a line for each version: required Crossplane, and whether it is locked or rejected. */
export function versionLines({ versions, total, locked }: VersionsReport): string[] {
  const rows = versions.map((each) => [
    each.version,
    each.crossplane ?? '',
    [each.version === locked ? 'locked' : '', each.refused ?? ''].filter(Boolean).join('; '),
  ]);
  const omitted = total - versions.length;
  return [
    ...columns([['version', 'Crossplane', ''], ...rows]),
    ...(omitted > 0 ? [`and ${amount(omitted, 'older version')}; \`--all\` shows them`] : []),
  ];
}

const searchSchema = json.outputSchema('search -o json', {
  word: json.text('What was searched for.'),
  packages: json.list(
    json.record({
      source: json.source,
      version: json.text('The newest version, or the one that is locked.'),
      kind: json.kind,
      named: json.flag('Whether the word is in its name.'),
      owns: json.list(json.owned, 'What it owns by that word.'),
    }),
    'What was found, by source.',
  ),
});

export type SearchReport = json.Static<typeof searchSchema>;

export const searchOutput = json.valueOutput(searchSchema);

/** Maximum number of matching objects that a line names. */
const MAX_OWNED_NAMED = 2;

/** Returns a line for each package: name, version, kind, and owned objects that match the word. */
export function foundLines({ packages }: SearchReport): string[] {
  return columns(
    packages.map(({ source, version, kind, owns }) => {
      const objects = owns.map((owned) => `${owned.kind} ${owned.name}`);
      const omitted = objects.splice(MAX_OWNED_NAMED).length;
      if (omitted > 0) objects.push(`${omitted} more`);
      return [source, version, kind, objects.join(', ')];
    }),
  );
}

const constraintSchema = json.outputSchema('constraint -o json', {
  constraint: json.text('The range.'),
  crossplane: json.crossplane,
  semver: json.text('Version of the Go library that the release reads ranges with.'),
  means: json.text('What it admits, spelled out.'),
  prereleases: json.flag('Whether any prerelease can be admitted.'),
  notes: json.notes,
  versions: json.list(
    json.record({
      version: json.version,
      validVersion: json.flag('Whether it is a version at all.'),
      satisfied: json.flag('Whether the range admits it.'),
      'reason?': json.text('Why it does not.'),
    }),
    'The versions that were asked about.',
  ),
});

export type ConstraintReport = json.Static<typeof constraintSchema>;

export const constraintOutput = json.valueOutput(constraintSchema);

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

const inspectSchema = json.outputSchema('inspect -o json', {
  package: json.text('What was asked for.'),
  target: json.crossplane,
  accepted: json.flag('Whether the release takes the package.'),
  'version?': json.text('The tag that was read; absent: it is of a file.'),
  'digest?': json.text('Digest of the image.'),
  'apiVersion?': json.text('Of the meta document.'),
  'kind?': json.text('Kind of the package.'),
  'name?': json.text('Name in the meta document.'),
  'crossplane?': json.text('Which Crossplane it needs; absent: any.'),
  labels: json.anything<Readonly<Record<string, string>>>('Labels of the meta document.'),
  annotations: json.anything<Readonly<Record<string, string>>>('Annotations of the meta document.'),
  capabilities: json.texts('What it says it can do.'),
  dependsOn: json.list(json.anything<JsonValue>('An entry, as written.'), 'What it depends on.'),
  requirements: json.list(
    json.anything<Requirement>('An entry, as the release reads it.'),
    'What it requires.',
  ),
  owns: json.anything<ReturnType<typeof ownsByGroup>>(
    'Names of what it owns, by API group and kind.',
  ),
  findings: json.list(json.packageFinding, 'What the release makes of it.'),
});

/** The result of `inspect`. For a refused package, fields that cannot be read are missing. */
export type InspectReport = json.Static<typeof inspectSchema>;

export const inspectOutput = json.valueOutput(inspectSchema);

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
    `owns ${amount(total, 'object')} on Crossplane ${target}`,
    ...groups.flatMap(([group, kinds]) => [
      `  ${group}`,
      ...Object.entries(kinds).flatMap(([kind, names]) =>
        names.map((name) => `    ${kind} ${name}`),
      ),
    ]),
  ];
}

const convertSchema = json.outputSchema('convert -o json', {
  folder: json.text('Folder that was written.'),
  name: json.text('Name of the package.'),
  files: json.texts('Files in the folder.'),
  losses: json.list(
    json.record({
      what: json.text('Field or file that is lost.'),
      file: json.text('File that it stands in.'),
      text: json.text('Why, and what says it today.'),
    }),
    'What has no equivalent.',
  ),
});

export type ConversionReport = json.Static<typeof convertSchema>;

export const convertOutput = json.valueOutput(convertSchema);

/** Returns a line for each loss, and a summary. */
export function conversionLines({ folder, name, files, losses }: ConversionReport): string[] {
  const lines = losses.map(({ file, what, text }) => `${file}: ${what}: ${text}`);
  const crds = amount(files.length - 1, 'CRD');
  const lost = `lines above, of what has no equivalent: ${losses.length}`;
  return [...lines, `Provider ${name} in ${folder}/: crossplane.yaml and ${crds}; ${lost}`].map(
    (line) => printable(line, MAX_LINE_LENGTH),
  );
}
