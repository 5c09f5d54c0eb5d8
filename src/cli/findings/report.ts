import { formatOrigin, type Origin } from '../../base/errors.js';
import { printable } from '../../base/escape.js';

/** The result of a run for build systems, written as annotations, test results or a summary. */
export interface Report {
  /** Name of the command. */
  readonly command: string;
  /** The result in one line. */
  readonly headline: string;
  /** Steps of the command. Most commands have one, with the name of the command. */
  readonly steps: readonly ReportStep[];
  /** Further details for people, in Markdown whose untrusted parts are escaped. */
  readonly details?: string | undefined;
  /** Whether `details` include every finding, so that a summary need not list them. */
  readonly isDetailed?: boolean | undefined;
  /** Outputs for later steps of a pipeline, by name. */
  readonly outputs?: Readonly<Record<string, string>> | undefined;
}

/** Makes the report of a command with this name. */
export type MakeReport = (command: string) => Promise<Report>;

export interface ReportStep {
  readonly name: string;
  readonly status: 'passed' | 'failed' | 'skipped';
  /** The result in one line. */
  readonly text: string;
  readonly findings: readonly ReportFinding[];
}

/** A problem or a note, with its place. */
export interface ReportFinding {
  /** Stable, kebab-case. */
  readonly rule: string;
  readonly severity: ReportSeverity;
  /** Place; undefined if the finding is about no file. */
  readonly origin?: Origin | undefined;
  /** Message; details follow its first line. */
  readonly text: string;
  readonly fix?: string | undefined;
  /** Whether the finding fails the run. */
  readonly fails: boolean;
}

/** Worst first. */
const REPORT_SEVERITIES = ['error', 'warning', 'info'] as const;

export type ReportSeverity = (typeof REPORT_SEVERITIES)[number];

export function hasFailed({ steps }: Pick<Report, 'steps'>): boolean {
  return steps.some(({ status }) => status === 'failed');
}

/** Returns the message of a finding, followed by its hint. */
export function findingText({ text, fix }: Pick<ReportFinding, 'text' | 'fix'>): string {
  return fix === undefined ? text : `${text}\nfix: ${fix}`;
}

/** A finding at a file of the repository, with text that is safe to show. */
export interface PlacedFinding extends ReportFinding {
  readonly origin: Origin & { readonly line: number };
}

export interface PlacedReport extends Omit<Report, 'steps'> {
  readonly steps: readonly PlacedStep[];
  /** Findings of all steps, worst first; with equal severity, in the order of the steps. */
  readonly findings: readonly PlacedFinding[];
}

export interface PlacedStep extends ReportStep {
  readonly findings: readonly PlacedFinding[];
}

/** Maps files to paths in the repository. */
export interface ReportPlaces {
  /** Returns the path of a file from the top of the repository; undefined if it is not in it. */
  readonly pathOf: (file: string) => string | undefined;
  /** File for findings without a file: a path from the top of the repository. */
  readonly fallback: string;
}

/** Moves findings to files of the repository, because build systems show no others, and escapes texts. */
export function placedReport(report: Report, places: ReportPlaces): PlacedReport {
  const steps = report.steps.map((step) => ({
    ...step,
    text: shownLines(step.text),
    findings: step.findings.map((finding) => placedFinding(finding, places)),
  }));
  const all = steps.flatMap(({ findings }) => findings);
  const findings = REPORT_SEVERITIES.flatMap((severity) =>
    all.filter((each) => each.severity === severity),
  );
  return { ...report, headline: shownLines(report.headline), steps, findings };
}

function placedFinding(finding: ReportFinding, { pathOf, fallback }: ReportPlaces): PlacedFinding {
  const { origin, text, fix } = finding;
  const path = origin && pathOf(origin.file);
  const place = origin === undefined || path !== undefined ? '' : `${formatOrigin(origin)}: `;
  return {
    ...finding,
    origin:
      path === undefined ? { file: fallback, line: 1 } : { file: path, line: origin?.line ?? 1 },
    text: shownLines(`${place}${text}`),
    fix: fix && shownLines(fix),
  };
}

function shownLines(text: string): string {
  const lines = text.split('\n').map((line) => printable(line, Infinity).trimEnd());
  return lines
    .join('\n')
    .replaceAll(/\p{Surrogate}/gu, '\ufffd')
    .trim();
}
