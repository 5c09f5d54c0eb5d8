import type { Flags } from '../command.js';

/** How data is printed, for every command that prints some. */
export const outputFlag = {
  output: {
    alias: 'o',
    choices: ['text', 'json'],
    default: 'text',
    describe: 'How to print the answer',
  },
} as const satisfies Flags;
