import { formatOrigin } from '../model/input-error.js';
import type { Origin } from '../model/package.js';
import { printable } from '../text/printable.js';
import type { Report, ReportFinding, ReportStep } from './report.js';

/** A finding as formats write it: at a file of the repository, its text fit to be shown. */
export interface PlacedFinding extends ReportFinding {
  readonly origin: Origin & { readonly line: number };
}

export interface PlacedReport extends Omit<Report, 'steps'> {
  readonly steps: readonly PlacedStep[];
}

export interface PlacedStep extends ReportStep {
  readonly findings: readonly PlacedFinding[];
}

/** What is known of files where a report is made. */
export interface ReportPlaces {
  /** Path of a file from the top of the repository; undefined: there is no such file in it. */
  readonly pathOf: (file: string) => string | undefined;
  /** Where findings stand that are about no file: a path from the top of the repository. */
  readonly fallback: string;
}

/**
 * A report whose findings all stand in files of the repository, since systems show no others, and
 * whose texts have lost what would command a terminal or the system itself.
 */
export function placedReport(report: Report, places: ReportPlaces): PlacedReport {
  return {
    ...report,
    headline: shownLines(report.headline),
    steps: report.steps.map((step) => ({
      ...step,
      text: shownLines(step.text),
      findings: step.findings.map((finding) => placedFinding(finding, places)),
    })),
  };
}

function placedFinding(finding: ReportFinding, { pathOf, fallback }: ReportPlaces): PlacedFinding {
  const { origin, text, fix } = finding;
  const path = origin === undefined ? undefined : pathOf(origin.file);
  const said = origin === undefined || path !== undefined ? '' : `${formatOrigin(origin)}: `;
  return {
    ...finding,
    origin:
      path === undefined ? { file: fallback, line: 1 } : { file: path, line: origin!.line ?? 1 },
    text: shownLines(`${said}${text}`),
    fix: fix === undefined ? undefined : shownLines(fix),
  };
}

function shownLines(text: string): string {
  return text
    .split('\n')
    .map((line) =>
      printable(line, Infinity)
        .replaceAll(/\p{Surrogate}/gu, '\ufffd')
        .trimEnd(),
    )
    .join('\n')
    .trim();
}
