import type { Flags } from '../command.js';

/** How the bundle is rendered, for every command that renders one. */
export const pinFlags = {
  pin: {
    choices: ['tag', 'digest'],
    default: 'tag',
    describe: 'How objects name versions',
  },
  'apply-lock': {
    type: 'boolean',
    default: false,
    describe: 'Apply the Lock with the packages',
  },
} as const satisfies Flags;
