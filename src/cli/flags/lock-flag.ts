export const DEFAULT_LOCK = 'xpkg.lock.yaml';

/** Which lockfile; `describe` says what the command does with it. */
export function lockFlag(describe = 'Lockfile to read') {
  return {
    lock: { type: 'string', requiresArg: true, default: DEFAULT_LOCK, describe },
  } as const;
}
