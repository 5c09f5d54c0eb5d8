import type { Argv } from 'yargs';

export interface OutputArgs {
  readonly output: 'text' | 'json';
}

/** How data is printed, for every command that prints some. */
export function outputFlag<T>(yargs: Argv<T>): Argv<T & OutputArgs> {
  return yargs.option('output', {
    alias: 'o',
    choices: ['text', 'json'] as const,
    default: 'text' as const,
    describe: 'How to print the answer',
  });
}
