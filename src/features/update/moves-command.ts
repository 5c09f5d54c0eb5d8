import type { Lockfile } from '../../project/lockfile/lockfile.js';
import { InputError } from '../../base/errors.js';
import { splitTag } from '../../crossplane/packages/reference.js';
import type { Move } from '../../resolver/resolve/resolve.js';
import type { RunIo } from '../../cli/terminal/io.js';
import { readLock, type LockPlace } from '../../cli/files/lock-file.js';
import { lockedPackage, notLockedError } from '../../cli/arguments/package-names.js';
import { type ResolveArgs, resolveFlags } from '../../cli/arguments/resolve-flags.js';
import { projectFlags } from '../../cli/projects/project.js';

/** Returns the arguments for each project: the named packages that it has locked. One without any is skipped. */
export async function whereLocked<
  Args extends LockPlace & { readonly packages?: readonly string[] | undefined },
>(sets: readonly Args[], io: RunIo): Promise<readonly (Args | string)[]> {
  const named = sets[0]?.packages ?? [];
  if (named.length === 0) return sets;
  const missing = new Set(named);
  const lockfiles = new Map<string, Lockfile>();
  const found: (Args | string)[] = [];
  for (const args of sets) {
    const lock = await readLock(args, io).catch(() => undefined);
    if (lock !== undefined) lockfiles.set(args.lock, lock.lockfile);
    // A lockfile that is missing or invalid is reported when its project runs.
    const packages = lock === undefined ? named : named.filter((text) => isIn(lock.lockfile, text));
    if (lock !== undefined) for (const text of packages) missing.delete(text);
    found.push(packages.length > 0 ? { ...args, packages } : `has no ${named.join(', ')}`);
  }
  const [first] = missing;
  if (first !== undefined && lockfiles.size > 0) {
    const packages = [...lockfiles.values()].flatMap((lockfile) => lockfile.packages);
    throw notLockedError(splitVersion(first).name, { packages }, { where: [...lockfiles.keys()] });
  }
  return found;
}

function isIn(lockfile: Lockfile, text: string): boolean {
  return (
    (lockedPackage(text, lockfile) ?? lockedPackage(splitVersion(text).name, lockfile)) !==
    undefined
  );
}

/** Splits `PKG@VERSION` or `PKG:TAG`. Without a version, `tag` is empty or undefined. */
export function splitVersion(text: string): {
  readonly name: string;
  readonly tag?: string | undefined;
} {
  const at = text.indexOf('@');
  return at < 0 ? splitTag(text) : { name: text.slice(0, at), tag: text.slice(at + 1) };
}

/** Reads `PKG`, `PKG@VERSION` or `PKG:TAG` as a move of a locked package; `named` is the path of the lockfile. */
export function readMove(text: string, lockfile: Lockfile, named: string): Move {
  const origin = { file: 'command line' };
  const whole = lockedPackage(text, lockfile);
  if (whole !== undefined) return { repository: whole.repository, version: undefined, origin };
  const { name, tag: version = '' } = splitVersion(text);
  const locked = lockedPackage(name, lockfile);
  if (locked === undefined) throw notLockedError(name, lockfile, { where: [named] });
  if (version === '') {
    throw new InputError(`\`${text}\` names no version`, { hint: `write \`${name}@v1.2.3\`` });
  }
  return { repository: locked.repository, version, origin };
}

/** Names of the flags that select the project, its sources and its rules. */
const REPEATED = new Set([...Object.keys(resolveFlags), 'directory', 'out', 'allow-undigested']);

/**
 * Returns the flags of this run, as typed, with which a printed command works on the same project.
 * With `--each`, they select one project.
 */
export function repeatedFlags(args: ResolveArgs & { readonly out?: string }, io: RunIo): string[] {
  const isEach = io.shared !== undefined;
  const typed = io.words.filter(
    ({ flag = '' }) => REPEATED.has(flag) && !(isEach && ['lock', 'out'].includes(flag)),
  );
  return [...(isEach ? projectFlags(args, io) : []), ...typed.map(({ text }) => text)];
}
