import type { ArgsOf, Flags } from '../command.js';

/** For commands that can be run for many sets at once. */
export const eachFlags = {
  each: {
    type: 'string',
    array: true,
    nargs: 1,
    describe:
      'Run for each set whose file matches this pattern, with lockfile and bundle beside it; quote it, repeat it for more, ! leaves out',
  },
  shard: {
    type: 'string',
    requiresArg: true,
    describe:
      'Do one part of the work: 2/5 is the second of five; `report merge` puts parts together',
  },
} as const satisfies Flags;

export type EachArgs = ArgsOf<typeof eachFlags>;
