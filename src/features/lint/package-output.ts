import type { LintFinding } from './linted-project.js';
import {
  type FindingDocument,
  findingSchema,
  findingsJson,
  isSevereAs,
  type SetLint,
  SEVERITIES,
} from './project-output.js';
import { byCodePoint } from '../../base/collections.js';
import { formatOrigin, type Origin } from '../../base/errors.js';
import { singleStep } from '../../cli/findings/report-parts.js';
import type { Report, ReportFinding, ReportSeverity } from '../../cli/findings/report.js';
import {
  count,
  crossplane,
  jsonOutput,
  list,
  outputSchema,
  packageFinding,
  type Static,
  text,
} from '../../cli/kit/json-schema.js';
import { counted } from '../../cli/terminal/package-text.js';
import { UNKNOWN_FIELD } from '../../crossplane/packages/advice.js';
import { type Finding, needsCompat } from '../../crossplane/packages/package-meta.js';
import type { Target } from '../../crossplane/releases/target.js';

/** The result of `lint PACKAGE`. */
export interface PackageLint {
  readonly package: string;
  readonly crossplane: string;
  readonly errors: number;
  readonly warnings: number;
  /** By file and line. */
  readonly findings: readonly LocatedFinding[];
}

type LocatedFinding = Finding & { readonly file: string };

const schema = outputSchema('lint -o json', {
  crossplane,
  findings: list<FindingDocument | Static<typeof packageFinding>>(
    { anyOf: [findingSchema, packageFinding] },
    'By file and line; of a set `rule` and `text`, of a package `code` and `message`.',
  ),
  'package?': text('The package that was looked at; absent: the set.'),
  'errors?': count('How many errors a package has.'),
  'warnings?': count('How many warnings a package has.'),
});

export const lintOutput = jsonOutput(
  schema,
  (linted: PackageLint | SetLint): Static<typeof schema> =>
    'package' in linted
      ? linted
      : { crossplane: linted.crossplane, findings: findingsJson(linted.findings) },
);

export function lintReport(
  subject: string,
  target: Target,
  found: {
    readonly findings: readonly Finding[];
    readonly originOf: (line: number | undefined) => Origin;
  },
): PackageLint {
  const findings = found.findings.map(({ severity, code, message, line }): LocatedFinding => {
    const { file, line: at } = found.originOf(line);
    return { severity, code, message, file, line: at };
  });
  const countOf = (severity: Finding['severity']) =>
    findings.filter((finding) => finding.severity === severity).length;
  return {
    package: subject,
    crossplane: target.version,
    errors: countOf('error'),
    warnings: countOf('warning'),
    findings: findings.sort((a, b) => byCodePoint(a.file, b.file) || (a.line ?? 0) - (b.line ?? 0)),
  };
}

export function packageLintLines(report: PackageLint): string[] {
  const lines = report.findings.map((finding) => {
    const { severity, code, message } = finding;
    return `${formatOrigin(finding)}: ${severity}: ${message} [${code}]`;
  });
  const { errors, warnings, crossplane: release } = report;
  const taker = needsCompat(report.findings) ? 'only `--compat`' : `Crossplane ${release}`;
  const isRefused = report.findings.some(
    ({ severity, code }) => severity === 'error' && code !== UNKNOWN_FIELD,
  );
  const verdict = !isRefused ? `${taker} takes it` : `Crossplane ${release} refuses it`;
  return [...lines, `${verdict}: ${counted(errors, 'error')}, ${counted(warnings, 'warning')}`];
}

/** Returns the report of a package set. Findings of severity `failOn` or worse fail the run. */
export function setFindings(
  findings: readonly LintFinding[],
  failOn: ReportSeverity,
): ReportFinding[] {
  return findings.map((finding) => ({ ...finding, fails: isSevereAs(finding, failOn) }));
}

export function lintCounts(findings: readonly Pick<ReportFinding, 'severity'>[]): string {
  const countOf = (severity: ReportSeverity) =>
    counted(findings.filter((finding) => finding.severity === severity).length, severity);
  return `${countOf('error')}, ${countOf('warning')}`;
}

export function setLintReport(
  { findings, crossplane: release }: SetLint,
  failOn: ReportSeverity,
): Report {
  const headline = `the set for Crossplane ${release}: ${lintCounts(findings)}`;
  return singleStep({ command: 'lint', headline, findings: setFindings(findings, failOn) });
}

export function packageLintReport(report: PackageLint, failOn: ReportSeverity): Report {
  const { package: named, crossplane: release } = report;
  const findings = report.findings.map(({ severity, code, message, file, line }) => ({
    rule: code,
    severity,
    origin: { file, line },
    text: message,
    fails: SEVERITIES.indexOf(severity) >= SEVERITIES.indexOf(failOn),
  }));
  const headline = `${named} on Crossplane ${release}: ${lintCounts(findings)}`;
  return singleStep({ command: 'lint', headline, findings });
}
