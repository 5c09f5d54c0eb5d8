import { printable, shellWord } from '../../base/escape.js';
import { wrap } from '../../base/messages.js';
import type { Mismatch } from '../../project/lockfile/mismatch.js';
import { EXIT, OtherResult } from '../kit/command.js';
import type { MismatchDocument, MismatchOutputDocument } from '../kit/json-schema.js';
import type { RunIo } from '../terminal/io.js';

/** Characters of a locked or found value that are shown. */
const MAX_VALUE_LENGTH = 500;

/** Returns the lines that describe mismatches; `lockfile` is its path. */
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

/** An explanation has several indented lines; a value has one line and a label. */
function foundLines(found: string): string[] {
  const lines = found.split('\n');
  if (lines.length === 1) return [`  found:  ${printable(found, MAX_VALUE_LENGTH)}`];
  return ['', ...lines.flatMap((line) => (line === '' ? [''] : wrap(line, '  ', '    ')))];
}

/** The message of `render --check` for a folder without rendered manifests. */
const NO_BUNDLE = 'no bundle is there';

/** Returns the advice for each kind of mismatch that occurs, once. */
export function mismatchAdvice(mismatches: readonly Mismatch[], lockfile: string): string[] {
  const has = (...kinds: readonly Mismatch['kind'][]) =>
    mismatches.some(({ kind }) => kinds.includes(kind));
  const moved = mismatches.find(({ kind }) => kind === 'tag-moved');
  const isOutdated = moved === undefined && has('constraint', 'input', 'stale');
  const bundle = mismatches.filter(({ kind }) => kind === 'bundle');
  const renderHint = bundle.every(({ text }) => text === NO_BUNDLE)
    ? 'hint: it was not rendered yet, or elsewhere: without `--check`, it is written'
    : `hint: it was edited, or not rendered from \`${lockfile}\` as it is: see what differs, then \`xpkg-resolve render\` writes it again`;
  return [
    ...(moved === undefined ? [] : movedTagAlert(moved)),
    ...(has('content') ? editedLockAlert(lockfile) : []),
    ...(has('gone') ? [GONE_HINT] : []),
    ...(isOutdated ? ['hint: run `xpkg-resolve resolve` and commit what it writes'] : []),
    ...(bundle.length > 0 ? [renderHint] : []),
  ];
}

const GONE_HINT =
  'hint: name the source that it was locked from with `--from`; `xpkg-resolve vendor` keeps a copy of what is locked';

/** Returns mismatches as the only result of a command; `hints` are further lines for stderr. */
export function mismatchResult(
  mismatches: readonly Mismatch[],
  lock: string,
  io: RunIo,
  hints: readonly string[] = [],
): OtherResult {
  return new OtherResult({
    json: (): MismatchOutputDocument => ({
      status: 'mismatch',
      exitCode: EXIT.lockMismatch,
      mismatches: mismatchesJson(mismatches),
    }),
    headline: mismatchHeadline(mismatches),
    notes: [...mismatchLines(mismatches, lock), ...mismatchAdvice(mismatches, lock), ...hints],
    findings: async (command) => {
      const { mismatchReport } = await import('../findings/report-parts.js');
      return mismatchReport(command, mismatches, lock, io);
    },
    exit: 'mismatch',
  });
}

export function mismatchHeadline([first, ...others]: readonly Mismatch[]): string {
  if (first === undefined) return '';
  const stale = first.kind === 'stale' ? 'stale: ' : subjectOf(first);
  return `${stale}${first.text}${moreCount(others.length + 1)}`;
}

/** Returns the text for the number of further items. */
export function moreCount(count: number): string {
  return count < 2 ? '' : ` (and ${count - 1} more)`;
}

export function mismatchesJson(mismatches: readonly Mismatch[]): MismatchDocument[] {
  return mismatches.map(({ repository, ...mismatch }) => ({ source: repository, ...mismatch }));
}

/** Marks a message about a possible attack, so that it is visible in a build log. */
function securityAlert(text: string): string[] {
  return wrap(`SECURITY: ${text}`, '', '  ');
}

/** `moved`: a package whose tag was moved, for the command that accepts the new digest. */
function movedTagAlert({ repository, version }: Mismatch): string[] {
  return [
    ...securityAlert(
      'a tag names other bytes than were locked. Its publisher pushed it again, or somebody ' +
        'else did, or somebody stands between you and the registry, or the digest in the ' +
        'lockfile was edited. A cluster that installs it gets what nobody here has looked at.',
    ),
    `hint: look at what it is now with \`xpkg-resolve inspect ${shellWord(repository!)}:${version}\``,
    `hint: to take it, \`xpkg-resolve update ${shellWord(repository!)}@${version} --accept-moved\`, and review the lockfile`,
    'hint: to install what was locked, as long as a registry has it, `xpkg-resolve render --pin locked` (Crossplane v1.20 and newer) or `--pin digest`',
  ];
}

function editedLockAlert(lockfile: string): string[] {
  return [
    ...securityAlert(
      `\`${lockfile}\` says of a package what the package does not say, or leaves out a digest ` +
        'that its source has. The lockfile was edited or damaged, or was written for other bytes.',
    ),
    `hint: restore \`${lockfile}\` from version control, or run \`xpkg-resolve resolve\` and review what changes`,
  ];
}

export function corruptBytesAlert(): string[] {
  return securityAlert(
    'bytes are not what their digest says: damaged where they are kept or on the way, or ' +
      'replaced. They were not used.',
  );
}
