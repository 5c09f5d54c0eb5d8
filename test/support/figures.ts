import { TestRunner } from 'vitest';

/** What a hostile test tried; `npm run hostile` adds it up and prints it. */
export interface Figure {
  readonly what: string;
  tried: number;
  /** A test that fails is one, whether it counted it or not. */
  violations: number;
  /** Highest memory of the process, or of those that it started. */
  peakBytes: number;
}

declare module 'vitest' {
  interface TaskMeta {
    figures?: Figure[];
  }
}

/**
 * Notes in the running test what it tried, under a name that test/hostile/parts.ts lists.
 *
 * The peak is that of this process unless told: a test of other processes knows theirs.
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
