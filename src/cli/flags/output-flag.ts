import type { Flags } from '../command.js';

/** How data is printed, for every command that prints some. */
export const outputFlag = {
  output: {
    alias: 'o',
    choices: ['text', 'json'],
    requiresArg: true,
    default: 'text',
    describe: 'How to print the answer',
  },
} as const satisfies Flags;

/** As `outputFlag`, for commands that write a file which people edit: it can be printed instead. */
export const editedOutputFlag = {
  output: {
    ...outputFlag.output,
    choices: ['text', 'json', 'yaml'],
    requiresArg: true,
    describe: 'How to print the answer; yaml: the edited file',
  },
} as const satisfies Flags;

export type OutputForm = (typeof editedOutputFlag.output.choices)[number];
