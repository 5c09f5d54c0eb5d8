import { byCodePoint } from '../../base/collections.js';
import { fingerprints, ruleOf } from './rules.js';
import {
  type PlacedFinding,
  type PlacedReport,
  findingText,
  type ReportSeverity,
} from './report.js';

const LEVELS: Readonly<Record<ReportSeverity, string>> = {
  error: 'error',
  warning: 'warning',
  info: 'note',
};

/** Maximum number of results of a run that GitHub accepts. */
const MAX_RESULTS = 25_000;

/** Formats a report as SARIF 2.1.0, for code scanning. */
export function sarifLog(report: PlacedReport, toolVersion: string): string {
  const findings = report.findings.slice(0, MAX_RESULTS);
  const ids = [...new Set(findings.map(({ rule }) => rule))].sort(byCodePoint);
  const known = fingerprints(findings);
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'xpkg-resolve',
            semanticVersion: toolVersion,
            rules: ids.map((id) => ruleEntry(id, findings)),
          },
        },
        automationDetails: { id: `xpkg-resolve/${report.command}/` },
        columnKind: 'utf16CodeUnits',
        originalUriBaseIds: {
          '%SRCROOT%': { description: { text: 'The top of the repository.' } },
        },
        results: findings.map((finding, i) => ({
          ruleId: finding.rule,
          ruleIndex: ids.indexOf(finding.rule),
          level: LEVELS[finding.severity],
          message: { text: plainMessage(findingText(finding)) },
          locations: [location(finding)],
          partialFingerprints: { primaryLocationLineHash: known[i] },
        })),
      },
    ],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

function ruleEntry(id: string, findings: readonly PlacedFinding[]): object {
  const [about, help, security] = ruleOf(id);
  const { severity } = findings.find(({ rule }) => rule === id)!;
  return {
    id,
    shortDescription: { text: about },
    fullDescription: { text: about },
    help: { text: help, markdown: help },
    defaultConfiguration: { level: LEVELS[severity] },
    properties: {
      tags: ['crossplane', ...(security ? [security] : [])],
      ...(security && { 'security-severity': '8.0' }),
    },
  };
}

function location({ origin: { file, line } }: PlacedFinding): object {
  const uri = file.split('/').map(encodeURIComponent).join('/');
  return {
    physicalLocation: {
      artifactLocation: { uri, uriBaseId: '%SRCROOT%' },
      region: { startLine: line },
    },
  };
}

/** Escapes brackets, which would create a link, and braces, which mark an argument. */
function plainMessage(text: string): string {
  return text.replaceAll(/[\\[\]]/g, String.raw`\$&`).replaceAll(/\{(\d+)\}/g, '{{$1}}');
}
