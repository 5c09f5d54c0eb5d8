import { formatOrigin } from '../../base/errors.js';
import { codeBlock, codeSpan } from '../../base/escape.js';
import { firstItems, table } from './report-parts.js';
import { findingText, hasFailed, type PlacedFinding, type PlacedReport } from './report.js';

/** Maximum number of findings: code hosts cut comments at 65,536 characters. */
const MAX_FINDINGS = 50;
/** Maximum number of lines of one finding. */
const MAX_LINES = 30;

/** Formats a report as Markdown for a pull-request comment or a CI job summary. */
export function markdownSummary(report: PlacedReport): string {
  const { command, headline, steps, details, findings } = report;
  const verdict = hasFailed(report) ? 'failed' : 'passed';
  const list = report.isDetailed === true ? [] : firstItems(findings.map(item), MAX_FINDINGS);
  return `${[
    `### xpkg-resolve ${command}: ${verdict}`,
    codeSpan(headline),
    ...(steps.length > 1 ? stepTable(steps) : []),
    ...(list.length === 0 ? [] : [list.join('\n')]),
    ...(details === undefined || details === '' ? [] : [details]),
  ].join('\n\n')}\n`;
}

function stepTable(steps: PlacedReport['steps']): string[] {
  const rows = steps.map(({ name, status, text }) => [
    name,
    status,
    codeSpan(text, { inTable: true }),
  ]);
  return table(['step', 'result', ''], rows);
}

function item(finding: PlacedFinding): string {
  const { severity, origin, rule } = finding;
  const start = `- **${severity}** ${codeSpan(formatOrigin(origin))} (${codeSpan(rule)})`;
  const lines = findingText(finding).split('\n');
  if (lines.length === 1 && lines[0]!.length <= 200) return `${start}: ${codeSpan(lines[0]!)}`;
  const shown = lines.slice(0, MAX_LINES);
  if (lines.length > MAX_LINES) shown.push('…');
  return `${start}\n\n${codeBlock(shown.join('\n'), '  ')}\n`;
}
