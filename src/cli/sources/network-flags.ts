import { switchFlag } from '../arguments/common-flags.js';
import { stat } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { InputError } from '../../base/errors.js';
import { timeBudget, type TimeBudget } from '../../base/time.js';
import type { Exchange } from '../../oci/registry/transport.js';
import type { DiskCache } from '../../oci/store/disk-cache.js';
import type { GivenSecret } from '../../sources/images/open-registries.js';
import type { ArgsOf, Flags } from '../kit/command.js';
import type { RunIo } from '../terminal/io.js';

/** Returns the flag for the maximum duration of a run in seconds, counted from the parsing of its command line. */
export function timeoutFlag(
  seconds: number,
  describe = 'Seconds after which to give up, waiting for registries included',
) {
  return { timeout: { type: 'number', default: seconds, coerce: budgetOf, describe } } as const;
}

/** For commands that may copy whole images or read all versions of many packages. */
export const BULK_TIMEOUT_S = 3600;

function budgetOf(seconds: number): TimeBudget {
  if (seconds >= 0) return timeBudget(seconds);
  throw new InputError('`--timeout` must be a number of seconds, 0 or more');
}

/** Connections to registries. */
export const networkFlags = {
  'insecure-registry': {
    array: true,
    describe:
      'Registry (HOST:PORT, or HOST for all its ports) that may speak plain HTTP; repeat it for more',
  },
  'pull-secret': {
    array: true,
    describe: 'File with pull secrets to sign in with; repeat it for more',
  },
  trace: switchFlag('Say on stderr what is asked of registries'),
  offline: switchFlag('Never use the network'),
  cache: {
    describe: 'Folder that keeps what was downloaded (default: the cache folder of the user)',
  },
  concurrency: { type: 'number', default: 8, describe: 'Requests at once, at most' },
  ...timeoutFlag(300),
} as const satisfies Flags;

export type NetworkArgs = ArgsOf<typeof networkFlags>;

const HOST = /^[^/@\s]+$/;

export function insecureHosts({ insecureRegistry = [] }: NetworkArgs): ReadonlySet<string> {
  const wrong = insecureRegistry.find((host) => !HOST.test(host));
  if (wrong === undefined) return new Set(insecureRegistry);
  const shown = wrong.slice(wrong.lastIndexOf('@') + 1);
  throw new InputError(`\`--insecure-registry ${shown}\`: not a host`, {
    hint: 'give the host as packages name it, with its port: `registry.example.org:5000`',
  });
}

export async function pullSecretsIn(
  { pullSecret = [] }: NetworkArgs,
  io: Pick<RunIo, 'cwd'>,
): Promise<readonly GivenSecret[]> {
  if (pullSecret.length === 0) return [];
  const { readText } = await import('../../project/inputs/input-files.js');
  const { readPullSecrets } = await import('../../project/inputs/secrets.js');
  const secrets = await Promise.all(
    pullSecret.map(async (file) =>
      readPullSecrets(await readText(file, io.cwd), file).map((secret) => ({ ...secret, file })),
    ),
  );
  return secrets.flat();
}

export function traceLine({ method, url, status, bytes, authorization, error }: Exchange): string {
  const how = authorization === 'none' ? '' : `, ${authorization}`;
  const outcome = error === undefined ? String(status) : `${status ?? 'no answer'} (${error})`;
  return `trace: ${method} ${url}: ${outcome}, ${bytes} bytes${how}`;
}

/** Returns the folder for downloads; undefined if neither flag nor environment names one. */
export function cacheFolder(flag: string | undefined, { cwd, env }: Pick<RunIo, 'cwd' | 'env'>) {
  const named = [flag, env['XPKG_RESOLVE_CACHE']].find((path) => path !== undefined && path !== '');
  if (named !== undefined) return resolve(cwd, named);
  const { XDG_CACHE_HOME: xdg = '', HOME: home = '' } = env;
  // The XDG specification says to ignore relative paths.
  if (isAbsolute(xdg)) return join(xdg, 'xpkg-resolve');
  return isAbsolute(home) ? join(home, '.cache', 'xpkg-resolve') : undefined;
}

/** Opens the cache that flags or environment name; undefined if they name none. */
export async function openCache(
  args: Pick<NetworkArgs, 'cache' | 'offline'>,
  io: Pick<RunIo, 'cwd' | 'env' | 'note'>,
): Promise<DiskCache | undefined> {
  const folder = cacheFolder(args.cache, io);
  if (folder === undefined) return undefined;
  const found = await stat(folder).catch(() => undefined);
  if (found?.isDirectory() === false) {
    throw new InputError(`the cache \`${folder}\` is a file, where a folder is wanted`, {
      hint: 'name another with `--cache` or XPKG_RESOLVE_CACHE',
    });
  }
  const { DiskCache } = await import('../../oci/store/disk-cache.js');
  return new DiskCache({ folder, offline: args.offline, note: (line) => io.note(line) });
}
