import { printable } from '../../../text/printable.js';
import { wrap } from '../../../text/wrap.js';
import type { Mismatch } from '../../../usecases/mismatch.js';
import { EXIT, type ExitCode } from '../../exit-code.js';
import type { Io } from '../../io/io.js';
import { jsonDocument } from '../json-document.js';
import { editedLockAlert, movedTagAlert } from './security.js';

/** Characters of a locked or found value that are shown. */
const MAX_VALUE_LENGTH = 500;

/** What does not match, in words; `lockfile` is its path. */
export function mismatchLines(mismatches: readonly Mismatch[], lockfile: string): string[] {
  const stale = mismatches.filter(({ kind }) => kind === 'stale');
  return [
    ...mismatches.filter(({ kind }) => kind !== 'stale').flatMap(linesOf),
    ...(stale.length === 0 ? [] : [`error: the lockfile \`${lockfile}\` is stale`]),
    ...stale.map(({ text }) => `  ${text}`),
  ];
}

function linesOf({ text, locked, found, ...mismatch }: Mismatch): string[] {
  const label = mismatch.kind === 'bundle' ? 'wanted' : 'locked';
  return [
    `error: ${subjectOf(mismatch)}${text}`,
    ...(locked === undefined ? [] : [`  ${label}: ${printable(locked, MAX_VALUE_LENGTH)}`]),
    ...(found === undefined ? [] : foundLines(found)),
  ];
}

function subjectOf({ repository, version, file, line }: Omit<Mismatch, 'text'>): string {
  if (file !== undefined) return line === undefined ? `${file}: ` : `${file}:${line}: `;
  return repository === undefined ? '' : `${repository} ${version}: `;
}

/** An explanation has several lines and is indented; a value has one, and a label. */
function foundLines(found: string): string[] {
  const lines = found.split('\n');
  if (lines.length === 1) return [`  found:  ${printable(found, MAX_VALUE_LENGTH)}`];
  return ['', ...lines.flatMap((line) => (line === '' ? [''] : wrap(line, '  ', '    ')))];
}

/** What `render --check` says of a folder in which there is no bundle at all. */
const NO_BUNDLE = 'no bundle is there';

/** Advice for each kind of mismatch that occurs, once: what it may mean, what to do. */
export function mismatchAdvice(mismatches: readonly Mismatch[], lockfile: string): string[] {
  const has = (...kinds: readonly Mismatch['kind'][]) =>
    mismatches.some(({ kind }) => kinds.includes(kind));
  const moved = mismatches.find(({ kind }) => kind === 'tag-moved');
  const lines: string[] = [];
  if (moved !== undefined) lines.push(...movedTagAlert(moved));
  if (has('content')) lines.push(...editedLockAlert(lockfile));
  if (has('gone')) {
    lines.push(
      'hint: name the source that it was locked from with `--from`; `xpkg-resolve vendor` keeps a copy of what is locked',
    );
  }
  if (has('constraint', 'input', 'stale') && moved === undefined) {
    lines.push('hint: run `xpkg-resolve resolve` and commit what it writes');
  }
  const bundle = mismatches.filter(({ kind }) => kind === 'bundle');
  if (bundle.length > 0 && bundle.every(({ text }) => text === NO_BUNDLE)) {
    lines.push('hint: it was not rendered yet, or elsewhere: without `--check`, it is written');
  } else if (bundle.length > 0) {
    lines.push(
      `hint: it was edited, or not rendered from \`${lockfile}\` as it is: see what differs, then \`xpkg-resolve render\` writes it again`,
    );
  }
  return lines;
}

/** Tells what does not match, where that is all there is to tell. */
export function reportMismatches(
  mismatches: readonly Mismatch[],
  { output, lock }: { readonly output?: string | undefined; readonly lock: string },
  io: Io,
): ExitCode {
  const exitCode = EXIT.lockMismatch;
  if (output === 'json') {
    const told = { status: 'mismatch', exitCode, mismatches: mismatchesJson(mismatches) };
    io.out(jsonDocument(told));
  }
  io.headline(mismatchHeadline(mismatches));
  for (const line of mismatchLines(mismatches, lock)) io.note(line);
  for (const line of mismatchAdvice(mismatches, lock)) io.note(line);
  io.report?.(async (command) => {
    const { mismatchReport } = await import('../findings/mismatch-findings.js');
    const { LockPlaces } = await import('../findings/lock-places.js');
    return mismatchReport(command, mismatches, await LockPlaces.read(lock, io));
  });
  return exitCode;
}

/** The first mismatch, and how many more there are. */
export function mismatchHeadline([first, ...others]: readonly Mismatch[]): string {
  if (first === undefined) return '';
  const stale = first.kind === 'stale' ? 'stale: ' : subjectOf(first);
  return `${stale}${first.text}${more(others.length + 1)}`;
}

/** How many of something there are beside the one that is told. */
export function more(count: number): string {
  return count < 2 ? '' : ` (and ${count - 1} more)`;
}

export function mismatchesJson(mismatches: readonly Mismatch[]): object[] {
  return mismatches.map(({ repository, ...mismatch }) => ({ source: repository, ...mismatch }));
}
