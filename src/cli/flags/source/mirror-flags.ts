import type { Flags } from '../../command.js';

/** How names at a mirror are made. */
export const keepHostFlag = {
  'keep-host': {
    type: 'boolean',
    default: false,
    describe: 'Make the registry that an image is from part of its name at the mirror',
  },
} as const satisfies Flags;

export const signaturesFlag = {
  signatures: {
    type: 'boolean',
    default: true,
    describe: 'Leave out signatures, attestations and whatever else is attached to the images',
  },
} as const satisfies Flags;
