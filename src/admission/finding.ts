import type { Finding } from '../model/package-meta.js';
import { printable } from '../text/printable.js';

/** Characters of a message, which repeats text from the package: that may be of any length. */
const MAX_MESSAGE_LENGTH = 1000;

/** The target refuses the package for this. */
export function errorFinding(code: string, message: string, line: number | undefined): Finding {
  return { severity: 'error', code, message: printable(message, MAX_MESSAGE_LENGTH), line };
}

/** The target takes the package all the same. */
export function warningFinding(code: string, message: string, line: number | undefined): Finding {
  return { severity: 'warning', code, message: printable(message, MAX_MESSAGE_LENGTH), line };
}

/** Warnings of what `--compat` reads, and Crossplane itself rejects. */
const COMPAT_CODES: ReadonlySet<string> = new Set([
  'compat-format',
  'compat-group',
  'crossplane-string',
  'dependency-crd',
]);

/** Whether no Crossplane takes the package, though it is read: only `--compat` does. */
export function isTakenByCompat(findings: readonly Pick<Finding, 'code' | 'severity'>[]): boolean {
  return findings.some(({ code, severity }) => severity === 'warning' && COMPAT_CODES.has(code));
}
