interface Visit<Node> {
  readonly node: Node;
  readonly ahead: Node[];
}

/**
 * Strongly connected components (Tarjan): each comes after those that it leads to.
 *
 * With a stack of its own: a chain of packages may be longer than the engine lets calls nest.
 */
export function strongComponents<Node>(graph: ReadonlyMap<Node, readonly Node[]>): Node[][] {
  const index = new Map<Node, number>();
  const low = new Map<Node, number>();
  const pending: Node[] = [];
  const isPending = new Set<Node>();
  const components: Node[][] = [];
  const enter = (node: Node): Visit<Node> => {
    index.set(node, index.size);
    low.set(node, index.get(node)!);
    pending.push(node);
    isPending.add(node);
    return { node, ahead: [...graph.get(node)!] };
  };
  const reach = (node: Node, rank: number) => low.set(node, Math.min(low.get(node)!, rank));
  for (const start of graph.keys()) {
    const path = index.has(start) ? [] : [enter(start)];
    while (path.length > 0) {
      const { node, ahead } = path.at(-1)!;
      const next = ahead.pop();
      if (next === undefined) {
        path.pop();
        const parent = path.at(-1)?.node;
        if (parent !== undefined) reach(parent, low.get(node)!);
        if (low.get(node) === index.get(node)) {
          const members = pending.splice(pending.lastIndexOf(node));
          for (const member of members) isPending.delete(member);
          components.push(members);
        }
      } else if (!index.has(next)) path.push(enter(next));
      else if (isPending.has(next)) reach(node, index.get(next)!);
    }
  }
  return components;
}
