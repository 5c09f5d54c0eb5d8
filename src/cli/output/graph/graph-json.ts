import type { GraphEdge, GraphNode, PackageGraph } from '../../../graph/package-graph.js';
import { jsonDocument } from '../json-document.js';

/** A graph for programs. Of what stays and of what is not known, nothing is said. */
export function graphJson({ of, crossplane, crossplaneBefore, ...graph }: PackageGraph): string {
  return jsonDocument({
    of,
    crossplane,
    crossplaneBefore,
    nodes: graph.nodes.map(nodeJson),
    edges: graph.edges.map(edgeJson),
    clashes: graph.clashes.map(({ clash, text, nodes }) => ({ kind: clash, text, nodes })),
    story: graph.story,
    hints: graph.hints,
  });
}

function nodeJson({ id, kind, name, version, versionBefore, ...node }: GraphNode): object {
  return {
    id,
    kind,
    name,
    version,
    from: versionBefore,
    direct: node.direct,
    change: node.change,
    digest: node.digest,
    crossplane: node.crossplane,
    owns: node.owns,
  };
}

function edgeJson({
  from,
  to,
  constraints,
  constraintsBefore,
  change,
  isUnmet,
}: GraphEdge): object {
  return { from, to, constraints, constraintsBefore, change, unmet: isUnmet };
}
