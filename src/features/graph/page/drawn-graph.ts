/** A node of the drawing, with its entry in the list. */
export interface DrawnNode {
  readonly index: number;
  readonly element: SVGGElement;
  /** Its entry in the list. */
  readonly page: HTMLElement;
  readonly x: number;
  readonly y: number;
}

interface DrawnEdge {
  readonly element: Element;
  readonly from: number;
  readonly to: number;
}

/** The graph in the document of the page. */
export class DrawnGraph {
  readonly svg: SVGSVGElement;
  readonly nodes: readonly DrawnNode[];
  readonly edges: readonly DrawnEdge[];

  constructor(root: Document) {
    this.svg = root.querySelector<SVGSVGElement>('main .graph')!;
    this.nodes = Array.from(this.svg.querySelectorAll<SVGGElement>('.node'), (element, index) => {
      const { e: x, f: y } = element.transform.baseVal.getItem(0).matrix;
      return { index, element, page: root.getElementById(`p${index}`)!, x, y };
    });
    this.edges = Array.from(this.svg.querySelectorAll('[data-requirer]'), (element) => ({
      element,
      from: Number(element.getAttribute('data-requirer')),
      to: Number(element.getAttribute('data-required')),
    }));
  }

  /** Returns the node that an element of the drawing or of the list belongs to. */
  nodeOf(element: EventTarget | null): DrawnNode | undefined {
    if (!(element instanceof Element)) return undefined;
    const owner = element.closest('[data-node], [data-go]');
    const index = owner?.getAttribute('data-go') ?? owner?.getAttribute('data-node');
    return index === undefined || index === null ? undefined : this.nodes[Number(index)];
  }

  /** Returns all nodes that lead to a node, or to which it leads, including itself. */
  reach(start: number, direction: 'up' | 'down'): ReadonlySet<number> {
    const reached = new Set([start]);
    // The loop also visits entries that are added on the way.
    for (const index of reached) {
      for (const { from, to } of this.edges) {
        if (direction === 'up' && to === index) reached.add(from);
        if (direction === 'down' && from === index) reached.add(to);
      }
    }
    return reached;
  }
}
