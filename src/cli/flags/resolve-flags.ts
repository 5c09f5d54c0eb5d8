import { getHeapStatistics } from 'node:v8';
import type { Argv } from 'yargs';
import { InputError } from '../../model/input-error.js';
import type { PackageSource } from '../../model/package-source.js';
import type { ResolveOptions } from '../../usecases/resolve/resolve.js';
import { inputFlags, type InputArgs } from './input-flags.js';
import { sourceFlags, type SourceArgs } from './source-flags.js';

/** Flags that say what is wanted, shared by every command that resolves. */
export interface ResolveArgs extends SourceArgs, InputArgs {
  readonly crossplane: string | undefined;
  readonly 'crossplane-versions': string | undefined;
  readonly lock: string;
  readonly prerelease: readonly string[] | undefined;
  readonly 'allow-cycles': boolean;
  readonly timeout: number;
}

/** Packages named on the command line. */
export interface RefArgs {
  readonly refs: readonly string[] | undefined;
}

export function refsArgument<T>(yargs: Argv<T>): Argv<T & RefArgs> {
  return yargs.positional('refs', {
    type: 'string',
    array: true,
    describe: 'Packages: SOURCE@CONSTRAINT, SOURCE@sha256:…, SOURCE:TAG',
  });
}

export function resolveFlags(yargs: Argv): Argv<ResolveArgs> {
  return inputFlags(sourceFlags(yargs)).options({
    crossplane: {
      type: 'string',
      requiresArg: true,
      describe: 'Crossplane release, or a range of which the newest that works is taken',
    },
    'crossplane-versions': {
      type: 'string',
      requiresArg: true,
      describe: 'Releases of Crossplane newer than this tool, separated by commas',
    },
    lock: {
      type: 'string',
      requiresArg: true,
      default: 'xpkg.lock.yaml',
      describe: 'Lockfile to read and write',
    },
    prerelease: {
      type: 'string',
      array: true,
      nargs: 1,
      describe: 'Admit prereleases of this package; may be repeated',
    },
    'allow-cycles': {
      type: 'boolean',
      default: false,
      describe: 'Accept packages that require each other',
    },
    timeout: {
      type: 'number',
      default: 300,
      describe: 'Seconds of searching after which to give up; short of memory, it does so sooner',
    },
  });
}

/** What these flags mean to the library; the clock starts here. */
export function resolveOptions(args: ResolveArgs, source: PackageSource): ResolveOptions {
  if (!(args.timeout >= 0)) {
    throw new InputError('`--timeout` must be a number of seconds, 0 or more');
  }
  const deadline = performance.now() + args.timeout * 1000;
  return {
    source,
    crossplane: args.crossplane,
    crossplaneVersions: listed(args['crossplane-versions']),
    prereleases: args.prerelease ?? [],
    allowCycles: args['allow-cycles'],
    compat: args.compat,
    goOn: () => performance.now() < deadline && hasRoom(),
  };
}

/** Near its limit a process spends its time looking for memory; better to give up and say so. */
function hasRoom(): boolean {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  return used < limit * 0.85;
}

function listed(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
