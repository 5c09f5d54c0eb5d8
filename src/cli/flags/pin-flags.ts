import { PINS } from '../../bundle/package-object.js';
import type { Flags } from '../command.js';

/** How the bundle is rendered, for every command that renders one. */
export const pinFlags = {
  pin: {
    choices: PINS,
    requiresArg: true,
    describe:
      'How objects name versions; locked: by tag, pulled by digest (default: as rendered before, else tag)',
  },
  'apply-lock': {
    type: 'boolean',
    describe: 'Apply the Lock with the packages, or with --no-apply-lock do so no longer',
  },
} as const satisfies Flags;
