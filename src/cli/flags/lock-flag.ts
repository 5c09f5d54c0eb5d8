/** Which lockfile; `describe` says what the command does with it. */
export function lockFlag(describe = 'Lockfile to read') {
  return {
    lock: { type: 'string', requiresArg: true, default: 'xpkg.lock.yaml', describe },
  } as const;
}
