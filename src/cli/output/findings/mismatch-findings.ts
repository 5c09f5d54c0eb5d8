import type { ReportFinding, Report } from '../../../report/report.js';
import type { Mismatch } from '../../../usecases/mismatch.js';
import type { LockPlaces } from './lock-places.js';
import { singleStep } from './single-step.js';

/** What does not match, at the file that differs or at the lockfile's line for the package. */
export function mismatchFindings(
  mismatches: readonly Mismatch[],
  places: LockPlaces,
): ReportFinding[] {
  return mismatches.map(({ kind, repository, version, file, line, text, locked, found }) => ({
    rule: kind,
    severity: 'error',
    fails: true,
    origin: file === undefined ? places.of(repository) : { file, line },
    text: [
      file === undefined && repository !== undefined && kind !== 'stale'
        ? `${repository} ${version}: ${text}`
        : text,
      ...(locked === undefined ? [] : [`${kind === 'bundle' ? 'wanted' : 'locked'}: ${locked}`]),
      ...(found === undefined ? [] : [`found: ${found}`]),
    ].join('\n'),
  }));
}

export function countedMismatches(count: number): string {
  return `${count} ${count === 1 ? 'mismatch' : 'mismatches'}`;
}

/** The report of a command that ended with what does not match. */
export function mismatchReport(
  command: string,
  mismatches: readonly Mismatch[],
  places: LockPlaces,
): Report {
  const headline = countedMismatches(mismatches.length);
  return singleStep({ command, headline, findings: mismatchFindings(mismatches, places) });
}
