import { InputError } from '../../../model/input-error.js';
import { timeBudget, type TimeBudget } from '../../../model/time/time-budget.js';
import type { Exchange } from '../../../registry/transport/transport.js';
import type { GivenSecret } from '../../../sources/registry/open-registries.js';
import type { ArgsOf, Flags } from '../../command.js';
import type { Io } from '../../io/io.js';
import { mustBeWhole } from '../whole-number.js';

/** The folder that keeps what was downloaded; absent: that of the user. */
export function cacheFlag(describe: string) {
  return { cache: { type: 'string', requiresArg: true, describe } } as const;
}

/** Seconds that a run may take, from the reading of its command line on. */
export function timeoutFlag(
  seconds: number,
  describe = 'Seconds after which to give up, waiting for registries included',
) {
  return {
    timeout: { type: 'number', requiresArg: true, default: seconds, coerce: budgetOf, describe },
  } as const;
}

/** For commands that may copy whole images or read all versions of many packages. */
export const BULK_TIMEOUT_S = 3600;

function budgetOf(seconds: number): TimeBudget {
  if (seconds >= 0) return timeBudget(seconds);
  throw new InputError('`--timeout` must be a number of seconds, 0 or more');
}

/** How registries are spoken to. */
export const networkFlags = {
  'insecure-registry': {
    type: 'string',
    array: true,
    nargs: 1,
    describe:
      'Registry (HOST:PORT, or HOST for all its ports) that may speak plain HTTP; repeat it for more',
  },
  'pull-secret': {
    type: 'string',
    array: true,
    nargs: 1,
    describe: 'File with pull secrets to sign in with; repeat it for more',
  },
  trace: {
    type: 'boolean',
    default: false,
    describe: 'Say on stderr what is asked of registries',
  },
  offline: { type: 'boolean', default: false, describe: 'Never use the network' },
  ...cacheFlag('Folder that keeps what was downloaded (default: the cache folder of the user)'),
  concurrency: {
    type: 'number',
    requiresArg: true,
    default: 8,
    describe: 'Requests at once, at most',
  },
  ...timeoutFlag(300),
} as const satisfies Flags;

export type NetworkArgs = ArgsOf<typeof networkFlags>;

const HOST = /^[^/@\s]+$/;

export function refuseNoRequests({ concurrency }: Pick<NetworkArgs, 'concurrency'>): void {
  mustBeWhole('--concurrency', concurrency, 1);
}

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
  io: Pick<Io, 'cwd'>,
): Promise<readonly GivenSecret[]> {
  if (pullSecret.length === 0) return [];
  const { readText } = await import('../../../inputs/input-files.js');
  const { readPullSecrets } = await import('../../../inputs/documents/pull-secret.js');
  const secrets = await Promise.all(
    pullSecret.map(async (file) =>
      readPullSecrets(await readText(file, io.cwd), file).map((secret) => ({ ...secret, file })),
    ),
  );
  return secrets.flat();
}

/** One line of the trace. */
export function traced({ method, url, status, bytes, authorization, error }: Exchange): string {
  const how = authorization === 'none' ? '' : `, ${authorization}`;
  const outcome = error === undefined ? String(status) : `${status ?? 'no answer'} (${error})`;
  return `trace: ${method} ${url}: ${outcome}, ${bytes} bytes${how}`;
}
