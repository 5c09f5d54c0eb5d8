import type { Finding } from '../model/package-meta.js';
import { printable } from '../text/printable.js';

/** Longer than any honest message; what packages say of themselves goes into them. */
const MAX_MESSAGE = 1000;

/** The target refuses the package for this. */
export function errorFinding(code: string, message: string, line: number | undefined): Finding {
  return { severity: 'error', code, message: printable(message, MAX_MESSAGE), line };
}

/** Worth a word, no more. */
export function warningFinding(code: string, message: string, line: number | undefined): Finding {
  return { severity: 'warning', code, message: printable(message, MAX_MESSAGE), line };
}
