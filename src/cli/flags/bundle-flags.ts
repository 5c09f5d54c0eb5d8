import type { Argv } from 'yargs';
import { clash } from './clash.js';
import { outputFlag, type OutputArgs } from './output-flag.js';
import { pinFlags, type PinArgs } from './pin-flags.js';
import type { ResolveArgs } from './resolve-flags.js';

/** What becomes of an answer, for every command that writes one. */
export interface BundleArgs extends OutputArgs, PinArgs {
  readonly out: string;
  readonly write: boolean;
  readonly explain: boolean;
  readonly 'allow-undigested': boolean;
}

export function bundleFlags(yargs: Argv<ResolveArgs>): Argv<ResolveArgs & BundleArgs> {
  return pinFlags(outputFlag(yargs)).options({
    out: {
      type: 'string',
      requiresArg: true,
      default: 'rendered',
      describe: 'Folder to write the bundle to, or - to print it',
    },
    write: { type: 'boolean', default: true, describe: '--no-write answers and writes nothing' },
    explain: { type: 'boolean', default: false, describe: 'Say who asks for each package' },
    'allow-undigested': {
      type: 'boolean',
      default: false,
      describe: 'Lock versions whose digest no source knows',
    },
  });
}

export function refuseTwoOutputs(args: BundleArgs): void {
  if (args.output === 'json' && args.out === '-') throw clash('-o json', '--out -');
}
