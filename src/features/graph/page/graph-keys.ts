import type { DrawnGraph, DrawnNode } from './drawn-graph.js';
import type { Viewport } from './viewport.js';

const ARROWS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowRight: [1, 0],
  ArrowLeft: [-1, 0],
  ArrowDown: [0, 1],
  ArrowUp: [0, -1],
};
/** Weight of the sideways distance relative to the forward distance. */
const SIDEWAYS_WEIGHT = 3;

/** Keyboard navigation: the drawing is one tab stop, and arrow keys move between nodes. */
export class GraphKeys {
  readonly #graph: DrawnGraph;
  readonly #viewport: Viewport;

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
    } else if (event.key === '+') this.#viewport.zoomIn();
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
      if (forward <= 1 || cost >= least) continue;
      [best, least] = [node, cost];
    }
    return best;
  }
}
