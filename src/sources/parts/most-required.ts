import type { Repository } from '../../model/package.js';
import { byCodePoint } from '../../text/code-point-order.js';
import { hashOf, type PackageRef } from './parts-format.js';

/** Of the 900 real packages in the corpus 125 are required by others, 72 by more than one. */
const MOST = 256;

/**
 * The packages that most others require, sorted by name. A closure consists of few roots and of what
 * others require, so that most of it is found in a list of these.
 */
export function mostRequired(packages: ReadonlyMap<Repository, PackageRef>): readonly Repository[] {
  const requirers = new Map<number, number>();
  for (const { requires } of packages.values()) {
    for (const hash of requires) requirers.set(hash, (requirers.get(hash) ?? 0) + 1);
  }
  if (requirers.size === 0) return [];
  return [...packages.keys()]
    .map((repository) => ({ repository, by: requirers.get(hashOf(repository)) ?? 0 }))
    .filter(({ by }) => by > 0)
    .sort((a, b) => b.by - a.by || byCodePoint(a.repository, b.repository))
    .slice(0, MOST)
    .map(({ repository }) => repository)
    .sort(byCodePoint);
}
