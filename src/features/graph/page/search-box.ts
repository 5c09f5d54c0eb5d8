import type { DrawnGraph, DrawnNode } from './drawn-graph.js';

interface Entry {
  readonly node: DrawnNode;
  /** Name and source. */
  readonly text: string;
  readonly owned: readonly { readonly element: HTMLElement; readonly text: string }[];
}

/** Finds packages by name, source and the names of owned objects. */
export class SearchBox {
  readonly #input: HTMLInputElement;
  readonly #count: HTMLElement;
  readonly #entries: readonly Entry[];
  readonly #graph: DrawnGraph;

  constructor(root: Document, graph: DrawnGraph) {
    this.#input = root.querySelector<HTMLInputElement>('#search')!;
    this.#count = root.querySelector<HTMLElement>('.count')!;
    this.#graph = graph;
    this.#entries = graph.nodes.map((node) => ({
      node,
      text: Array.from(node.page.querySelectorAll('.name, dd'), ({ textContent }) => textContent)
        .join('\n')
        .toLowerCase(),
      owned: Array.from(node.page.querySelectorAll<HTMLElement>('.owned li'), (element) => ({
        element,
        text: element.textContent.toLowerCase(),
      })),
    }));
    this.#input.addEventListener('input', () => this.#find());
  }

  /** Calls `go` with the first match when the user presses Enter. */
  onEnter(go: (node: DrawnNode) => void): void {
    this.#input.addEventListener('keydown', (event) => {
      const first = this.#graph.nodes.find(({ page }) => !page.hidden);
      if (event.key === 'Enter' && first !== undefined) go(first);
    });
  }

  #find(): void {
    const words = this.#input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const has = (text: string) => words.every((word) => text.includes(word));
    let found = 0;
    for (const { node, text, owned } of this.#entries) {
      const isNamed = has(text);
      const objects = owned.filter((each) => has(each.text)).length;
      const isFound = isNamed || objects > 0;
      if (isFound) found++;
      node.page.hidden = !isFound;
      node.element.classList.toggle('faint', !isFound);
      for (const each of owned) each.element.hidden = !isNamed && !has(each.text);
    }
    for (const group of document.querySelectorAll<HTMLElement>('.pages')) {
      const isEmpty = group.querySelector('.page:not([hidden])') === null;
      group.hidden = isEmpty;
      (group.previousElementSibling as HTMLElement).hidden = isEmpty; // its heading
    }
    document.querySelector<HTMLElement>('.none')!.hidden = found > 0;
    document.querySelector('.page.picked')?.scrollIntoView({ block: 'nearest' });
    this.#count.textContent = words.length === 0 ? '' : `${found} of ${this.#entries.length}`;
  }
}
