import { getHeapStatistics } from 'node:v8';
import type { PackageSource } from '../../model/package-source.js';
import type { ResolveOptions } from '../../usecases/resolve/resolve.js';
import type { ArgsOf, Flags, Positionals } from '../command.js';
import type { Io } from '../io/io.js';
import { sourceDate } from '../io/source-date.js';
import { inputFlags } from './input-flags.js';
import { lockFlag } from './lock-flag.js';
import { timeoutFlag } from './source/network-flags.js';
import { sourceFlags } from './source/source-flags.js';
import { crossplaneFlag } from './target-flag.js';

/** Packages named on the command line. */
export const refsArgument = {
  refs: {
    type: 'string',
    array: true,
    describe: 'Packages: SOURCE@CONSTRAINT, SOURCE@sha256:…, SOURCE:TAG',
  },
} as const satisfies Positionals;

export function prereleaseFlag(describe: string) {
  return { prerelease: { type: 'string', array: true, nargs: 1, describe } } as const;
}

/** What is asked for, of which sources and under which rules, for every command that resolves. */
export const resolveFlags = {
  ...sourceFlags,
  ...inputFlags,
  ...crossplaneFlag('Crossplane release, or a range of which the newest that works is taken'),
  'crossplane-versions': {
    type: 'string',
    requiresArg: true,
    describe: 'Releases of Crossplane newer than this tool, separated by commas',
  },
  ...lockFlag('Lockfile to read and write'),
  ...prereleaseFlag('Admit prereleases of this package; may be repeated'),
  'allow-cycles': {
    type: 'boolean',
    default: false,
    describe: 'Accept packages that require each other',
  },
  ...timeoutFlag(
    300,
    'Seconds after which to give up searching and waiting for registries; short of memory, it does so sooner',
  ),
} as const satisfies Flags;

export type ResolveArgs = ArgsOf<typeof resolveFlags>;

/** The options of a resolution, from the flags. */
export function resolveOptions(
  args: Omit<ResolveArgs, 'lock'>,
  source: PackageSource,
  io: Pick<Io, 'env'>,
): ResolveOptions {
  return {
    source,
    crossplane: args.crossplane,
    crossplaneVersions: listed(args.crossplaneVersions),
    prereleases: args.prerelease ?? [],
    allowCycles: args.allowCycles,
    compat: args.compat,
    now: sourceDate(io),
    goOn: () => !args.timeout.isUp() && hasRoom(),
  };
}

const MAX_HEAP_SHARE = 0.85;

/** Whether the heap is far from its limit: near it, collecting garbage takes most of the time. */
function hasRoom(): boolean {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  return used < limit * MAX_HEAP_SHARE;
}

function listed(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
