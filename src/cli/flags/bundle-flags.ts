import type { ArgsOf, Flags } from '../command.js';
import { clash } from './clash.js';
import { outputFlag, type OutputForm } from './output-flag.js';
import { pinFlags } from './pin-flags.js';

export const DEFAULT_OUT = 'rendered';

/** The folder of the bundle, or `-` for stdout. */
export function outFlag(describe: string) {
  return { out: { type: 'string', requiresArg: true, default: DEFAULT_OUT, describe } } as const;
}

export function bundleFlag(describe: string) {
  return { bundle: { type: 'boolean', default: true, describe } } as const;
}

export function allowUndigestedFlag(describe: string) {
  return { 'allow-undigested': { type: 'boolean', default: false, describe } } as const;
}

export function explainFlag(describe: string) {
  return { explain: { type: 'boolean', default: false, describe } } as const;
}

/** What becomes of an answer, for every command that writes one. */
export const bundleFlags = {
  ...outputFlag,
  ...pinFlags,
  ...outFlag('Folder to write the bundle to, or - to print it'),
  ...bundleFlag('Leave the folder of the bundle alone'),
  write: { type: 'boolean', default: true, describe: 'Answer only: write no file' },
  ...explainFlag('Say who asks for each package, or argue step by step why there is no answer'),
  'apply-hint': {
    type: 'number',
    requiresArg: true,
    describe: 'Where there is no answer: make the change of this hint, and resolve again',
  },
  ...allowUndigestedFlag('Lock versions whose digest no source knows'),
} as const satisfies Flags;

export type BundleArgs = Omit<ArgsOf<typeof bundleFlags>, 'output'> & {
  readonly output: OutputForm;
};

export function refuseTwoOutputs(args: BundleArgs): void {
  if (args.output !== 'text' && args.out === '-') throw clash(`-o ${args.output}`, '--out -');
  if (!args.bundle && args.out === '-') throw clash('--no-bundle', '--out -');
}
