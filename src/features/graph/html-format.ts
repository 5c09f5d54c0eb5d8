import { createHash } from 'node:crypto';
import {
  changeSign,
  type GraphNode,
  type GraphObject,
  graphTitle,
  howMany,
  type NodeKind,
  type PackageGraph,
  shortestPaths,
  versionText,
  fullEdgeText,
} from './package-graph.js';
import { kindClass, nodeShape, svgDrawing } from './svg-format.js';
import { byCodePoint } from '../../base/collections.js';
import { escapeMarkup } from '../../base/escape.js';

/** Script and style sheets of the page, which this package contains as files. */
export interface PageAssets {
  readonly script: string;
  /** Style sheet of drawings. */
  readonly graphStyle: string;
  readonly pageStyle: string;
}

/**
 * Returns a self-contained page with a drawing and a list of its nodes. The script refers to nodes
 * by number and creates no markup, so text of packages is escaped only here.
 */
export function htmlPage(whole: PackageGraph, assets: PageAssets): string {
  const { graph, isDense, width, height, content } = svgDrawing(whole);
  const style = `${assets.graphStyle}${assets.pageStyle}`;
  const title = escapeMarkup(graphTitle(whole));
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(assets.script)}'`,
    `style-src '${hashOf(style)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    `<title>${title} – xpkg-resolve</title>`,
    `<style>${style}</style>`,
    '</head>',
    '<body>',
    symbols(),
    '<a class="skip" href="#list">Skip to the list</a>',
    '<header>',
    `<h1>${title}</h1>`,
    '<search>',
    '<label for="search">Find a package or CRD</label>',
    '<input id="search" type="search" placeholder="Find a package or CRD" autocomplete="off" spellcheck="false">',
    '<span class="count" role="status"></span>',
    '</search>',
    '</header>',
    '<main>',
    `<section class="canvas${isDense ? ' dense' : ''}" aria-label="Graph">`,
    `<svg class="graph" role="group" tabindex="-1" aria-label="${title}" viewBox="0 0 ${width} ${height}" data-width="${width}" data-height="${height}">`,
    content,
    '</svg>',
    '<div class="buttons" role="group" aria-label="View">',
    button('in', 'Zoom in', '+'),
    button('out', 'Zoom out', '−'),
    button('fit', 'Show all', '⤢'),
    button('theme', 'Light or dark', '◐'),
    '</div>',
    legend(graph),
    '</section>',
    '<section id="list" class="list" aria-label="Details" tabindex="-1">',
    storyOf(graph),
    nodeList(graph),
    '<p class="none" hidden>Nothing matches.</p>',
    '</section>',
    '</main>',
    `<script>${assets.script}</script>`,
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

/** Returns the hash of an inline script or style for the content security policy. */
function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

function button(name: string, label: string, sign: string): string {
  return `<button type="button" data-do="${name}" aria-label="${label}" title="${label}">${sign}</button>`;
}

/** Returns a list of the kinds in the graph with their shapes. */
function legend({ nodes, of, clashes }: PackageGraph): string {
  const kinds = KINDS.filter((kind) => nodes.some((node) => node.kind === kind));
  const hasDirect = nodes.some(({ direct }) => direct);
  const hasOpen = nodes.some(({ version, kind }) => version === undefined && kind !== 'Input');
  const rows = [
    ...kinds.map((kind) => `${glyph(kind)} ${kind}`),
    hasDirect && `${glyph('Provider', 'direct')} asked for directly`,
    hasOpen && `${glyph('Package', 'open')} no version`,
    of === 'diff' && '+ added, − removed, ~ moved',
    clashes.length > 0 && `${glyph('Package', 'clash')} ! cannot be`,
  ];
  const items = rows.filter((row) => row !== false).map((row) => `<li>${row}</li>`);
  return `<details class="legend"><summary>Legend</summary><ul>${items.join('')}</ul></details>`;
}

const KINDS: readonly NodeKind[] = [
  'Input',
  'Configuration',
  'Provider',
  'Function',
  'Package',
  'API',
  'Crossplane',
];

const GLYPH = { width: 26, height: 16 };

function symbols(): string {
  const box = `${-GLYPH.width / 2} ${-GLYPH.height / 2} ${GLYPH.width} ${GLYPH.height}`;
  const each = KINDS.map(
    (kind) =>
      `<symbol id="shape-${kindClass(kind)}" viewBox="${box}"><path d="${nodeShape(kind, GLYPH.width - 4, GLYPH.height - 4)}"/></symbol>`,
  );
  return `<svg class="symbols" aria-hidden="true">${each.join('')}</svg>`;
}

/** Returns a small icon of the shape of a kind. */
function glyph(kind: NodeKind, more = ''): string {
  return `<svg class="glyph node ${kindClass(kind)} ${more}" aria-hidden="true"><use class="shape" href="#shape-${kindClass(kind)}"/></svg>`;
}

/** Returns the explanation, the conflicts and the suggestions. */
function storyOf({ of, story, hints, clashes, nodes }: PackageGraph): string {
  const links = linksOf(nodes);
  const lines = story.map((line) => {
    const isBelow = line.startsWith(' ');
    return `<p${isBelow ? ' class="below"' : ''}>${sentence(line.trim())}</p>`;
  });
  const items = clashes.map(({ text, nodes: about }) => {
    const places = about.map((id) => links.get(id)!);
    return `<li>${sentence(text)} <span class="places">${places.join(' ')}</span></li>`;
  });
  const suggestions = hints.map((hint) => `<li>${sentence(hint)}</li>`);
  return [
    ...panel('story', of === 'refusal' ? 'Why there is no answer' : 'Note', lines.join('\n')),
    ...panel('clashes', 'What cannot be', listOf('ul', items)),
    ...panel('hints', 'What would help', listOf('ol', suggestions)),
  ].join('\n');
}

/** Returns a link to each node, by id. */
function linksOf(nodes: readonly GraphNode[]): ReadonlyMap<string, string> {
  const links = nodes.map(({ id, name }, i) => {
    return [id, `<a href="#p${i}" data-go="${i}">${escapeMarkup(name)}</a>`] as const;
  });
  return new Map(links);
}

function panel(name: string, title: string, content: string): string[] {
  if (content === '') return [];
  return [`<section class="panel ${name}">`, `<h2>${title}</h2>`, content, '</section>'];
}

function listOf(tag: 'ul' | 'ol', items: readonly string[]): string {
  return items.length === 0 ? '' : `<${tag}>${items.join('')}</${tag}>`;
}

/** Returns all content of the graph as a list, which is accessible without the drawing. */
function nodeList(graph: PackageGraph): string {
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

/** Formats a message; text in backticks becomes code. */
function sentence(text: string): string {
  return escapeMarkup(text).replaceAll(/`([^`]*)`/g, '<code>$1</code>');
}

