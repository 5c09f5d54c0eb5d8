import { fingerprints } from '../fingerprints.js';
import type { PlacedReport } from '../placed-report.js';
import { findingsOf, findingText, type ReportSeverity } from '../report.js';
import { ruleOf } from '../rules.js';

const SEVERITIES: Readonly<Record<ReportSeverity, string>> = {
  error: 'major',
  warning: 'minor',
  info: 'info',
};

/** A Code Quality report, which GitLab shows in merge requests. */
export function gitlabCodeQuality(report: PlacedReport): string {
  const findings = findingsOf(report);
  const known = fingerprints(findings);
  const issues = findings.map(({ rule, severity, origin, ...said }, i) => ({
    description: findingText(said),
    check_name: rule,
    fingerprint: known[i],
    severity: ruleOf(rule).security && severity === 'error' ? 'critical' : SEVERITIES[severity],
    location: { path: origin.file, lines: { begin: origin.line } },
  }));
  return `${JSON.stringify(issues, null, 2)}\n`;
}
