import type { Report, ReportFinding, ReportSeverity } from '../../../report/report.js';
import type { SetFinding } from '../../../usecases/lint/linted-set.js';
import { counted } from '../counted.js';
import type { lintReport } from '../package/lint.js';
import { isSevereAs, SEVERITIES } from '../set-lint.js';
import { singleStep } from './single-step.js';

/** Of a set; findings from `failOn` up fail the run. */
export function setFindings(
  findings: readonly SetFinding[],
  failOn: ReportSeverity,
): ReportFinding[] {
  return findings.map((finding) => ({ ...finding, fails: isSevereAs(finding, failOn) }));
}

export function lintCounts(findings: readonly Pick<ReportFinding, 'severity'>[]): string {
  const count = (severity: ReportSeverity) =>
    counted(findings.filter((finding) => finding.severity === severity).length, severity);
  return `${count('error')}, ${count('warning')}`;
}

export function setLintReport(
  findings: readonly SetFinding[],
  crossplane: string,
  failOn: ReportSeverity,
): Report {
  const headline = `the set for Crossplane ${crossplane}: ${lintCounts(findings)}`;
  return singleStep({ command: 'lint', headline, findings: setFindings(findings, failOn) });
}

export function packageLintReport(
  report: ReturnType<typeof lintReport>,
  failOn: ReportSeverity,
): Report {
  const { package: named, crossplane } = report;
  const findings = report.findings.map(({ severity, code, message, file, line }) => ({
    rule: code,
    severity,
    origin: { file, line },
    text: message,
    fails: SEVERITIES.indexOf(severity) >= SEVERITIES.indexOf(failOn),
  }));
  const headline = `${named} on Crossplane ${crossplane}: ${lintCounts(findings)}`;
  return singleStep({ command: 'lint', headline, findings });
}
