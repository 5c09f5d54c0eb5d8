import { byCodePoint } from '../text/code-point-order.js';
import type { Repository } from '../model/package.js';
import { pullName } from '../model/reference.js';
import type { Target } from '../model/target/target.js';

/** Warnings about repositories that are pulled from one place and yet are several packages. */
export function spellingWarnings(
  repositories: readonly Repository[],
  target: Target,
): readonly string[] {
  const spellings = new Map<string, Repository[]>();
  for (const repository of [...repositories].sort(byCodePoint)) {
    const name = pullName(repository, target);
    spellings.set(name, [...(spellings.get(name) ?? []), repository]);
  }
  return [...spellings.values()]
    .filter((group) => group.length > 1)
    .map(
      (group) =>
        `${group.map((each) => `\`${each}\``).join(' and ')} are one repository spelled ` +
        `${group.length === 2 ? 'two' : 'several'} ways; Crossplane takes them for different packages`,
    );
}
