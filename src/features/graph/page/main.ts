import { DrawnGraph, type DrawnNode, enableSearch, Selection } from './drawn-graph.js';
import { Viewport } from './viewport.js';

const graph = new DrawnGraph();
const viewport = new Viewport(graph.svg);
const selection = new Selection(graph, viewport);

const pickAndCenter = (node: DrawnNode) => {
  selection.pick(node);
  viewport.center(node);
};

enableSearch(graph, pickAndCenter);

graph.svg.addEventListener('click', ({ target }) => {
  if (viewport.wasDragged) return;
  const node = graph.nodeOf(target);
  if (node === undefined) selection.clear();
  else selection.pick(node);
});

document.addEventListener('keydown', ({ key }) => {
  if (key === 'Escape') selection.clear();
});

const list = document.querySelector<HTMLElement>('#list')!;
list.addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest('[data-go]') : null;
  const node = link === null ? undefined : graph.nodeOf(link);
  if (node === undefined) return;
  event.preventDefault();
  node.page.hidden = false;
  pickAndCenter(node);
  node.page.querySelector('summary')!.focus();
});
// This event does not bubble.
list.addEventListener(
  'toggle',
  ({ target }) => {
    const node = graph.nodeOf(target);
    if (node !== undefined && target instanceof HTMLDetailsElement && target.open)
      selection.pick(node);
  },
  true,
);

const actions: Readonly<Record<string, () => void>> = {
  in: () => viewport.zoomIn(),
  out: () => viewport.zoomOut(),
  fit: () => viewport.fit(),
  theme: () => {
    const { dataset } = document.documentElement;
    const isDark =
      dataset['theme'] ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : '');
    dataset['theme'] = isDark === 'dark' ? 'light' : 'dark';
  },
};
for (const button of document.querySelectorAll<HTMLElement>('[data-do]')) {
  button.addEventListener('click', () => actions[button.dataset['do']!]?.());
}

const start =
  graph.nodes.find(({ element }) => element.classList.contains('clash')) ??
  graph.nodes.find(({ element }) => element.classList.contains('direct')) ??
  graph.nodes[0];
if (start !== undefined) {
  selection.makeStop(start);
  viewport.open(start);
}
const linked = graph.nodes.find(({ page }) => `#${page.id}` === location.hash);
if (linked !== undefined) pickAndCenter(linked);
