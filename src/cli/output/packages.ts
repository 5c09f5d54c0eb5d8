import { isDigest } from '../../text/digest.js';
import type { Movement } from '../../usecases/resolve/movement.js';
import type { Solved } from '../../usecases/resolve/answer.js';
import { counted } from './counted.js';

/** One line a package: what, at which version, and whether a root asks for it. */
export function packageLines({ lockfile, target }: Solved): string[] {
  const rows = lockfile.packages.map(({ repository, version, kind, direct }) => [
    repository,
    shortVersion(version),
    kind,
    direct ? '' : 'dependency',
  ]);
  const count = counted(rows.length, 'package');
  return [`${count} for Crossplane ${target.version}`, ...columns(rows)];
}

/** An answer in one line; `hadLock`: there was a lockfile for it to differ from. */
export function answerHeadline({ lockfile, target, changes }: Solved, hadLock: boolean): string {
  const packages = `${counted(lockfile.packages.length, 'package')} for Crossplane ${target.version}`;
  if (!hadLock) return packages;
  if (changes.length === 0) return `${packages}, as locked`;
  const first = changeText(changes[0]!);
  return `${packages}: ${first}${changes.length === 1 ? '' : ` (and ${changes.length - 1} more)`}`;
}

/** What moved, and why, a line each. */
export function changeLines(changes: readonly Movement[]): string[] {
  return changes.map((change) => {
    const { reason } = change;
    return reason === undefined ? changeText(change) : `${changeText(change)}: ${reason}`;
  });
}

function changeText({ repository, from, to, movedTag }: Movement): string {
  if (movedTag !== undefined)
    return `tag was moved: ${repository} ${shortVersion(to!)} names other bytes`;
  if (from === undefined) return `added ${repository} ${shortVersion(to!)}`;
  if (to === undefined) return `removed ${repository} ${shortVersion(from)}`;
  return `moved ${repository} ${shortVersion(from)} → ${shortVersion(to)}`;
}

/** For each package, who asks for it and with which words. */
export function requirerLines({ lockfile, requirers }: Solved): string[] {
  return lockfile.packages.flatMap(({ repository, version }) => [
    `${repository} ${shortVersion(version)}`,
    ...(requirers.get(repository) ?? []).map(({ text }) => `  ${text}`),
  ]);
}

/** Cells padded so that they stand below each other. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]!.length)));
  return rows.map((row) =>
    `  ${row.map((cell, i) => cell.padEnd(widths[i]!)).join('  ')}`.trimEnd(),
  );
}

/** A version for a line of text: of a digest, its first 12 digits. */
export function shortVersion(version: string): string {
  return isDigest(version) ? version.slice(0, 'sha256:'.length + 12) : version;
}
