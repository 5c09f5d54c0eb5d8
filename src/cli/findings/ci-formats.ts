import {
  findingsOf,
  findingText,
  type PlacedFinding,
  type PlacedReport,
  REPORT_SEVERITIES,
  type ReportSeverity,
} from './report.js';
import { fingerprints, ruleOf } from './rules.js';
import { formatOrigin } from '../../base/errors.js';

const COMMANDS: Readonly<Record<ReportSeverity, string>> = {
  error: 'error',
  warning: 'warning',
  info: 'notice',
};

/** Maximum number of annotations of each severity that GitHub shows for a step. */
const MAX_SHOWN = 10;

/** Formats findings as workflow commands of GitHub Actions, which annotate lines of files, worst first. */
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

function annotation({ severity, origin, rule, ...message }: PlacedFinding): string {
  const title = `xpkg-resolve: ${rule}`;
  const properties = Object.entries({ file: origin.file, line: String(origin.line), title });
  const written = properties.map(([name, value]) => `${name}=${githubProperty(value)}`).join(',');
  return `::${COMMANDS[severity]} ${written}::${githubData(findingText(message))}`;
}

/** Formats values as lines of the file that `$GITHUB_OUTPUT` names. */
export function githubOutputs(outputs: Readonly<Record<string, string>>): string {
  // A value with a line break would set other outputs.
  return Object.entries(outputs)
    .map(([name, value]) => `${name}=${value.replaceAll(/[\r\n]+/g, ' ')}\n`)
    .join('');
}

function githubData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function githubProperty(text: string): string {
  return githubData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

/** Formats findings as logging commands of Azure Pipelines, worst first. It has only errors and warnings. */
export function azureIssues(report: PlacedReport): string {
  const findings = findingsOf(report);
  return findings.map((finding) => `${issue(finding)}\n`).join('');
}

function issue({ severity, origin, rule, ...message }: PlacedFinding): string {
  const text = findingText(message);
  if (severity === 'info') return `note: ${formatOrigin(origin)}: ${text.replaceAll('\n', ' ')}`;
  const properties = Object.entries({
    type: severity,
    sourcepath: origin.file,
    linenumber: String(origin.line),
    code: rule,
  });
  const written = properties.map(([name, value]) => `${name}=${azureProperty(value)};`).join('');
  return `##vso[task.logissue ${written}]${azureData(text)}`;
}

/** Escapes a value as the agent unescapes it; `%` is written `%AZP25`. */
function azureData(text: string): string {
  return text.replaceAll('%', '%AZP25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function azureProperty(text: string): string {
  return azureData(text).replaceAll(';', '%3B').replaceAll(']', '%5D');
}

const SEVERITIES: Readonly<Record<ReportSeverity, string>> = {
  error: 'major',
  warning: 'minor',
  info: 'info',
};

/** Formats findings as a Code Quality report, which GitLab shows in merge requests. */
export function gitlabCodeQuality(report: PlacedReport): string {
  const findings = findingsOf(report);
  const known = fingerprints(findings);
  const issues = findings.map(({ rule, severity, origin, ...message }, i) => {
    const [, , security] = ruleOf(rule);
    return {
      description: findingText(message),
      check_name: rule,
      fingerprint: known[i],
      severity: security && severity === 'error' ? 'critical' : SEVERITIES[severity],
      location: { path: origin.file, lines: { begin: origin.line } },
    };
  });
  return `${JSON.stringify(issues, null, 2)}\n`;
}
