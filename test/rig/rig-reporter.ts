import type { Reporter, TestCase } from 'vitest/node';
import { table } from '../conformance/table.js';
import type { RigFigure } from './rig-figure.js';

/** Prints one table of all results: scenarios by releases. */
export class RigReporter implements Reporter {
  readonly #cells = new Map<string, Map<string, string>>();

  onTestCaseResult(test: TestCase): void {
    const figure: RigFigure | undefined = test.meta().rigFigure;
    if (figure === undefined) return;
    const { scenario, release, seen } = figure;
    const row = this.#cells.get(scenario) ?? new Map<string, string>();
    this.#cells.set(scenario, row);
    row.set(release, test.result().state === 'passed' ? seen : 'FAILED');
  }

  onTestRunEnd(): void {
    const releases = [...new Set([...this.#cells.values()].flatMap((row) => [...row.keys()]))];
    if (releases.length === 0) return;
    const rows = [...this.#cells].map(([scenario, row]) => [
      scenario,
      ...releases.map((release) => row.get(release) ?? '-'),
    ]);
    process.stdout.write(`\n${table([['scenario', ...releases], ...rows])}`);
  }
}
