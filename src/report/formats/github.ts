import type { PlacedFinding, PlacedReport } from '../placed-report.js';
import { findingsOf, findingText, REPORT_SEVERITIES, type ReportSeverity } from '../report.js';

const COMMANDS: Readonly<Record<ReportSeverity, string>> = {
  error: 'error',
  warning: 'warning',
  info: 'notice',
};

/** GitHub shows as many annotations of each sort that a step makes, and drops the others. */
const MAX_SHOWN = 10;

/** Workflow commands of GitHub Actions, which annotate lines of files, worst first. */
export function githubAnnotations(report: PlacedReport): string {
  const findings = findingsOf(report);
  const lines = REPORT_SEVERITIES.flatMap((severity) => {
    const alike = findings.filter((finding) => finding.severity === severity);
    if (alike.length <= MAX_SHOWN) return alike.map(annotation);
    const [shown, rest] = [alike.slice(0, MAX_SHOWN - 1), alike.slice(MAX_SHOWN - 1)];
    const more = `and ${rest.length} more, which the summary and the log of this step tell`;
    return [...shown.map(annotation), annotation({ ...rest[0]!, text: more, fix: undefined })];
  });
  return lines.map((line) => `${line}\n`).join('');
}

function annotation({ severity, origin, rule, ...said }: PlacedFinding): string {
  const title = `xpkg-resolve: ${rule}`;
  const properties = Object.entries({ file: origin.file, line: String(origin.line), title });
  const written = properties.map(([name, value]) => `${name}=${property(value)}`).join(',');
  return `::${COMMANDS[severity]} ${written}::${data(findingText(said))}`;
}

/** Lines of the file that `$GITHUB_OUTPUT` names. */
export function githubOutputs(outputs: Readonly<Record<string, string>>): string {
  // A value with a line break would set other outputs.
  return Object.entries(outputs)
    .map(([name, value]) => `${name}=${value.replaceAll(/[\r\n]+/g, ' ')}\n`)
    .join('');
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
