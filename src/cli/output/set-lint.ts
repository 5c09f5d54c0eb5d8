import { formatOrigin } from '../../model/input-error.js';
import type { SetFinding } from '../../usecases/lint/linted-set.js';
import { counted } from './counted.js';
import { jsonDocument } from './json-document.js';

/** From the mildest. */
export const SEVERITIES = ['info', 'warning', 'error'] as const;

/** Whether a finding is at least as severe as `from`. */
export function isSevereAs({ severity }: SetFinding, from: SetFinding['severity']): boolean {
  return SEVERITIES.indexOf(severity) >= SEVERITIES.indexOf(from);
}

/** The findings, and how many there are. */
export function setLintLines(findings: readonly SetFinding[], crossplane: string): string[] {
  const counts = findingCounts(findings);
  return [...findingLines(findings), `the set for Crossplane ${crossplane}: ${counts}`];
}

/** How many errors and warnings there are. */
export function findingCounts(findings: readonly SetFinding[]): string {
  return (['error', 'warning'] as const)
    .map((severity) =>
      counted(findings.filter((finding) => finding.severity === severity).length, severity),
    )
    .join(', ');
}

/** `file:line: severity: what it is [rule]`, with what to write below. */
export function findingLines(findings: readonly SetFinding[]): string[] {
  return findings.flatMap(({ origin, severity, text, rule, fix }) => [
    `${formatOrigin(origin)}: ${severity}: ${text} [${rule}]`,
    ...(fix === undefined ? [] : [`  fix: ${fix}`]),
  ]);
}

export function setLintJson(findings: readonly SetFinding[], crossplane: string): string {
  return jsonDocument({ crossplane, findings: findingsJson(findings) });
}

export function findingsJson(findings: readonly SetFinding[]): object[] {
  return findings.map(({ rule, severity, origin, text, fix }) => ({
    rule,
    severity,
    file: origin.file,
    line: origin.line,
    text,
    fix,
  }));
}
