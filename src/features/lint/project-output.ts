import { formatOrigin } from '../../base/errors.js';
import type { LintFinding } from './linted-project.js';
import { counted } from '../../cli/terminal/package-text.js';
import { place, record, severity, type Static, text } from '../../cli/kit/json-schema.js';

/** Mildest first. */
export const SEVERITIES = ['info', 'warning', 'error'] as const;

/** Whether a finding is at least as severe as `from`. */
export function isSevereAs(
  { severity }: Pick<LintFinding, 'severity'>,
  from: LintFinding['severity'],
): boolean {
  return SEVERITIES.indexOf(severity) >= SEVERITIES.indexOf(from);
}

/** The result of `lint` for a set with an answer. */
export interface SetLint {
  readonly findings: readonly LintFinding[];
  readonly crossplane: string;
}

/** The findings, and how many there are. */
export function setLintLines({ findings, crossplane }: SetLint): string[] {
  const counts = findingCounts(findings);
  return [...findingLines(findings), `the set for Crossplane ${crossplane}: ${counts}`];
}

/** Returns the number of errors and warnings. */
export function findingCounts(findings: readonly LintFinding[]): string {
  return (['error', 'warning'] as const)
    .map((severity) =>
      counted(findings.filter((finding) => finding.severity === severity).length, severity),
    )
    .join(', ');
}

/** `file:line: severity: what it is [rule]`, with what to write below. */
export function findingLines(findings: readonly LintFinding[]): string[] {
  return findings.flatMap(({ origin, rule, fix, ...found }) => [
    `${formatOrigin(origin)}: ${found.severity}: ${found.text} [${rule}]`,
    ...(fix === undefined ? [] : [`  fix: ${fix}`]),
  ]);
}

/** A finding of `lint` about the request. */
export const findingSchema = record({
  rule: text('Name of the rule.'),
  severity,
  ...place,
  text: text('What is wrong, and why it hurts.'),
  'fix?': text('What to write instead.'),
});

export type FindingDocument = Static<typeof findingSchema>;

export function findingsJson(findings: readonly LintFinding[]): FindingDocument[] {
  return findings.map(({ origin, rule, severity: howSevere, text: what, fix }) => ({
    rule,
    severity: howSevere,
    file: origin.file,
    line: origin.line,
    text: what,
    fix,
  }));
}
