import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Reporter, TestCase } from 'vitest/node';
import { table } from '../conformance/table.js';
import type { Figure } from '../support/figures.js';
import { documentedFigures } from './told-figures.js';

const PAGE = join(import.meta.dirname, '../../docs/trust.md');
const MIB = 1024 * 1024;

/** Arguments that select tests: a file, a folder, or a name. */
const NAMES_TESTS = /^test\/(?!.*config\.ts$)|^-t$|\.test\.ts$/;

interface Total {
  tried: number;
  violations: number;
  peakBytes: number;
  /** Duration of the slowest test. */
  seconds: number;
}

/**
 * Sums up what hostile tests tried, and prints one table.
 *
 * docs/trust.md lists what is tried. The run fails if a row of it did not run or, with `full`, ran
 * less often than stated there.
 */
export class FiguresReporter implements Reporter {
  readonly #full: boolean;
  readonly #totals = new Map<string, Total>();
  /** Whether files or tests were selected; then missing rows are no failure. */
  readonly #partial = process.argv.some((word) => NAMES_TESTS.test(word));

  constructor({ full }: { readonly full: boolean }) {
    this.#full = full;
  }

  onTestCaseResult(test: TestCase): void {
    const figures = test.meta().figures ?? [];
    const seconds = (test.diagnostic()?.duration ?? 0) / 1000;
    const failed = test.result().state === 'failed' ? 1 : 0;
    for (const figure of figures) this.#add(figure, seconds, failed);
  }

  onTestRunEnd(): void {
    const told = documentedFigures(readFileSync(PAGE, 'utf8'));
    const listed = this.#partial ? [] : told.keys();
    const names = [...new Set([...listed, ...this.#totals.keys()])];
    if (names.length === 0) return;
    const rows = names.map((what) => this.#row(what));
    process.stdout.write(
      `\n${table([['what', 'tried', 'broken', 'peak MiB', 'slowest test, s'], ...rows])}`,
    );
    const problems = names.flatMap((what) => this.#problem(what, told.get(what)) ?? []);
    for (const problem of problems) process.stdout.write(`FAILED: ${problem}\n`);
    if (problems.length > 0) process.exitCode = 1;
  }

  #add({ what, tried, violations, peakBytes }: Figure, seconds: number, failed: number): void {
    const total = this.#totals.get(what) ?? { tried: 0, violations: 0, peakBytes: 0, seconds: 0 };
    this.#totals.set(what, {
      tried: total.tried + tried,
      violations: total.violations + Math.max(violations, failed),
      peakBytes: Math.max(total.peakBytes, peakBytes),
      seconds: Math.max(total.seconds, seconds),
    });
  }

  #row(what: string): readonly (string | number)[] {
    const total = this.#totals.get(what);
    if (total === undefined) return [what, 0, 0, 0, 0];
    const { tried, violations, peakBytes, seconds } = total;
    return [what, tried, violations, Math.round(peakBytes / MIB), Math.round(seconds)];
  }

  #problem(what: string, told: number | undefined): string | undefined {
    const total = this.#totals.get(what);
    if (total === undefined) return `${what}: did not run`;
    if (total.violations > 0) return `${what}: ${total.violations} violations`;
    if (!this.#full || this.#partial) return undefined;
    if (told === undefined) return `${what}: docs/trust.md does not list it (${total.tried})`;
    return total.tried < told
      ? `${what}: ${total.tried}, where docs/trust.md says ${told}`
      : undefined;
  }
}
