import { DrawnGraph, type DrawnNode, GraphKeys, PickedNode, SearchBox } from './drawn-graph.js';
import { Viewport } from './viewport.js';

const graph = new DrawnGraph(document);
const viewport = new Viewport(graph.svg);
const picked = new PickedNode(graph, viewport);
const keys = new GraphKeys(graph, viewport);

const go = (node: DrawnNode) => {
  picked.pick(node);
  keys.makeStop(node);
};
const goAndCenter = (node: DrawnNode) => {
  go(node);
  viewport.center(node);
};

new SearchBox(document, graph).onEnter(goAndCenter);

graph.svg.addEventListener('click', ({ target }) => {
  if (viewport.wasDragged) return;
  const node = graph.nodeOf(target);
  if (node === undefined) picked.clear();
  else go(node);
});

graph.svg.addEventListener('keydown', (event) => {
  const node = graph.nodeOf(event.target);
  if (node === undefined || (event.key !== 'Enter' && event.key !== ' ')) return;
  event.preventDefault();
  go(node);
});

document.addEventListener('keydown', ({ key }) => {
  if (key === 'Escape') picked.clear();
});

const list = document.querySelector<HTMLElement>('#list')!;
list.addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest('[data-go]') : null;
  const node = link === null ? undefined : graph.nodeOf(link);
  if (node === undefined) return;
  event.preventDefault();
  node.page.hidden = false;
  goAndCenter(node);
  node.page.querySelector('summary')!.focus();
});
// This event does not bubble.
list.addEventListener(
  'toggle',
  ({ target }) => {
    const node = graph.nodeOf(target);
    if (node !== undefined && target instanceof HTMLDetailsElement && target.open) go(node);
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
  keys.makeStop(start);
  viewport.open(start);
}
const linked = graph.nodes.find(({ page }) => `#${page.id}` === location.hash);
if (linked !== undefined) goAndCenter(linked);
