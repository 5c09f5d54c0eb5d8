export const DEFAULT_LOCK = 'xpkg.lock.yaml';

/** Which lockfile; `describe` says what the command does with it. */
export function lockFlag(describe = 'Lockfile to read') {
  return {
    lock: { type: 'string', requiresArg: true, default: DEFAULT_LOCK, describe },
  } as const;
}

/** A lockfile that records states of indexes goes on to do so without it. */
export const lockIndexFlag = {
  'lock-index': {
    type: 'boolean',
    default: false,
    describe: 'Record in the lockfile which state of each index in parts was read',
  },
} as const;
