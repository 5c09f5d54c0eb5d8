/** A node of the drawing, with its place in the list below or beside it. */
export interface DrawnNode {
  readonly index: number;
  readonly element: SVGGElement;
  /** Where it is said in words. */
  readonly page: HTMLElement;
  readonly x: number;
  readonly y: number;
}

interface DrawnEdge {
  readonly element: Element;
  readonly from: number;
  readonly to: number;
}

/** The graph as the page holds it. */
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

  /** The node that an element belongs to, in the drawing or in a link. */
  nodeOf(element: EventTarget | null): DrawnNode | undefined {
    if (!(element instanceof Element)) return undefined;
    const holder = element.closest('[data-node], [data-go]');
    const index = holder?.getAttribute('data-go') ?? holder?.getAttribute('data-node');
    return index === undefined || index === null ? undefined : this.nodes[Number(index)];
  }

  /** All that leads to a node, or all that it leads to, itself included. */
  reach(start: number, direction: 'up' | 'down'): ReadonlySet<number> {
    const reached = new Set([start]);
    // Iterating over a set also visits what is added to it on the way.
    for (const index of reached) {
      for (const { from, to } of this.edges) {
        if (direction === 'up' && to === index) reached.add(from);
        if (direction === 'down' && from === index) reached.add(to);
      }
    }
    return reached;
  }
}
