import { createHash } from 'node:crypto';
import { layOut } from '../layout.js';
import { graphTitle } from '../node-text.js';
import type { NodeKind, PackageGraph } from '../package-graph.js';
import { escapedMarkup } from '../../text/markup/escaped-markup.js';
import { nodeShape } from './node-shape.js';
import { nodeList, sentence } from './node-list.js';
import { drawnSize, kindClass, svgDrawing } from './svg-drawing.js';

/** The script and the style sheets of the page, as files of this package hold them. */
export interface PageAssets {
  readonly script: string;
  /** Of drawings. */
  readonly graphStyle: string;
  readonly pageStyle: string;
}

/**
 * One page that needs nothing else: a drawing, and a list of all that it shows. The script finds its
 * way by the numbers of nodes and makes no markup, so what packages say is escaped here and only here.
 */
export function htmlPage(graph: PackageGraph, assets: PageAssets): string {
  const layout = layOut(graph);
  const size = drawnSize(graph, layout);
  const style = `${assets.graphStyle}${assets.pageStyle}`;
  const title = escapedMarkup(graphTitle(graph));
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
    searchBox(),
    '</header>',
    '<main>',
    `<section class="canvas${layout.isDense ? ' dense' : ''}" aria-label="Graph">`,
    `<svg class="graph" role="group" tabindex="-1" aria-label="${title}" viewBox="0 0 ${size.x} ${size.y}" data-width="${size.x}" data-height="${size.y}">`,
    svgDrawing(graph, layout),
    '</svg>',
    buttons(),
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

/** What the policy of a page calls a script or a style that stands in it. */
function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

function searchBox(): string {
  return [
    '<search>',
    '<label for="search">Find a package or CRD</label>',
    '<input id="search" type="search" placeholder="Find a package or CRD" autocomplete="off" spellcheck="false">',
    '<span class="count" role="status"></span>',
    '</search>',
  ].join('\n');
}

function buttons(): string {
  return [
    '<div class="buttons" role="group" aria-label="View">',
    button('in', 'Zoom in', '+'),
    button('out', 'Zoom out', '−'),
    button('fit', 'Show all', '⤢'),
    button('theme', 'Light or dark', '◐'),
    '</div>',
  ].join('\n');
}

function button(name: string, label: string, sign: string): string {
  return `<button type="button" data-do="${name}" aria-label="${label}" title="${label}">${sign}</button>`;
}

/** Every kind that the graph has, with its shape. */
function legend({ nodes, of, clashes }: PackageGraph): string {
  const kinds = KINDS.filter((kind) => nodes.some((node) => node.kind === kind));
  const rows = [
    ...kinds.map((kind) => `<li>${glyph(kind)} ${kind}</li>`),
    ...(nodes.some(({ direct }) => direct)
      ? [`<li>${glyph('Provider', 'direct')} asked for directly</li>`]
      : []),
    ...(nodes.some(({ version, kind }) => version === undefined && kind !== 'Input')
      ? [`<li>${glyph('Package', 'open')} no version</li>`]
      : []),
    ...(of === 'diff' ? ['<li>+ added, − removed, ~ moved</li>'] : []),
    ...(clashes.length === 0 ? [] : [`<li>${glyph('Package', 'clash')} ! cannot be</li>`]),
  ];
  return `<details class="legend"><summary>Legend</summary><ul>${rows.join('')}</ul></details>`;
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

/** A small picture of the shape of a kind. */
function glyph(kind: NodeKind, more = ''): string {
  return `<svg class="glyph node ${kindClass(kind)} ${more}" aria-hidden="true"><use class="shape" href="#shape-${kindClass(kind)}"/></svg>`;
}

/** Why there is no answer, what cannot be, and what would help. */
function storyOf({ story, hints, clashes, nodes }: PackageGraph): string {
  const index = new Map(nodes.map(({ id }, i) => [id, i]));
  const told = story.map((line) => {
    const isBelow = line.startsWith(' ');
    return `<p${isBelow ? ' class="below"' : ''}>${sentence(line.trim())}</p>`;
  });
  const items = clashes.map(({ text, nodes: about }) => {
    const places = about.map((id) => {
      const i = index.get(id)!;
      return `<a href="#p${i}" data-go="${i}">${escapedMarkup(nodes[i]!.name)}</a>`;
    });
    return `<li>${sentence(text)} <span class="places">${places.join(' ')}</span></li>`;
  });
  const ways = hints.map((hint) => `<li>${sentence(hint)}</li>`);
  return [
    ...panel('story', 'Why there is no answer', told.join('\n')),
    ...panel('clashes', 'What cannot be', listOf('ul', items)),
    ...panel('hints', 'What would help', listOf('ol', ways)),
  ].join('\n');
}

function panel(name: string, title: string, content: string): string[] {
  if (content === '') return [];
  return [`<section class="panel ${name}">`, `<h2>${title}</h2>`, content, '</section>'];
}

function listOf(tag: 'ul' | 'ol', items: readonly string[]): string {
  return items.length === 0 ? '' : `<${tag}>${items.join('')}</${tag}>`;
}
