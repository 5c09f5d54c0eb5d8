import { EXIT, type ExitCode } from '../exit-code.js';

/**
 * From the mildest to the worst: the further a set is from an answer, the worse. With findings there
 * is an answer; a lockfile that is not true can be made so; of no answer the reasons are known; of a
 * search given up they are not; what a source or a file holds could not be read at all; a bug.
 */
const BY_SEVERITY: readonly ExitCode[] = [
  EXIT.done,
  EXIT.findings,
  EXIT.lockMismatch,
  EXIT.unsolvable,
  EXIT.gaveUp,
  EXIT.sourceFailed,
  EXIT.badInput,
  EXIT.bug,
];

/** The exit code of several runs: that of the one which fared worst; of none, 0. */
export function worstExitCode(codes: readonly ExitCode[]): ExitCode {
  return BY_SEVERITY[Math.max(0, ...codes.map(severityOf))]!;
}

/** How bad an exit code is, from 0. */
export function severityOf(code: ExitCode): number {
  return BY_SEVERITY.indexOf(code);
}

/** What an exit code means, in a word for a table. */
export const RESULT_WORDS: Readonly<Record<ExitCode, string>> = {
  [EXIT.done]: 'ok',
  [EXIT.bug]: 'bug',
  [EXIT.badInput]: 'bad input',
  [EXIT.unsolvable]: 'unsolvable',
  [EXIT.lockMismatch]: 'mismatch',
  [EXIT.sourceFailed]: 'source failed',
  [EXIT.findings]: 'findings',
  [EXIT.gaveUp]: 'gave up',
};
