import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { MAX_LOCKFILE_BYTES, readLock } from './lock-file.js';
import { InputError } from '../../base/errors.js';
import { printable } from '../../base/escape.js';
import type { Lockfile } from '../../project/lockfile/lockfile.js';
import { parseLockfile } from '../../project/lockfile/parse-lockfile.js';
import { findProject, lockOf, projectIn } from '../projects/project.js';
import { isOciPath } from '../sources/oci-path.js';
import type { RegistryArgs } from '../sources/registries.js';
import type { RunIo } from '../terminal/io.js';

/** A lockfile, with its name for messages. */
export interface NamedLock {
  readonly shown: string;
  readonly lockfile: Lockfile;
}

/** Returns the lockfile that an argument names: `oci://…`, a file, a folder or a git revision; else undefined. */
export async function namedLock(
  named: string,
  args: RegistryArgs,
  io: RunIo,
): Promise<NamedLock | undefined> {
  if (isOciPath(named)) return existingLock(named, args, io);
  const path = resolve(io.cwd, named);
  if (existsSync(path)) {
    if (statSync(path).isDirectory()) {
      const lockInFolder = lockOf(projectIn(named, io.cwd), io.cwd);
      return existsSync(resolve(io.cwd, lockInFolder))
        ? existingLock(lockInFolder, args, io)
        : undefined;
    }
    return isPackageFile(named) ? undefined : existingLock(named, args, io);
  }
  const project = findProject(io.cwd) ?? projectIn('.', io.cwd);
  return lockAtRevision(named, lockOf(project, io.cwd), io);
}

/** Returns the lockfile that an argument names. Throws if it names none. */
export async function requireNamedLock(
  named: string,
  args: RegistryArgs,
  io: RunIo,
): Promise<NamedLock> {
  const found = await namedLock(named, args, io);
  if (found !== undefined) return found;
  throw new InputError(`\`${named}\` is no lockfile`, {
    hint: 'name a file, `REVISION:PATH` of git such as `HEAD:xpkg.lock.yaml`, or `oci://…`',
  });
}

function isPackageFile(named: string): boolean {
  return /\.xpkg$|(?:^|[\\/.])package\.yaml(?:\.gz)?$/.test(named);
}

async function existingLock(lock: string, args: RegistryArgs, io: RunIo): Promise<NamedLock> {
  const found = await readLock({ ...args, lock }, io);
  if (found === undefined) throw new InputError(`there is no lockfile \`${lock}\``);
  return { shown: lock, lockfile: found.lockfile };
}

/** Time limit for git to print one file, in milliseconds. */
const GIT_TIMEOUT_MS = 60_000;

/**
 * Returns the lockfile for a text such as `HEAD:xpkg.lock.yaml`; for a revision without a path,
 * `path` in the working folder. undefined if git does not know the revision, or is not installed.
 */
function lockAtRevision(named: string, path: string, io: RunIo): NamedLock | undefined {
  const colon = named.indexOf(':');
  const revision = colon < 0 ? named : named.slice(0, colon);
  if (revision === '' || revision.startsWith('-')) return undefined;
  const knownRevision = git(['rev-parse', '--verify', '--quiet', '--end-of-options', revision], io);
  if (knownRevision.status !== 0) return undefined;
  const name = colon < 0 ? `${revision}:./${path}` : named;
  const shown = git(['cat-file', 'blob', name], io);
  if (shown.status === 0) return { shown: name, lockfile: parseLockfile(shown.stdout, name) };
  const reason = shown.stderr.trim().replace(/^fatal: /, '');
  throw new InputError(`git cannot show \`${name}\`: ${printable(reason || 'it gave up')}`, {
    hint: 'write `REVISION:PATH` with the path from the top of the repository, or `REVISION:./PATH`',
  });
}

/** Runs a git plumbing command: without pager, filters and hooks, and without fetching for a partial clone. */
function git(words: readonly string[], { cwd, env }: RunIo) {
  const ran = spawnSync('git', words, {
    cwd,
    env: { ...env, GIT_NO_LAZY_FETCH: '1', GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0' },
    encoding: 'utf8',
    maxBuffer: MAX_LOCKFILE_BYTES,
    timeout: GIT_TIMEOUT_MS,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return { status: ran.status, stdout: ran.stdout ?? '', stderr: ran.stderr ?? '' };
}
