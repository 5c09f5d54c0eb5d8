import { TestRunner } from 'vitest';

/** The results of a hostile test; `npm run hostile` sums them up and prints them. */
export interface Figure {
  readonly what: string;
  tried: number;
  /** Number of failures; a failing test counts at least one. */
  violations: number;
  /** Peak memory of the process or of its child processes. */
  peakBytes: number;
}

declare module 'vitest' {
  interface TaskMeta {
    figures?: Figure[];
  }
}

/**
 * Records what the running test tried, under a name from test/hostile/parts.ts.
 *
 * The default peak is that of this process; tests with child processes pass their peak.
 */
export function recordFigure(
  what: string,
  { tried, violations = 0, peakBytes }: { tried: number; violations?: number; peakBytes?: number },
): void {
  const test = TestRunner.getCurrentTest();
  if (test === undefined) throw new Error('a figure is recorded inside a test');
  const peak = peakBytes ?? process.resourceUsage().maxRSS * 1024;
  const figures = (test.meta.figures ??= []);
  const known = figures.find((figure) => figure.what === what);
  if (known === undefined) {
    figures.push({ what, tried, violations, peakBytes: peak });
    return;
  }
  known.tried += tried;
  known.violations += violations;
  known.peakBytes = Math.max(known.peakBytes, peak);
}
