import { wrap } from '../../text/wrap.js';
import { layOut } from '../layout.js';
import { graphTitle } from '../node-text.js';
import type { PackageGraph } from '../package-graph.js';
import { escapedMarkup } from '../../text/markup/escaped-markup.js';
import { drawnSize, svgDrawing } from './svg-drawing.js';

const LINE_HEIGHT = 18;
const MARGIN = 16;
/** Width of a character of the lines above the drawing. */
const CHARACTER = 6.6;

/** A drawing that stands alone; `style` is the style sheet of drawings. */
export function svgText(graph: PackageGraph, style: string): string {
  const layout = layOut(graph);
  const size = drawnSize(graph, layout);
  const lines = linesAbove(graph);
  const top = MARGIN + lines.length * LINE_HEIGHT;
  const longest = Math.max(...lines.map(({ text }) => text.length));
  const width = Math.max(size.x, Math.ceil(longest * CHARACTER) + 2 * MARGIN);
  const height = size.y + top;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="graph" role="img" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<title>${escapedMarkup(graphTitle(graph))}</title>`,
    `<style>${style}</style>`,
    '<rect class="paper" width="100%" height="100%"/>',
    ...lines.map(({ look, text }, i) => {
      const y = MARGIN + (i + 0.5) * LINE_HEIGHT;
      return `<text class="${look}" x="${MARGIN}" y="${y}" xml:space="preserve">${escapedMarkup(text)}</text>`;
    }),
    `<g transform="translate(0 ${top})">`,
    svgDrawing(graph, layout),
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

interface LineAbove {
  /** Classes of the style sheet. */
  readonly look: string;
  readonly text: string;
}

function linesAbove(graph: PackageGraph): readonly LineAbove[] {
  return [
    { look: 'title', text: graphTitle(graph) },
    ...graph.story.flatMap((line) => wrapped('told', line)),
    ...graph.clashes.flatMap(({ text }) => wrapped('told clash', `⚠ ${text}`)),
  ];
}

function wrapped(look: string, text: string): LineAbove[] {
  const indent = ' '.repeat(text.length - text.trimStart().length);
  return wrap(text.trimStart(), indent, `${indent}    `).map((line) => ({ look, text: line }));
}
