import { isTakenByCompat } from '../../../admission/finding.js';
import { ownsByGroup } from '../../../lock/owns-by-group.js';
import { isRejection } from '../../../admission/judge.js';
import { crossplaneConstraint, packageKind } from '../../../admission/lint.js';
import { ownedObjects } from '../../../admission/owned.js';
import type { JsonValue } from '../../../text/json.js';
import type { PackageContents } from '../../../model/package-contents.js';
import type { Finding, PackageMeta, Rejection, Requirement } from '../../../model/package-meta.js';
import { printable } from '../../../text/printable.js';
import type { Target } from '../../../model/target/target.js';
import { counted } from '../counted.js';

const MAX_LINE_LENGTH = 1200;

/** What `inspect -o json` prints; of a refused package, as much as could be read. */
interface InspectReport {
  readonly package: string;
  /** The Crossplane release that judged the package. */
  readonly target: string;
  readonly accepted: boolean;
  /** The tag that was read; absent: it is of a file. */
  readonly version?: string | undefined;
  readonly digest?: string | undefined;
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly name?: string | undefined;
  /** Constraint on Crossplane; absent: any will do. */
  readonly crossplane?: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly capabilities: readonly string[];
  /** Verbatim. */
  readonly dependsOn: readonly JsonValue[];
  readonly requirements: readonly Requirement[];
  /** Names by API group and kind. */
  readonly owns: ReturnType<typeof ownsByGroup>;
  readonly findings: readonly Finding[];
}

export function inspectReport(
  subject: string,
  target: Target,
  read: {
    readonly contents: PackageContents;
    readonly version: string | undefined;
    readonly digest: string | undefined;
    readonly judged: PackageMeta | Rejection;
  },
): InspectReport {
  const { contents, version, digest, judged } = read;
  const [meta] = contents.metas;
  const kind = meta && packageKind(meta);
  return {
    package: subject,
    target: target.version,
    accepted: !isRejection(judged),
    version,
    digest,
    apiVersion: meta?.apiVersion,
    kind: meta?.kind,
    name: meta?.name,
    crossplane: meta && crossplaneConstraint(meta),
    labels: meta?.labels ?? {},
    annotations: meta?.annotations ?? {},
    capabilities: meta?.capabilities ?? [],
    dependsOn: meta?.dependsOn ?? [],
    requirements: isRejection(judged) ? [] : judged.requirements,
    owns: ownsByGroup(kind === undefined ? [] : ownedObjects(contents.objects, kind, target)),
    findings: judged.findings,
  };
}

export function inspectReportText(report: InspectReport): string {
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
    ...owned(report),
  ];
  if (!report.accepted) lines.push('', `Crossplane ${target} refuses it:`);
  else if (isTakenByCompat(report.findings)) lines.push('', 'only `--compat` takes it:');
  else if (report.findings.length > 0) lines.push('', `Crossplane ${target} takes it, but:`);
  lines.push(...report.findings.map(({ severity, message }) => `  ${severity}: ${message}`));
  return `${lines.map((line) => printable(line, MAX_LINE_LENGTH)).join('\n')}\n`;
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
  const width = (column: number) => Math.max(...rows.map((row) => row[column]!.length));
  const [first, second] = [width(0), width(1)];
  return [
    'needs',
    ...rows.map(([what, which, version]) =>
      `  ${what!.padEnd(first)}  ${which!.padEnd(second)}  ${version}`.trimEnd(),
    ),
  ];
}

function owned({ owns, target }: InspectReport): string[] {
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
