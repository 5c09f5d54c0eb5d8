import type { Some } from './fact.js';
import { andList } from './range-text.js';
import type { World } from './world.js';

const MOST = 3;

const WORDS: Readonly<Record<string, string>> = {
  crd: 'CRD',
  mrap: 'ManagedResourceActivationPolicy',
  composition: 'Composition',
  operation: 'Operation',
  cronoperation: 'CronOperation',
  watchoperation: 'WatchOperation',
};

/** Who would own what twice. */
export function rivalryText(
  one: Some,
  other: Some,
  world: World,
  name: (some: Some) => string,
): string {
  const keys = world.ownership.shared(one, other);
  const shown = keys.slice(0, keys.length > MOST ? MOST - 1 : MOST).map((key) => {
    const colon = key.indexOf(':');
    const word = key.slice(0, colon);
    return `${WORDS[word] ?? word} ${key.slice(colon + 1)}`;
  });
  const more = keys.length - shown.length;
  const what = more > 0 ? `${shown.join(', ')} and ${more} more` : andList(shown);
  return `${name(one)} and ${name(other)} would both own ${what}`;
}
