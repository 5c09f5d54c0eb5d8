import type { Flags } from '../command.js';

/** Flags that every command takes, before its name or after it. */
export const globalFlags = {
  help: { alias: 'h', type: 'boolean', describe: 'Show help' },
  version: { type: 'boolean', describe: 'Show the version of xpkg-resolve' },
  quiet: { alias: 'q', type: 'boolean', describe: 'Print errors, warnings and the answer alone' },
  verbose: {
    alias: 'v',
    type: 'boolean',
    describe: 'Also say what is asked of registries, and how long it all took',
  },
  color: {
    choices: ['auto', 'always', 'never'],
    requiresArg: true,
    describe: 'Colour messages: where they go to a terminal (auto), or as said',
  },
  debug: { type: 'boolean', describe: 'Show stack traces' },
} as const satisfies Flags;
