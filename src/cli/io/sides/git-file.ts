import { spawnSync } from 'node:child_process';
import { InputError } from '../../../model/input-error.js';
import { printable } from '../../../text/printable.js';
import { MAX_LOCKFILE_BYTES } from '../lock-file.js';
import type { Io } from '../io.js';

/** Time that git may take for one file, in milliseconds: a hook or a filter must not hang a run. */
const GIT_TIMEOUT_MS = 60_000;

/** What git knows by a text: a file at a revision, or a revision. */
export interface GitFile {
  /** `REVISION:PATH`, in full. */
  readonly name: string;
  readonly text: string;
}

/**
 * The file that a text such as `HEAD:xpkg.lock.yaml` names; of a revision alone, `path` beside the
 * user. undefined: git knows no such revision, or there is no git.
 */
export function gitFile(named: string, path: string, io: Io): GitFile | undefined {
  const colon = named.indexOf(':');
  const revision = colon < 0 ? named : named.slice(0, colon);
  if (revision === '' || revision.startsWith('-')) return undefined;
  const verified = git(['rev-parse', '--verify', '--quiet', '--end-of-options', revision], io);
  if (verified.status !== 0) return undefined;
  const name = colon < 0 ? `${revision}:./${path}` : named;
  const shown = git(['cat-file', 'blob', name], io);
  if (shown.status === 0) return { name, text: shown.stdout };
  const said = shown.stderr.trim().replace(/^fatal: /, '');
  throw new InputError(`git cannot show \`${name}\`: ${printable(said || 'it gave up')}`, {
    hint: 'write `REVISION:PATH` with the path from the top of the repository, or `REVISION:./PATH`',
  });
}

/** Plumbing alone: no pager, no filter, no hook runs; and nothing is fetched for a partial clone. */
function git(words: readonly string[], { cwd, env }: Io) {
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
