import { formatOrigin } from '../../model/input-error.js';
import type { PlacedFinding, PlacedReport } from '../placed-report.js';
import { findingsOf, findingText } from '../report.js';

/** Logging commands of Azure Pipelines, worst first; it knows errors and warnings alone. */
export function azureIssues(report: PlacedReport): string {
  const findings = findingsOf(report);
  return findings.map((finding) => `${issue(finding)}\n`).join('');
}

function issue({ severity, origin, rule, ...said }: PlacedFinding): string {
  const text = findingText(said);
  if (severity === 'info') return `note: ${formatOrigin(origin)}: ${text.replaceAll('\n', ' ')}`;
  const properties = Object.entries({
    type: severity,
    sourcepath: origin.file,
    linenumber: String(origin.line),
    code: rule,
  });
  const written = properties.map(([name, value]) => `${name}=${property(value)};`).join('');
  return `##vso[task.logissue ${written}]${data(text)}`;
}

/** As the agent reads it back: a percent sign has a spelling of its own. */
function data(text: string): string {
  return text.replaceAll('%', '%AZP25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(';', '%3B').replaceAll(']', '%5D');
}