class NodePages {
  readonly #graph: PackageGraph;
  readonly #links: ReadonlyMap<string, string>;
  readonly #paths: ReadonlyMap<string, readonly string[]>;

  constructor(graph: PackageGraph) {
    this.#graph = graph;
    this.#links = linksOf(graph.nodes);
    this.#paths = shortestPaths(graph);
  }

  page(node: GraphNode, i: number): string {
    const { id, change, kind } = node;
    const clashes = this.#graph.clashes.filter(({ nodes }) => nodes.includes(id));
    const clash = clashes.length > 0 ? ' clash' : '';
    const sign = clash === '' ? changeSign(change) : '!';
    return [
      `<li id="p${i}" class="page${clash}" data-node="${i}"><details>`,
      '<summary>',
      `<svg class="glyph node ${kindClass(kind)}${clash}" aria-hidden="true"><use class="shape" href="#shape-${kindClass(kind)}"/></svg>`,
      `<span class="name">${escapeMarkup(node.name)}</span> `,
      sign === '' ? '' : `<span class="sign ${change ?? ''}">${sign}</span> `,
      `<span class="version">${escapeMarkup(versionText(node))}</span>`,
      '</summary>',
      ...clashes.map(({ text }) => `<p class="told">${sentence(text)}</p>`),
      facts(node),
      this.#why(id),
      this.#edges(id, 'requirers'),
      this.#edges(id, 'required'),
      this.#ownedList(node),
      '</details></li>',
    ].join('');
  }

  /** Returns the shortest path from a requested package. */
  #why(id: string): string {
    const path = this.#paths.get(id) ?? [];
    if (path.length < 2) return '';
    return `<h3>Why</h3><p class="way">${path.map((each) => this.#links.get(each)!).join(' → ')}</p>`;
  }

  #edges(id: string, which: 'requirers' | 'required'): string {
    const ofRequirers = which === 'requirers';
    const edges = this.#graph.edges.filter(({ from, to }) => (ofRequirers ? to : from) === id);
    if (edges.length === 0) return '';
    const items = edges.map((edge) => {
      const other = this.#links.get(ofRequirers ? edge.from : edge.to)!;
      const text = fullEdgeText(edge);
      const constraint = text === '' ? '' : ` <code>${escapeMarkup(text)}</code>`;
      const sign = changeSign(edge.change);
      return `<li${edge.isUnmet ? ' class="told"' : ''}>${sign} ${other}${constraint}</li>`;
    });
    const title = ofRequirers ? 'Required by' : 'Requires';
    return `<h3>${title} ${edges.length}</h3><ul>${items.join('')}</ul>`;
  }

  #ownedList({ owns }: GraphNode): string {
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
    const verb = change === 'added' ? 'was of' : 'goes to';
    const moved = other === undefined ? '' : ` (${verb} ${this.#links.get(other)!})`;
    return `${sign === '' ? '' : `<b>${sign}</b> `}${escapeMarkup(name)}${moved}`;
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
    value === undefined ? [] : [`<dt>${name}</dt><dd>${escapeMarkup(value)}</dd>`],
  );
  return `<dl>${shown.join('')}</dl>`;
}
