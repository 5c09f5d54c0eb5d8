import type { Repository } from '../../model/package.js';
import type { Target } from '../../model/target/target.js';
import { selectorOf } from '../../model/selector.js';
import { meetsSelector } from './meets-selector.js';
import type { Selected } from '../../solver/search-result.js';

/**
 * What the cluster's own dependency checks would refuse in a selection, in words; empty: nothing.
 *
 * A sound selection is refused only where the user asked for it: an override, a replacement,
 * prereleases a range does not name, a cycle.
 */
export function clusterRefusals(selected: readonly Selected[], target: Target): string[] {
  const installed = new Map(selected.map((one) => [one.repository, one]));
  const reasons: string[] = [];
  for (const { repository, version, meta } of selected) {
    for (const requirement of meta.requirements) {
      if (requirement.requires !== 'package') continue;
      const on = installed.get(requirement.repository);
      const who = `${repository} ${version} asks for ${requirement.repository} \`${requirement.constraint}\``;
      if (on === undefined) reasons.push(`${who}, which is replaced`);
      else if (!meetsSelector(on.version, selectorOf(requirement.constraint), target, 'named')) {
        reasons.push(`${who}, and ${on.version} is installed`);
      }
    }
  }
  const cycle = firstCycle(selected);
  if (cycle !== undefined) reasons.push(`a cycle: ${cycle.join(' → ')}`);
  return reasons;
}

function firstCycle(selected: readonly Selected[]): Repository[] | undefined {
  const edges = new Map(
    selected.map(({ repository, meta }) => [
      repository,
      meta.requirements.flatMap((r) => (r.requires === 'package' ? [r.repository] : [])),
    ]),
  );
  const done = new Set<Repository>();
  const walk = (at: Repository, path: readonly Repository[]): Repository[] | undefined => {
    if (path.includes(at)) return [...path.slice(path.indexOf(at)), at];
    if (done.has(at)) return undefined;
    for (const next of edges.get(at) ?? []) {
      const cycle = walk(next, [...path, at]);
      if (cycle !== undefined) return cycle;
    }
    done.add(at);
    return undefined;
  };
  for (const { repository } of selected) {
    const cycle = walk(repository, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}
