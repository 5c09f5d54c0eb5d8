import type { PackageGraph } from './package-graph.js';

/** To each node the shortest way from one that the user asks for: ids, both ends included. */
export function shortestWays({
  nodes,
  edges,
}: PackageGraph): ReadonlyMap<string, readonly string[]> {
  const inputs = nodes.filter(({ kind }) => kind === 'Input');
  const starts = inputs.length > 0 ? inputs : nodes.filter(({ direct }) => direct);
  const next = new Map<string, string[]>();
  for (const { from, to } of edges) next.set(from, [...(next.get(from) ?? []), to]);
  const ways = new Map<string, readonly string[]>(starts.map(({ id }) => [id, [id]]));
  // Breadth first: iterating over a map also visits what is added to it on the way.
  for (const [id, way] of ways) {
    for (const to of next.get(id) ?? []) if (!ways.has(to)) ways.set(to, [...way, to]);
  }
  return ways;
}
