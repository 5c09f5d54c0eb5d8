import type { Origin } from '../model/package.js';

/** What a run came to, for systems that run it: as annotations, test results or a summary. */
export interface Report {
  /** Name of the command. */
  readonly command: string;
  /** How it went, in one line. */
  readonly headline: string;
  /** Steps of the command; most have one, of the command's name. */
  readonly steps: readonly ReportStep[];
  /** What people want to see beside findings, in Markdown of which nothing is untrusted any more. */
  readonly details?: string | undefined;
  /** `details` tell every finding, so that a summary need not list them. */
  readonly isDetailed?: boolean | undefined;
  /** Values for later steps of a pipeline, by name. */
  readonly outputs?: Readonly<Record<string, string>> | undefined;
}

export interface ReportStep {
  readonly name: string;
  readonly status: 'passed' | 'failed' | 'skipped';
  /** How it went, in one line. */
  readonly text: string;
  readonly findings: readonly ReportFinding[];
}

/** Something that is wrong, or worth knowing, at a place. */
export interface ReportFinding {
  /** Stable, kebab-case. */
  readonly rule: string;
  readonly severity: ReportSeverity;
  /** undefined: no file says it. */
  readonly origin?: Origin | undefined;
  /** Its first line says what it is; more may follow. */
  readonly text: string;
  readonly fix?: string | undefined;
  /** Whether the run fails for it. */
  readonly fails: boolean;
}

/** Worst first. */
export const REPORT_SEVERITIES = ['error', 'warning', 'info'] as const;

export type ReportSeverity = (typeof REPORT_SEVERITIES)[number];

/** All findings, worst first, and of one severity in the order of the steps. */
export function findingsOf<F extends ReportFinding>({
  steps,
}: {
  readonly steps: readonly { readonly findings: readonly F[] }[];
}): F[] {
  const all = steps.flatMap(({ findings }) => findings);
  return REPORT_SEVERITIES.flatMap((severity) => all.filter((each) => each.severity === severity));
}

export function hasFailed({ steps }: Pick<Report, 'steps'>): boolean {
  return steps.some(({ status }) => status === 'failed');
}

/** What a finding says, with what to do about it below. */
export function findingText({ text, fix }: Pick<ReportFinding, 'text' | 'fix'>): string {
  return fix === undefined ? text : `${text}\nfix: ${fix}`;
}
