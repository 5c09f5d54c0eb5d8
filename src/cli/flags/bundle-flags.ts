import type { ArgsOf, Flags } from '../command.js';
import { clash } from './clash.js';
import { outputFlag } from './output-flag.js';
import { pinFlags } from './pin-flags.js';

/** The folder of the bundle, or `-` for stdout. */
export function outFlag(describe: string) {
  return { out: { type: 'string', requiresArg: true, default: 'rendered', describe } } as const;
}

export function allowUndigestedFlag(describe: string) {
  return { 'allow-undigested': { type: 'boolean', default: false, describe } } as const;
}

/** What becomes of an answer, for every command that writes one. */
export const bundleFlags = {
  ...outputFlag,
  ...pinFlags,
  ...outFlag('Folder to write the bundle to, or - to print it'),
  write: { type: 'boolean', default: true, describe: '--no-write answers and writes nothing' },
  explain: { type: 'boolean', default: false, describe: 'Say who asks for each package' },
  ...allowUndigestedFlag('Lock versions whose digest no source knows'),
} as const satisfies Flags;

export type BundleArgs = ArgsOf<typeof bundleFlags>;

export function refuseTwoOutputs(args: BundleArgs): void {
  if (args.output === 'json' && args.out === '-') throw clash('-o json', '--out -');
}
