import { printable } from '../../text/printable.js';
import type { SourceError } from '../../model/source-error.js';
import type { Mismatch } from '../../usecases/verify/lock-mismatch.js';
import type { Verification } from '../../usecases/verify/verify.js';
import { corruptBytesAlert, editedLockAlert, movedTagAlert } from './security.js';
import { wrap } from '../../text/wrap.js';
import { jsonDocument } from './json-document.js';

/** Characters of a locked or found value that are shown. */
const MAX_VALUE_LENGTH = 500;

interface VerificationText {
  /** undefined: something does not match, or a source failed. */
  readonly summary: string | undefined;
  readonly complaints: readonly string[];
}

export function verificationText(
  { target, read, mismatches, failures, notes }: Verification,
  lockfile: string,
): VerificationText {
  const complaints = [
    ...notes.map((note) => `note: ${note}`),
    ...mismatches.flatMap(mismatchLines),
    ...failures.flatMap(failureLines),
    ...advice(mismatches, failures, lockfile),
  ];
  const well = mismatches.length + failures.length === 0;
  const packages = `${read} ${read === 1 ? 'package is' : 'packages are'}`;
  const summary = well
    ? `${packages} as locked in ${lockfile}, for Crossplane ${target.version}`
    : undefined;
  return { summary, complaints };
}

function mismatchLines({ repository, version, text, locked, found }: Mismatch): string[] {
  const subject = repository === undefined ? '' : `${repository} ${version}: `;
  return [
    `error: ${subject}${text}`,
    ...(locked === undefined ? [] : [`  locked: ${printable(locked, MAX_VALUE_LENGTH)}`]),
    ...(found === undefined ? [] : foundLines(found)),
  ];
}

/** An explanation has several lines and is indented; a value has one, and a label. */
function foundLines(found: string): string[] {
  const lines = found.split('\n');
  if (lines.length === 1) return [`  found:  ${printable(found, MAX_VALUE_LENGTH)}`];
  return ['', ...lines.flatMap((line) => (line === '' ? [''] : wrap(line, '  ', '    ')))];
}

function failureLines({ message, hint }: SourceError): string[] {
  return [`error: ${message}`, ...(hint === undefined ? [] : [`hint: ${hint}`])];
}

/** Advice for each kind of mismatch and failure that occurs, once: what it may mean, what to do. */
function advice(
  mismatches: readonly Mismatch[],
  failures: readonly SourceError[],
  lockfile: string,
): string[] {
  const has = (kind: Mismatch['kind']) => mismatches.some((mismatch) => mismatch.kind === kind);
  const lines: string[] = [];
  if (has('tag-moved')) lines.push(...movedTagAlert(!has('gone')));
  if (has('content')) lines.push(...editedLockAlert(lockfile));
  if (failures.some(({ code }) => code === 'BAD_DIGEST')) lines.push(...corruptBytesAlert());
  if (has('gone')) {
    lines.push(
      'hint: name the source that it was locked from with `--from`; `xpkg-resolve vendor` keeps a copy of what is locked',
    );
  }
  if (has('constraint') || has('input')) {
    lines.push('hint: run `xpkg-resolve resolve` and commit what it writes');
  }
  return lines;
}

export function verificationJson(
  { target, read, mismatches, failures, notes }: Verification,
  bytes: number,
): string {
  return jsonDocument({
    status: statusOf(mismatches, failures),
    crossplane: target.version,
    mismatches: mismatches.map(({ kind, repository, version, text, locked, found }) => ({
      kind,
      source: repository,
      version,
      text,
      locked,
      found,
    })),
    failures: failures.map(({ code, message }) => ({ code, text: message })),
    notes,
    stats: { read, bytes },
  });
}

function statusOf(mismatches: readonly Mismatch[], failures: readonly SourceError[]): string {
  if (failures.length > 0) return 'failed';
  return mismatches.length > 0 ? 'mismatched' : 'verified';
}
