import type { SourceError } from '../../../model/source-error.js';
import type { Report, ReportFinding } from '../../../report/report.js';
import { codeSpan } from '../../../text/markup/code-span.js';
import type { Verification } from '../../../usecases/verify/verify.js';
import { counted } from '../counted.js';
import type { LockPlaces } from './lock-places.js';
import { details } from './markdown-parts.js';
import { countedMismatches, mismatchFindings } from './mismatch-findings.js';
import { singleStep } from './single-step.js';

export function verificationFindings(
  { mismatches, failures }: Pick<Verification, 'mismatches' | 'failures'>,
  places: LockPlaces,
): ReportFinding[] {
  return [...failures.map(failureFinding), ...mismatchFindings(mismatches, places)];
}

export function failureFinding({ code, message, hint }: SourceError): ReportFinding {
  const rule = code === 'BAD_DIGEST' ? 'bad-digest' : 'source-failed';
  return { rule, severity: 'error', fails: true, text: message, fix: hint };
}

/** How a verification went, in one line. */
export function verificationHeadline({ read, target, mismatches, failures }: Verification): string {
  if (mismatches.length + failures.length === 0) {
    const packages = `${counted(read, 'package')} ${read === 1 ? 'is' : 'are'}`;
    return `${packages} as locked, for Crossplane ${target.version}`;
  }
  const wrong = [
    ...(mismatches.length > 0 ? [countedMismatches(mismatches.length)] : []),
    ...(failures.length > 0 ? [counted(failures.length, 'failed source')] : []),
  ];
  return wrong.join(', ');
}

export function verificationReport(verification: Verification, places: LockPlaces): Report {
  const { notes, read, target } = verification;
  return singleStep({
    command: 'verify',
    headline: verificationHeadline(verification),
    findings: verificationFindings(verification, places),
    details: details(
      counted(notes.length, 'note'),
      notes.map((note) => codeSpan(note)),
    ).join(''),
    outputs: { crossplane: target.version, packages: String(read) },
  });
}
