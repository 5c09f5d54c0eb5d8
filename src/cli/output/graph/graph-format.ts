import { extname } from 'node:path';
import type { PackageGraph } from '../../../graph/package-graph.js';
import { InputError } from '../../../model/input-error.js';
import type { Io } from '../../io/io.js';
import { graphJson } from './graph-json.js';
import { pageAssets } from './page-assets.js';

export const GRAPH_FORMATS = ['mermaid', 'dot', 'svg', 'html', 'json'] as const;
export type GraphFormat = (typeof GRAPH_FORMATS)[number];

const BY_ENDING: Readonly<Record<string, GraphFormat>> = {
  '.mmd': 'mermaid',
  '.mermaid': 'mermaid',
  '.dot': 'dot',
  '.gv': 'dot',
  '.svg': 'svg',
  '.html': 'html',
  '.htm': 'html',
  '.json': 'json',
};

/** The format that the name of a file asks for. */
export function formatOfFile(path: string): GraphFormat {
  const format = BY_ENDING[extname(path).toLowerCase()];
  if (format !== undefined) return format;
  throw new InputError(`the name \`${path}\` does not say what to draw`, {
    hint: `let it end in one of ${Object.keys(BY_ENDING).join(', ')}`,
  });
}

/** Tells where what is drawn will not be shown. */
export async function noteLimits(text: string, format: GraphFormat, io: Io): Promise<void> {
  if (format !== 'mermaid') return;
  const { tooLargeForMermaid } = await import('../../../graph/formats/mermaid.js');
  const why = tooLargeForMermaid(text);
  if (why === undefined) return;
  io.note(
    `warning: GitHub and GitLab will not show this graph: ${why}; \`-o svg\` and \`-o html\` draw any size`,
  );
}

/** A graph as text; the library that lays it out is loaded for those that need it. */
export async function graphText(graph: PackageGraph, format: GraphFormat): Promise<string> {
  switch (format) {
    case 'mermaid':
      return (await import('../../../graph/formats/mermaid.js')).mermaidText(graph);
    case 'dot':
      return (await import('../../../graph/formats/dot.js')).dotText(graph);
    case 'svg': {
      const { svgText } = await import('../../../graph/formats/svg.js');
      return svgText(graph, pageAssets().graphStyle);
    }
    case 'html': {
      const { htmlPage } = await import('../../../graph/formats/html.js');
      return htmlPage(graph, pageAssets());
    }
    case 'json':
      return graphJson(graph);
  }
}
