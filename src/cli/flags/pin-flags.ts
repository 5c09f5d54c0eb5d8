import type { Argv } from 'yargs';

/** How the bundle is rendered, for every command that renders one. */
export interface PinArgs {
  readonly pin: 'tag' | 'digest';
  readonly 'apply-lock': boolean;
}

export function pinFlags<T>(yargs: Argv<T>): Argv<T & PinArgs> {
  return yargs
    .option('pin', {
      choices: ['tag', 'digest'] as const,
      default: 'tag' as const,
      describe: 'How objects name versions',
    })
    .option('apply-lock', {
      type: 'boolean',
      default: false,
      describe: 'Apply the Lock with the packages',
    });
}
