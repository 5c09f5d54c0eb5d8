import type { Viewport } from './viewport.js';

/** A node of the drawing, with its entry in the list. */
export interface DrawnNode {
  readonly index: number;
  readonly element: SVGGElement;
  /** The entry in the list. */
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

  constructor() {
    this.svg = document.querySelector<SVGSVGElement>('main .graph')!;
    this.nodes = Array.from(this.svg.querySelectorAll<SVGGElement>('.node'), (element, index) => {
      const { e: x, f: y } = element.transform.baseVal.getItem(0).matrix;
      return { index, element, page: document.getElementById(`p${index}`)!, x, y };
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
    return index ? this.nodes[Number(index)] : undefined;
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

const ARROWS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowRight: [1, 0],
  ArrowLeft: [-1, 0],
  ArrowDown: [0, 1],
  ArrowUp: [0, -1],
};
/** Weight of the sideways distance relative to the forward distance. */
const SIDEWAYS_WEIGHT = 3;

/**
 * The selected node, with highlighted paths to and from it and its open entry in the list. For the
 * keyboard, the drawing is one tab stop, and arrow keys move between nodes.
 */
export class Selection {
  readonly #graph: DrawnGraph;
  readonly #viewport: Viewport;
  #picked: DrawnNode | undefined;

  constructor(graph: DrawnGraph, viewport: Viewport) {
    this.#graph = graph;
    this.#viewport = viewport;
    for (const { element } of graph.nodes) {
      element.setAttribute('role', 'button');
      element.setAttribute('tabindex', '-1');
      element.setAttribute('aria-pressed', 'false');
      element.setAttribute('aria-label', element.querySelector('title')!.textContent);
    }
    graph.svg.addEventListener('keydown', (event) => this.#press(event));
    graph.svg.addEventListener('focusin', ({ target }) => {
      const node = graph.nodeOf(target);
      if (node !== undefined) this.makeStop(node);
    });
  }

  pick(node: DrawnNode): void {
    this.makeStop(node);
    if (node === this.#picked) return;
    this.clear();
    this.#picked = node;
    const [up, down] = [this.#graph.reach(node.index, 'up'), this.#graph.reach(node.index, 'down')];
    for (const { index, element } of this.#graph.nodes) {
      element.classList.toggle('lit', up.has(index) || down.has(index));
    }
    for (const { element, from, to } of this.#graph.edges) {
      const isLit = (up.has(from) && up.has(to)) || (down.has(from) && down.has(to));
      element.classList.toggle('lit', isLit);
    }
    this.#graph.svg.classList.add('picking');
    markPicked(node, true);
    node.page.scrollIntoView({ block: 'nearest' });
    this.#viewport.reveal(node);
  }

  clear(): void {
    if (this.#picked === undefined) return;
    markPicked(this.#picked, false);
    this.#picked = undefined;
    this.#graph.svg.classList.remove('picking');
    for (const lit of this.#graph.svg.querySelectorAll('.lit')) lit.classList.remove('lit');
  }

  /** Makes a node the tab stop of the drawing. */
  makeStop(node: DrawnNode): void {
    for (const { element } of this.#graph.nodes) element.setAttribute('tabindex', '-1');
    node.element.setAttribute('tabindex', '0');
  }

  #press(event: KeyboardEvent): void {
    const node = this.#graph.nodeOf(event.target);
    const direction = ARROWS[event.key];
    const next = node && direction && this.#nearest(node, direction);
    if (next !== undefined) {
      next.element.focus();
      this.#viewport.reveal(next);
    } else if (node && (event.key === 'Enter' || event.key === ' ')) this.pick(node);
    else if (event.key === '+') this.#viewport.zoomIn();
    else if (event.key === '-') this.#viewport.zoomOut();
    else if (event.key === '0') this.#viewport.fit();
    else if (direction === undefined) return;
    event.preventDefault();
  }

  #nearest(from: DrawnNode, [dx, dy]: readonly [number, number]): DrawnNode | undefined {
    let best: DrawnNode | undefined;
    let least = Infinity;
    for (const node of this.#graph.nodes) {
      const [x, y] = [node.x - from.x, node.y - from.y];
      const forward = x * dx + y * dy;
      const sideways = Math.abs(x * dy) + Math.abs(y * dx);
      const cost = forward + SIDEWAYS_WEIGHT * sideways;
      if (forward > 1 && cost < least) [best, least] = [node, cost];
    }
    return best;
  }
}

function markPicked({ element, page }: DrawnNode, isPicked: boolean): void {
  element.classList.toggle('picked', isPicked);
  element.setAttribute('aria-pressed', String(isPicked));
  page.classList.toggle('picked', isPicked);
  page.querySelector('details')!.open = isPicked;
}

/**
 * Lets the user find packages by name, source and the names of owned objects. `go` is called with
 * the first match when the user presses Enter.
 */
export function enableSearch({ nodes }: DrawnGraph, go: (node: DrawnNode) => void): void {
  const input = document.querySelector<HTMLInputElement>('#search')!;
  const entries = nodes.map((node) => ({
    node,
    text: Array.from(node.page.querySelectorAll('.name, dd'), textOf).join('\n'),
    owned: Array.from(node.page.querySelectorAll<HTMLElement>('.owned li'), (element) => {
      return { element, text: textOf(element) };
    }),
  }));
  input.addEventListener('keydown', (event) => {
    const first = nodes.find(({ page }) => !page.hidden);
    if (event.key === 'Enter' && first !== undefined) go(first);
  });
  input.addEventListener('input', () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const has = (text: string) => words.every((word) => text.includes(word));
    let found = 0;
    for (const { node, text, owned } of entries) {
      const isNamed = has(text);
      const isFound = isNamed || owned.some((object) => has(object.text));
      if (isFound) found++;
      node.page.hidden = !isFound;
      node.element.classList.toggle('faint', !isFound);
      for (const object of owned) object.element.hidden = !isNamed && !has(object.text);
    }
    for (const group of document.querySelectorAll<HTMLElement>('.pages')) {
      const isEmpty = group.querySelector('.page:not([hidden])') === null;
      group.hidden = isEmpty;
      (group.previousElementSibling as HTMLElement).hidden = isEmpty; // its heading
    }
    document.querySelector<HTMLElement>('.none')!.hidden = found > 0;
    document.querySelector('.page.picked')?.scrollIntoView({ block: 'nearest' });
    const count = words.length === 0 ? '' : `${found} of ${entries.length}`;
    document.querySelector('.count')!.textContent = count;
  });
}

function textOf({ textContent }: Element): string {
  return textContent.toLowerCase();
}
