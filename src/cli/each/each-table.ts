import { byCodePoint } from '../../text/code-point-order.js';
import { EXIT } from '../exit-code.js';
import { counted } from '../output/counted.js';
import { columns } from '../output/packages.js';
import type { SetResult } from './set-result.js';
import { RESULT_WORDS, severityOf } from './worst-exit-code.js';

/** A row a set: what failed first, the worst of it at the top, and why; then how many failed. */
export function eachTable(results: readonly SetResult[]): string[] {
  const rows = results.toSorted(
    (a, b) => severityOf(b.exitCode) - severityOf(a.exitCode) || byCodePoint(a.set, b.set),
  );
  return [...resultRows(rows), closingLine(results)];
}

/** The rows alone, in the order given. */
export function resultRows(results: readonly SetResult[]): string[] {
  return columns([
    ['set', 'result', ''],
    ...results.map(({ set, exitCode, headline }) => [set, RESULT_WORDS[exitCode], headline]),
  ]);
}

/** How many sets there are, and how many of them failed. */
export function closingLine(results: readonly SetResult[]): string {
  const all = counted(results.length, 'set');
  const failed = results.filter(({ exitCode }) => exitCode !== EXIT.done).length;
  return failed === 0 ? `${all}, all well` : `${failed} of ${all} failed`;
}
