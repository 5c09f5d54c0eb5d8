import {
  findingText,
  type PlacedFinding,
  type PlacedReport,
  type ReportSeverity,
} from './report.js';
import { fingerprints, ruleOf } from './rules.js';
import { groupBy } from '../../base/collections.js';
import { formatOrigin } from '../../base/errors.js';

const COMMANDS: Readonly<Record<ReportSeverity, string>> = {
  error: 'error',
  warning: 'warning',
  info: 'notice',
};

/** Maximum number of annotations of each severity that GitHub shows for a step. */
const MAX_SHOWN = 10;

/** Formats findings as workflow commands of GitHub Actions, which annotate lines of files, worst first. */
export function githubAnnotations({ findings }: PlacedReport): string {
  const bySeverity = [...groupBy(findings, ({ severity }) => severity).values()];
  const shown = bySeverity.flatMap((group) => {
    if (group.length <= MAX_SHOWN) return group;
    const [next, ...others] = group.slice(MAX_SHOWN - 1);
    const text = `and ${others.length + 1} more, which the summary and the log of this step tell`;
    return [...group.slice(0, MAX_SHOWN - 1), { ...next!, text, fix: undefined }];
  });
  return shown.map(annotation).join('');
}

function annotation(finding: PlacedFinding): string {
  const { severity, origin, rule } = finding;
  const title = `xpkg-resolve: ${rule}`;
  const properties = Object.entries({ file: origin.file, line: String(origin.line), title })
    .map(([name, value]) => `${name}=${percentEncoded(value, /[%\r\n:,]/g)}`)
    .join(',');
  const text = percentEncoded(findingText(finding), /[%\r\n]/g);
  return `::${COMMANDS[severity]} ${properties}::${text}\n`;
}

/** Replaces characters with `%` and their code, as in URLs. */
function percentEncoded(text: string, characters: RegExp): string {
  return text.replaceAll(characters, (character) => {
    const code = character.charCodeAt(0).toString(16).toUpperCase();
    return `%${code.padStart(2, '0')}`;
  });
}

/** Formats values as lines of the file that `$GITHUB_OUTPUT` names. */
export function githubOutputs(outputs: Readonly<Record<string, string>>): string {
  // A value with a line break would set other outputs.
  return Object.entries(outputs)
    .map(([name, value]) => `${name}=${value.replaceAll(/[\r\n]+/g, ' ')}\n`)
    .join('');
}

/** Formats findings as logging commands of Azure Pipelines, worst first. It has only errors and warnings. */
export function azureIssues({ findings }: PlacedReport): string {
  return findings.map(issue).join('');
}

function issue(finding: PlacedFinding): string {
  const { severity, origin, rule } = finding;
  const text = findingText(finding);
  if (severity === 'info') return `note: ${formatOrigin(origin)}: ${text.replaceAll('\n', ' ')}\n`;
  const properties = Object.entries({
    type: severity,
    sourcepath: origin.file,
    linenumber: String(origin.line),
    code: rule,
  });
  const written = properties.map(
    ([name, value]) => `${name}=${azureEncoded(value, /[%\r\n;\]]/g)};`,
  );
  return `##vso[task.logissue ${written.join('')}]${azureEncoded(text, /[%\r\n]/g)}\n`;
}

/** Escapes a value as the agent unescapes it; `%` is written `%AZP25`. */
function azureEncoded(text: string, characters: RegExp): string {
  return percentEncoded(text, characters).replaceAll('%25', '%AZP25');
}

const SEVERITIES: Readonly<Record<ReportSeverity, string>> = {
  error: 'major',
  warning: 'minor',
  info: 'info',
};

/** Formats findings as a Code Quality report, which GitLab shows in merge requests. */
export function gitlabCodeQuality({ findings }: PlacedReport): string {
  const known = fingerprints(findings);
  const issues = findings.map((finding, i) => {
    const { rule, severity, origin } = finding;
    const [, , security] = ruleOf(rule);
    return {
      description: findingText(finding),
      check_name: rule,
      fingerprint: known[i],
      severity: security && severity === 'error' ? 'critical' : SEVERITIES[severity],
      location: { path: origin.file, lines: { begin: origin.line } },
    };
  });
  return `${JSON.stringify(issues, null, 2)}\n`;
}
