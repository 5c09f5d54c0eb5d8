import { type SignatureReport, signatureSchema } from './signatures-output.js';
import type { Verification } from './verify.js';
import type { SourceError } from '../../base/errors.js';
import { codeSpan } from '../../base/escape.js';
import {
  corruptBytesAlert,
  mismatchAdvice,
  mismatchesJson,
  mismatchHeadline,
  mismatchLines,
  moreCount,
} from '../../cli/files/mismatches.js';
import {
  countedMismatches,
  details,
  type LockPlaces,
  mismatchFindings,
  singleStep,
} from '../../cli/findings/report-parts.js';
import type { Report, ReportFinding } from '../../cli/findings/report.js';
import * as json from '../../cli/kit/json-schema.js';
import { amount } from '../../cli/terminal/package-text.js';

export interface VerifyValue {
  /** Everything that was checked, signatures and bundle included. */
  readonly verification: Verification;
  /** Bytes read from the network. */
  readonly bytes: number;
  /** The result of `--signatures`; undefined without the flag. */
  readonly signed: SignatureReport | undefined;
}

/** Returns the outcome. Failed sources take precedence over mismatches. */
export function verifyOutcome({
  verification: { failures, mismatches },
}: Pick<VerifyValue, 'verification'>): 'ok' | 'mismatch' | 'source-failed' {
  if (failures.length > 0) return 'source-failed';
  return mismatches.length > 0 ? 'mismatch' : 'ok';
}

/** Returns notes, then problems and their fixes. */
export function verifyNotes({ verification }: VerifyValue, lockfile: string): string[] {
  const { mismatches, failures, notes } = verification;
  return [
    ...notes.map((note) => `note: ${note}`),
    ...mismatchLines(mismatches, lockfile),
    ...failures.flatMap(({ message, hint }) => [
      `error: ${message}`,
      ...(hint === undefined ? [] : [`hint: ${hint}`]),
    ]),
    ...(failures.some(({ code }) => code === 'BAD_DIGEST') ? corruptBytesAlert() : []),
    ...mismatchAdvice(mismatches, lockfile),
  ];
}

/** Returns the result in one line. */
export function verifySummary({ verification, signed }: VerifyValue, lockfile: string): string {
  const { mismatches, failures } = verification;
  // Failed sources come first, because they may cause mismatches.
  if (failures.length > 0) return `${failures[0]!.message}${moreCount(failures.length)}`;
  if (mismatches.length > 0) return mismatchHeadline(mismatches);
  const signatures = signed === undefined ? '' : `; ${signed.summary}`;
  return `${asLocked(verification, ` in ${lockfile}`)}${signatures}`;
}

function asLocked({ read, target }: Verification, place = ''): string {
  const packages = `${amount(read, 'package')} ${read === 1 ? 'is' : 'are'}`;
  return `${packages} as locked${place}, for Crossplane ${target.version}`;
}

const schema = json.outputSchema('verify -o json', {
  status: json.oneOf(['verified', 'mismatch', 'failed'], 'How it went; `failed`: a source did.'),
  crossplane: json.crossplane,
  mismatches: json.mismatches,
  failures: json.list(
    json.record({ code: json.text('What sort of failure.'), text: json.text('What failed.') }),
    'Sources that failed.',
  ),
  'signatures?': json.list(signatureSchema, 'What became of signatures, with `--signatures`.'),
  notes: json.notes,
  stats: json.record(
    { read: json.count('Packages read.'), bytes: json.count('Bytes read from the network.') },
    'What it took.',
  ),
  'exitCode?': json.count('Exit code of the process, where it is not 0.'),
});

export const verifyOutput = json.jsonOutput(
  schema,
  ({ verification, bytes, signed }: VerifyValue): json.Static<typeof schema> => ({
    status: STATUSES[verifyOutcome({ verification })],
    crossplane: verification.target.version,
    mismatches: mismatchesJson(verification.mismatches),
    failures: verification.failures.map(({ code, message }) => ({ code, text: message })),
    signatures: signed?.signatures,
    notes: verification.notes,
    stats: { read: verification.read, bytes },
  }),
);

const STATUSES = { ok: 'verified', mismatch: 'mismatch', 'source-failed': 'failed' } as const;

export function verificationFindings(
  { mismatches, failures }: Pick<Verification, 'mismatches' | 'failures'>,
  places: LockPlaces,
): ReportFinding[] {
  return [...failures.map(failureFinding), ...mismatchFindings(mismatches, places)];
}

function failureFinding({ code, message, hint }: SourceError): ReportFinding {
  const rule = code === 'BAD_DIGEST' ? 'bad-digest' : 'source-failed';
  return { rule, severity: 'error', fails: true, text: message, fix: hint };
}

/** Returns the result of a verification in one line. */
export function verificationHeadline(verification: Verification): string {
  const { mismatches, failures } = verification;
  if (mismatches.length + failures.length === 0) return asLocked(verification);
  const wrong = [
    ...(mismatches.length > 0 ? [countedMismatches(mismatches.length)] : []),
    ...(failures.length > 0 ? [amount(failures.length, 'failed source')] : []),
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
      amount(notes.length, 'note'),
      notes.map((note) => codeSpan(note)),
    ).join(''),
    outputs: { crossplane: target.version, packages: String(read) },
  });
}
