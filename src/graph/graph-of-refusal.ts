import type { Refusal } from '../explain/refusal.js';
import type { RefusalNode } from '../explain/short/refusal-graph.js';
import { shortNames } from '../explain/short/short-names.js';
import { byCodePoint } from '../text/code-point-order.js';
import type { GraphEdge, GraphNode, NodeKind, PackageGraph } from './package-graph.js';

/** Why there is no answer for a Crossplane release: the facts that rule every answer out. */
export function graphOfRefusal(
  { summary, graph, suggestions }: Pick<Refusal, 'summary' | 'graph' | 'suggestions'>,
  crossplane: string,
): PackageGraph {
  const packages = graph.nodes.filter(({ about }) => about === 'package');
  const { name } = shortNames(packages.map((node) => node.name));
  const edges = new Map<string, GraphEdge>();
  for (const { from, to, constraint, isUnmet } of graph.edges) {
    const known = edges.get(`${from} ${to}`);
    const constraints = constraint === '' ? [] : [constraint];
    edges.set(`${from} ${to}`, {
      from,
      to,
      constraints: [...(known?.constraints ?? []), ...constraints],
      isUnmet: isUnmet || known?.isUnmet === true,
    });
  }
  const asked = new Set(
    graph.edges.flatMap(({ from, to }) => (from.startsWith('input ') ? [to] : [])),
  );
  return {
    of: 'refusal',
    crossplane,
    story: summary.lines.length === 0 ? [`${summary.headline}.`] : summary.lines,
    hints: suggestions.map(({ text }) => text),
    nodes: graph.nodes
      .map((node): GraphNode => {
        const label = node.about === 'package' ? name(node.name) : node.name;
        const direct = node.about === 'package' && asked.has(node.id);
        const { id, versions } = node;
        return { id, kind: kindOf(node), name: label, version: versions, direct, owns: [] };
      })
      .sort((a, b) => byCodePoint(a.id, b.id)),
    edges: [...edges.values()].sort(
      (a, b) => byCodePoint(a.from, b.from) || byCodePoint(a.to, b.to),
    ),
    clashes: graph.clashes,
  };
}

function kindOf({ about, kind }: RefusalNode): NodeKind {
  switch (about) {
    case 'package':
      return kind ?? 'Package';
    case 'input':
      return 'Input';
    case 'api':
      return 'API';
    case 'crossplane':
      return 'Crossplane';
  }
}
