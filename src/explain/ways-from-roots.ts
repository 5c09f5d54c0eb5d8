import type { Fact } from '../solver/fact.js';
import type { Variable } from '../solver/incompatibility.js';

/** How what the user asks for leads to each package: the facts on the way, the first a root's. */
export function waysFromRoots(facts: readonly Fact[]): Map<Variable, readonly Fact[]> {
  const ways = new Map<Variable, readonly Fact[]>();
  for (const fact of facts) {
    if (fact.fact === 'root' && !ways.has(fact.on.variable)) ways.set(fact.on.variable, [fact]);
    if (fact.fact === 'root-api') ways.set(fact.on, [fact]);
  }
  for (let grown = true; grown;) {
    grown = false;
    for (const fact of facts) {
      const edge = edgeOf(fact);
      if (edge === undefined || ways.has(edge.to)) continue;
      const before = ways.get(edge.from);
      if (before === undefined) continue;
      ways.set(edge.to, [...before, fact]);
      grown = true;
    }
  }
  return ways;
}

/** From a package to one that it makes necessary; undefined: the fact is no such step. */
function edgeOf(fact: Fact): { from: Variable; to: Variable } | undefined {
  if (fact.fact === 'requires') return { from: fact.by.variable, to: fact.on.variable };
  if (fact.fact === 'requires-api') return { from: fact.by.variable, to: fact.on };
  if (fact.fact === 'provides') return { from: fact.api.variable, to: fact.by.variable };
  return undefined;
}
