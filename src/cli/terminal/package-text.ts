import { isDigest } from '../../base/digest.js';
import { INDEPENDENT_DIALECT } from '../../crossplane/constraints/dialects.js';
import { compareVersionTexts } from '../../crossplane/constraints/version.js';
import type { Solved } from '../../resolver/resolve/answer.js';
import type { Movement } from '../../resolver/resolve/movements.js';

/** `1 package`, `2 packages`. */
export function amount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Returns a line for each package: name, version, kind, and whether it is a root. */
export function packageLines({ lockfile, target }: Solved): string[] {
  const rows = lockfile.packages.map(({ repository, version, kind, direct }) => [
    repository,
    shortVersion(version),
    kind,
    direct ? '' : 'dependency',
  ]);
  const count = amount(rows.length, 'package');
  return [`${count} for Crossplane ${target.version}`, ...columns(rows)];
}

/** Returns an answer in one line. `isWritten` is false with `--no-write`. */
export function answerHeadline(
  { lockfile, target, changes }: Solved,
  { hadLock, isWritten }: { readonly hadLock: boolean; readonly isWritten: boolean },
): string {
  const packages = `${amount(lockfile.packages.length, 'package')} for Crossplane ${target.version}`;
  if (!hadLock) return packages;
  if (changes.length === 0) return `${packages}, as locked`;
  const first = changeText(changes[0]!, isWritten);
  return `${packages}: ${first}${changes.length === 1 ? '' : ` (and ${changes.length - 1} more)`}`;
}

/** Returns a line for each changed package, with the reason; `isWritten` false: for each that would change. */
export function changeLines(changes: readonly Movement[], isWritten: boolean): string[] {
  return changes.map((change) => {
    const text = changeText(change, isWritten);
    return change.reason === undefined ? text : `${text}: ${change.reason}`;
  });
}

function changeText({ repository, from, to, movedTag }: Movement, isWritten: boolean): string {
  if (movedTag !== undefined)
    return `tag was moved: ${repository} ${shortVersion(to!)} names other bytes`;
  const versions = [from, to].filter((version) => version !== undefined).map(shortVersion);
  const verb = changeVerb(from, to);
  const done = verb.endsWith('e') ? `${verb}d` : `${verb}ed`;
  return `${isWritten ? done : `would ${verb}`} ${repository} ${versions.join(' → ')}`;
}

function changeVerb(from: string | undefined, to: string | undefined): string {
  if (from === undefined) return 'add';
  if (to === undefined) return 'remove';
  return (compareVersionTexts(to, from, INDEPENDENT_DIALECT) ?? 0) < 0 ? 'downgrade' : 'move';
}

/** Returns the requirers of each package with their constraints. */
export function requirerLines({ lockfile, requirers }: Solved): string[] {
  return lockfile.packages.flatMap(({ repository, version }) => [
    `${repository} ${shortVersion(version)}`,
    ...(requirers.get(repository) ?? []).map(({ text }) => `  ${text}`),
  ]);
}

/** Pads cells to columns. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]!.length)));
  return rows.map((row) =>
    `  ${row.map((cell, i) => cell.padEnd(widths[i]!)).join('  ')}`.trimEnd(),
  );
}

/** Returns a version for text; a digest is cut to 12 digits. */
export function shortVersion(version: string): string {
  return isDigest(version) ? version.slice(0, 'sha256:'.length + 12) : version;
}
