import { byCodePoint } from '../../text/code-point-order.js';
import { wholeEdgeText, howMany, versionText } from '../node-text.js';
import type { GraphNode, GraphObject, NodeKind, PackageGraph } from '../package-graph.js';
import { shortestWays } from '../shortest-ways.js';
import { escapedMarkup } from '../../text/markup/escaped-markup.js';
import { changeSign, kindClass } from './svg-drawing.js';

/** Everything that a graph shows, as a list to read: what the drawing cannot say to all. */
export function nodeList(graph: PackageGraph): string {
  const pages = new NodePages(graph);
  const groups = [
    ['What asks', ({ kind }: GraphNode) => kind === 'Input'],
    ['Asked for', ({ direct }: GraphNode) => direct],
    ['Pulled in', ({ kind, direct }: GraphNode) => !direct && !NO_PACKAGES.has(kind)],
    ['Also', ({ kind }: GraphNode) => kind === 'API' || kind === 'Crossplane'],
  ] as const;
  return groups
    .flatMap(([title, isIn]) => {
      const items = graph.nodes
        .map((node, i) => ({ node, i }))
        .filter(({ node }) => isIn(node))
        .sort((a, b) => byCodePoint(a.node.name, b.node.name) || a.i - b.i)
        .map(({ node, i }) => pages.page(node, i));
      return items.length === 0
        ? []
        : [`<h2>${title}</h2>`, '<ul class="pages">', ...items, '</ul>'];
    })
    .join('\n');
}

const NO_PACKAGES: ReadonlySet<NodeKind> = new Set(['Input', 'API', 'Crossplane']);

/** Text of a message; what stands in backticks is a literal. */
export function sentence(text: string): string {
  return escapedMarkup(text).replaceAll(/`([^`]*)`/g, '<code>$1</code>');
}

class NodePages {
  readonly #graph: PackageGraph;
  readonly #index: ReadonlyMap<string, number>;
  readonly #ways: ReadonlyMap<string, readonly string[]>;

  constructor(graph: PackageGraph) {
    this.#graph = graph;
    this.#index = new Map(graph.nodes.map(({ id }, i) => [id, i]));
    this.#ways = shortestWays(graph);
  }

  page(node: GraphNode, i: number): string {
    const { id, change, kind } = node;
    const clashes = this.#graph.clashes.filter(({ nodes }) => nodes.includes(id));
    const sign = clashes.length > 0 ? '!' : changeSign(change);
    return [
      `<li id="p${i}" class="page${clashes.length > 0 ? ' clash' : ''}" data-node="${i}"><details>`,
      '<summary>',
      `<svg class="glyph node ${kindClass(kind)}${clashes.length > 0 ? ' clash' : ''}" aria-hidden="true"><use class="shape" href="#shape-${kindClass(kind)}"/></svg>`,
      `<span class="name">${escapedMarkup(node.name)}</span> `,
      sign === '' ? '' : `<span class="sign ${change ?? ''}">${sign}</span> `,
      `<span class="version">${escapedMarkup(versionText(node))}</span>`,
      '</summary>',
      ...clashes.map(({ text }) => `<p class="told">${sentence(text)}</p>`),
      facts(node),
      this.#why(id),
      this.#edges(id, 'requirers'),
      this.#edges(id, 'required'),
      this.#owned(node),
      '</details></li>',
    ].join('');
  }

  /** The shortest way from what is asked for. */
  #why(id: string): string {
    const way = this.#ways.get(id) ?? [];
    if (way.length < 2) return '';
    return `<h3>Why</h3><p class="way">${way.map((each) => this.#link(each)).join(' → ')}</p>`;
  }

  #edges(id: string, which: 'requirers' | 'required'): string {
    const ofRequirers = which === 'requirers';
    const edges = this.#graph.edges.filter(({ from, to }) => (ofRequirers ? to : from) === id);
    if (edges.length === 0) return '';
    const items = edges.map((edge) => {
      const other = this.#link(ofRequirers ? edge.from : edge.to);
      const text = wholeEdgeText(edge);
      const constraint = text === '' ? '' : ` <code>${escapedMarkup(text)}</code>`;
      const sign = changeSign(edge.change);
      return `<li${edge.isUnmet ? ' class="told"' : ''}>${sign} ${other}${constraint}</li>`;
    });
    const title = ofRequirers ? 'Required by' : 'Requires';
    return `<h3>${title} ${edges.length}</h3><ul>${items.join('')}</ul>`;
  }

  #owned({ owns }: GraphNode): string {
    if (owns.length === 0) return '';
    const kinds = [...new Set(owns.map(({ kind }) => kind))].sort(byCodePoint);
    return kinds
      .map((kind) => {
        const items = owns.filter((owned) => owned.kind === kind);
        const rows = items.map((owned) => `<li>${this.#object(owned)}</li>`).join('');
        return `<h3>Owns ${howMany(items.length, kind)}</h3><ul class="owned">${rows}</ul>`;
      })
      .join('');
  }

  #object({ name, change, other }: GraphObject): string {
    const sign = changeSign(change);
    const way = change === 'added' ? 'was of' : 'goes to';
    const moved = other === undefined ? '' : ` (${way} ${this.#link(other)})`;
    return `${sign === '' ? '' : `<b>${sign}</b> `}${escapedMarkup(name)}${moved}`;
  }

  #link(id: string): string {
    const i = this.#index.get(id)!;
    return `<a href="#p${i}" data-go="${i}">${escapedMarkup(this.#graph.nodes[i]!.name)}</a>`;
  }
}

function facts(node: GraphNode): string {
  const { id, kind, direct, change, digest, crossplane, version, versionBefore } = node;
  const rows: (readonly [string, string | undefined])[] = [
    ['Kind', kind],
    ['Source', NO_PACKAGES.has(kind) ? undefined : id],
    ['Version', version],
    ['Before', versionBefore],
    ['Change', change],
    ['Digest', digest],
    ['Crossplane', crossplane],
    ['Asked for', NO_PACKAGES.has(kind) ? undefined : direct ? 'directly' : 'by other packages'],
  ];
  const shown = rows.flatMap(([name, value]) =>
    value === undefined ? [] : [`<dt>${name}</dt><dd>${escapedMarkup(value)}</dd>`],
  );
  return `<dl>${shown.join('')}</dl>`;
}
