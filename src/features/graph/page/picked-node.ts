import type { DrawnGraph, DrawnNode } from './drawn-graph.js';
import type { Viewport } from './viewport.js';

/** The selected node, with highlighted paths to and from it and its open entry in the list. */
export class PickedNode {
  readonly #graph: DrawnGraph;
  readonly #viewport: Viewport;
  #picked: DrawnNode | undefined;

  constructor(graph: DrawnGraph, viewport: Viewport) {
    this.#graph = graph;
    this.#viewport = viewport;
  }

  pick(node: DrawnNode): void {
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
    node.element.classList.add('picked');
    node.element.setAttribute('aria-pressed', 'true');
    node.page.classList.add('picked');
    details(node).open = true;
    node.page.scrollIntoView({ block: 'nearest' });
    this.#viewport.reveal(node);
  }

  clear(): void {
    const node = this.#picked;
    if (node === undefined) return;
    this.#picked = undefined;
    this.#graph.svg.classList.remove('picking');
    for (const lit of this.#graph.svg.querySelectorAll('.lit')) lit.classList.remove('lit');
    node.element.classList.remove('picked');
    node.element.setAttribute('aria-pressed', 'false');
    node.page.classList.remove('picked');
    details(node).open = false;
  }
}

function details({ page }: DrawnNode): HTMLDetailsElement {
  return page.querySelector('details')!;
}
