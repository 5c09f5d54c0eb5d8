import { getHeapStatistics } from 'node:v8';
import type { PackageSource } from '../../sources/package-source.js';
import type { ResolveOptions } from '../../resolver/resolve/to-problem.js';
import type { ArgsOf, Flags, Positionals } from '../kit/command.js';
import type { RunIo } from '../terminal/io.js';
import { sourceDate } from '../terminal/environment.js';
import { inputFlags } from './input-flags.js';
import { lockFlag, switchFlag } from './common-flags.js';
import { timeoutFlag } from '../sources/network-flags.js';
import { sourceFlags } from '../sources/source-flags.js';

/** Packages named on the command line. */
export const refsArgument = {
  refs: { array: true, describe: 'Packages: SOURCE@CONSTRAINT, SOURCE@sha256:…, SOURCE:TAG' },
} as const satisfies Positionals;

/** Inputs, sources and rules, for every command that resolves. */
export const resolveFlags = {
  ...sourceFlags,
  ...inputFlags,
  crossplane: {
    describe: 'Crossplane release, or a range of which the newest that works is taken',
  },
  'crossplane-versions': {
    describe: 'Releases of Crossplane newer than this tool, separated by commas',
  },
  ...lockFlag('Lockfile to read and write'),
  prerelease: { array: true, describe: 'Admit prereleases of this package; may be repeated' },
  'allow-cycles': switchFlag('Accept packages that require each other'),
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
  io: Pick<RunIo, 'env'>,
): ResolveOptions {
  return {
    source,
    crossplane: args.crossplane,
    crossplaneVersions: (args.crossplaneVersions ?? '')
      .split(',')
      .map((version) => version.trim())
      .filter((version) => version !== ''),
    prereleases: args.prerelease ?? [],
    allowCycles: args.allowCycles,
    compat: args.compat,
    now: sourceDate(io),
    readsForNotes: source.distant !== true,
    goOn: () => !args.timeout.isUp() && hasFreeMemory(),
  };
}

const MAX_HEAP_SHARE = 0.85;

/** Returns whether the heap is far from its limit. Near it, garbage collection takes most of the time. */
function hasFreeMemory(): boolean {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  return used < limit * MAX_HEAP_SHARE;
}
