import type { SourceError } from '../../../model/source-error.js';
import type { Mismatch } from '../../../usecases/mismatch.js';
import type { Verification } from '../../../usecases/verify/verify.js';
import { corruptBytesAlert } from './security.js';
import type { SignatureReport } from './signatures.js';
import { jsonDocument } from '../json-document.js';
import {
  mismatchAdvice,
  mismatchesJson,
  mismatchHeadline,
  mismatchLines,
  more,
} from './mismatches.js';

interface VerificationText {
  /** undefined: something does not match, or a source failed. */
  readonly summary: string | undefined;
  readonly complaints: readonly string[];
}

export function verificationText(
  { target, read, mismatches, failures, notes }: Verification,
  lockfile: string,
  signed?: SignatureReport,
): VerificationText {
  const complaints = [
    ...notes.map((note) => `note: ${note}`),
    ...mismatchLines(mismatches, lockfile),
    ...failures.flatMap(failureLines),
    ...(failures.some(({ code }) => code === 'BAD_DIGEST') ? corruptBytesAlert() : []),
    ...mismatchAdvice(mismatches, lockfile),
  ];
  const well = mismatches.length + failures.length === 0;
  const packages = `${read} ${read === 1 ? 'package is' : 'packages are'}`;
  const summary = well
    ? `${packages} as locked in ${lockfile}, for Crossplane ${target.version}${signed === undefined ? '' : `; ${signed.summary}`}`
    : undefined;
  return { summary, complaints };
}

function failureLines({ message, hint }: SourceError): string[] {
  return [`error: ${message}`, ...(hint === undefined ? [] : [`hint: ${hint}`])];
}

/** What is wrong, in one line: failures are told first, for they may be why nothing matches. */
export function firstComplaint({
  mismatches,
  failures,
}: Pick<Verification, 'mismatches' | 'failures'>): string {
  if (failures.length === 0) return mismatchHeadline(mismatches);
  return `${failures[0]!.message}${more(failures.length)}`;
}

export function verificationJson(
  { target, read, mismatches, failures, notes }: Verification,
  bytes: number,
  signed?: SignatureReport,
): string {
  return jsonDocument({
    status: statusOf(mismatches, failures),
    crossplane: target.version,
    mismatches: mismatchesJson(mismatches),
    failures: failures.map(({ code, message }) => ({ code, text: message })),
    signatures: signed?.signatures,
    notes,
    stats: { read, bytes },
  });
}

function statusOf(mismatches: readonly Mismatch[], failures: readonly SourceError[]): string {
  if (failures.length > 0) return 'failed';
  return mismatches.length > 0 ? 'mismatch' : 'verified';
}
