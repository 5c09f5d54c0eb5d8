import type { Comparator } from './comparator.js';
import type { Dialect } from './dialect.js';

/**
 * Whether a comparator of a group refuses every prerelease, whatever its order.
 *
 * 1.5.0 asks each comparator whether it names a prerelease, 3.4.0 the group as a whole.
 */
export function isClosed(
  comparator: Comparator,
  group: readonly Comparator[],
  dialect: Dialect,
): boolean {
  if (dialect === '3.4.0') return !group.some(namesPrerelease);
  const passesAny = comparator.operator === '!=' && comparator.wildcard === 'none';
  return !namesPrerelease(comparator) && !passesAny;
}

export function namesPrerelease({ bound }: Comparator): boolean {
  return bound.prerelease !== '';
}
