import type { LintFinding } from './linted-project.js';
import { formatOrigin } from '../../base/errors.js';
import { singleStep } from '../../cli/findings/report-parts.js';
import type { Report, ReportFinding, ReportSeverity } from '../../cli/findings/report.js';
import * as json from '../../cli/kit/json-schema.js';
import { amount } from '../../cli/terminal/package-text.js';
import { UNKNOWN_FIELD } from '../../crossplane/packages/advice.js';
import { type Finding, needsCompat } from '../../crossplane/packages/package-meta.js';

/** Mildest first. */
export const SEVERITIES = ['info', 'warning', 'error'] as const;

/** Whether a finding is at least as severe as `from`. */
export function isSevereAs(
  { severity }: Pick<LintFinding, 'severity'>,
  from: ReportSeverity,
): boolean {
  return SEVERITIES.indexOf(severity) >= SEVERITIES.indexOf(from);
}

/** The result of `lint` for a set with an answer. */
export interface SetLint {
  readonly findings: readonly LintFinding[];
  readonly crossplane: string;
}

/** Returns the findings as text, and their number. */
export function setLintLines({ findings, crossplane }: SetLint): string[] {
  const counts = findingCounts(findings);
  return [...findingLines(findings), `the set for Crossplane ${crossplane}: ${counts}`];
}

/** `2 errors, 1 warning`. */
export function findingCounts(findings: readonly Pick<LintFinding, 'severity'>[]): string {
  const countOf = (level: LintFinding['severity']) =>
    amount(findings.filter((finding) => finding.severity === level).length, level);
  return `${countOf('error')}, ${countOf('warning')}`;
}

/** Formats findings as `FILE:LINE: SEVERITY: TEXT [RULE]`, each with its fix in the next line. */
export function findingLines(findings: readonly LintFinding[]): string[] {
  return findings.flatMap(({ origin, rule, fix, ...found }) => [
    `${formatOrigin(origin)}: ${found.severity}: ${found.text} [${rule}]`,
    ...(fix === undefined ? [] : [`  fix: ${fix}`]),
  ]);
}

/** Fields of a finding in JSON. */
export const findingFields = {
  rule: json.text('Name of the rule.'),
  severity: json.severity,
  ...json.place,
  text: json.text('What is wrong, and why it hurts.'),
  'fix?': json.text('What to write instead.'),
};

/** A finding of `lint` about the request. */
const findingSchema = json.record(findingFields);

export type FindingDocument = json.Static<typeof findingSchema>;

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

export interface PackageLint {
  readonly package: string;
  readonly crossplane: string;
  readonly errors: number;
  readonly warnings: number;
  /** By file and line. */
  readonly findings: readonly (Finding & { readonly file: string })[];
}

const schema = json.outputSchema('lint -o json', {
  crossplane: json.crossplane,
  findings: json.list<FindingDocument | json.Static<typeof json.packageFinding>>(
    { anyOf: [findingSchema, json.packageFinding] },
    'By file and line; of a set `rule` and `text`, of a package `code` and `message`.',
  ),
  'package?': json.text('The package that was looked at; absent: the set.'),
  'errors?': json.count('How many errors a package has.'),
  'warnings?': json.count('How many warnings a package has.'),
});

export const lintOutput = json.jsonOutput(
  schema,
  (linted: PackageLint | SetLint): json.Static<typeof schema> =>
    'package' in linted
      ? linted
      : { crossplane: linted.crossplane, findings: findingsJson(linted.findings) },
);

/** Returns the findings as text, whether Crossplane accepts the package, and their number. */
export function packageLintLines({ findings, crossplane: release }: PackageLint): string[] {
  const lines = findings.map((finding) => {
    const { severity, code, message } = finding;
    return `${formatOrigin(finding)}: ${severity}: ${message} [${code}]`;
  });
  const taker = needsCompat(findings) ? 'only `--compat`' : `Crossplane ${release}`;
  const isRefused = findings.some(
    ({ severity, code }) => severity === 'error' && code !== UNKNOWN_FIELD,
  );
  const verdict = isRefused ? `Crossplane ${release} refuses it` : `${taker} takes it`;
  return [...lines, `${verdict}: ${findingCounts(findings)}`];
}

/** Converts findings for a report. Findings of severity `failOn` or worse fail the run. */
export function setFindings(
  findings: readonly Omit<ReportFinding, 'fails'>[],
  failOn: ReportSeverity,
): ReportFinding[] {
  return findings.map((finding) => ({ ...finding, fails: isSevereAs(finding, failOn) }));
}

export function lintReport(linted: PackageLint | SetLint, failOn: ReportSeverity): Report {
  const subject = 'package' in linted ? `${linted.package} on` : 'the set for';
  const headline = `${subject} Crossplane ${linted.crossplane}: ${findingCounts(linted.findings)}`;
  const findings =
    'package' in linted
      ? linted.findings.map(({ code: rule, severity, file, line, message }) => {
          return { rule, severity, origin: { file, line }, text: message };
        })
      : linted.findings;
  return singleStep({ command: 'lint', headline, findings: setFindings(findings, failOn) });
}
