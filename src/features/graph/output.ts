import { access } from 'node:fs/promises';
import { dirname, extname, resolve } from 'node:path';
import type { PageAssets } from './html-format.js';
import type { PackageGraph } from './package-graph.js';
import { InputError } from '../../base/errors.js';
import { writeError } from '../../base/files/file-system.js';
import { writeTransaction } from '../../base/files/transaction.js';
import { workingPlace } from '../../cli/files/lock-file.js';
import { jsonDocument } from '../../cli/kit/command.js';
import * as json from '../../cli/kit/json-schema.js';
import type { RunIo } from '../../cli/terminal/io.js';
import { ownFile } from '../../cli/terminal/own-file.js';
import { PACKAGE_KINDS } from '../../crossplane/packages/package.js';

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

export function formatOfFile(path: string): GraphFormat {
  const format = BY_ENDING[extname(path).toLowerCase()];
  if (format !== undefined) return format;
  throw new InputError(`the name \`${path}\` does not say what to draw`, {
    hint: `let it end in one of ${Object.keys(BY_ENDING).join(', ')}`,
  });
}

export interface GraphValue {
  readonly graph: PackageGraph;
  /** Printed text; empty if it was written to a file. */
  readonly drawn: string;
}

/** Returns warnings about a drawing that its viewers would refuse. */
export async function limitNotes(drawn: string, format: GraphFormat): Promise<string[]> {
  const why =
    format === 'mermaid' && (await import('./mermaid-format.js')).tooLargeForMermaid(drawn);
  if (!why) return [];
  return [
    `warning: GitHub and GitLab will not show this graph: ${why}; \`-o svg\` and \`-o html\` draw any size`,
  ];
}

/** Returns a graph as text. The layout library is loaded only for formats that need it. */
export async function graphText(graph: PackageGraph, format: GraphFormat): Promise<string> {
  switch (format) {
    case 'mermaid':
      return (await import('./mermaid-format.js')).mermaidText(graph);
    case 'dot':
      return (await import('./dot-format.js')).dotText(graph);
    case 'svg':
      return (await import('./svg-format.js')).svgText(graph, pageAssets().graphStyle);
    case 'html':
      return (await import('./html-format.js')).htmlPage(graph, pageAssets());
    case 'json':
      return jsonDocument(graphDocument(graph));
  }
}

interface WriteGraphOptions {
  /** By default, from the file name. */
  readonly format?: GraphFormat | undefined;
  readonly write: boolean;
}

/** Writes a graph to a file that the user names; with `write` false, says that it would. */
export async function writeGraph(
  graph: PackageGraph,
  out: string,
  io: RunIo,
  { format = formatOfFile(out), write }: WriteGraphOptions,
): Promise<void> {
  const path = resolve(io.cwd, out);
  await access(dirname(path)).catch((error: unknown) => {
    throw writeError(out, error);
  });
  const content = await graphText(graph, format);
  if (write) await writeTransaction([{ path, content }], workingPlace(io));
  io.note(`${write ? 'wrote' : 'would write'} ${out}`);
  for (const line of await limitNotes(content, format)) io.note(line);
}

const id = json.text('Id of a node.');
const change = json.oneOf(['added', 'removed', 'moved'], 'Of a diff: what becomes of it.');

const object = json.record(
  {
    ...json.ownedFields,
    'change?': json.oneOf(['added', 'removed'], 'Of a diff: what becomes of it.'),
    'other?': json.text('Of a diff: the package that owned it before, or does after.'),
  },
  'An object that a package owns.',
);

const graphNode = json.record(
  {
    id: json.text('Of a package its OCI repository.'),
    kind: json.oneOf(
      [...PACKAGE_KINDS, 'Package', 'Input', 'API', 'Crossplane'],
      'Kind of package, of which `Package` is not known; the others stand in refusals.',
    ),
    name: json.text('The shortest end of the id that no other package has.'),
    'version?': json.text('Tag or digest; of a refusal, the versions that are spoken of.'),
    'from?': json.text('Of a diff: the version before.'),
    direct: json.flag('Whether the user asks for it by name.'),
    'change?': change,
    'digest?': json.text('What the tag points at.'),
    'crossplane?': json.text('The Crossplane that it needs.'),
    owns: json.list(object, 'What it owns, by kind and name.'),
  },
  'A package, or what else a refusal speaks of.',
);

const edge = json.record(
  {
    from: id,
    to: id,
    constraints: json.texts('Which versions are required, as written; empty: any.'),
    'constraintsBefore?': json.texts('Of a diff, where it differs: which were.'),
    'change?': change,
    unmet: json.flag('What is required is not what there is.'),
  },
  'That one requires the other; from an API: that the other owns it.',
);

const clash = json.record(
  {
    kind: json.oneOf(['versions', 'ownership', 'cycle', 'crossplane', 'fact'], 'What sort it is.'),
    text: json.text('What cannot be, as a sentence without its full stop.'),
    nodes: json.list(id, 'What it is about.'),
  },
  'Something that cannot be.',
);

const schema = json.outputSchema('graph -o json', {
  of: json.oneOf(['lockfile', 'diff', 'refusal'], 'What is drawn.'),
  crossplane: json.crossplane,
  'crossplaneBefore?': json.text('Of a diff: the Crossplane release before, where it differs.'),
  nodes: json.list(graphNode, 'By id.'),
  edges: json.list(edge, 'By the ids of both ends.'),
  clashes: json.list(clash, 'What cannot be.'),
  story: json.texts('Of a refusal: why there is no answer.'),
  hints: json.texts('Of a refusal: changes that would help, each alone.'),
});

export const graphOutput = json.jsonOutput(
  schema,
  ({ graph }: GraphValue, { out }: { readonly out: string | undefined }) =>
    out === undefined ? graphDocument(graph) : undefined,
);

/** Returns the graph as JSON, without values that are unknown or did not change. */
function graphDocument({
  crossplane: release,
  ...graph
}: PackageGraph): json.Static<typeof schema> {
  return {
    of: graph.of,
    crossplane: release,
    crossplaneBefore: graph.crossplaneBefore,
    nodes: graph.nodes.map((node) => ({
      id: node.id,
      kind: node.kind,
      name: node.name,
      version: node.version,
      from: node.versionBefore,
      direct: node.direct,
      change: node.change,
      digest: node.digest,
      crossplane: node.crossplane,
      owns: node.owns,
    })),
    edges: graph.edges.map(({ from, to, constraints, constraintsBefore, ...rest }) => {
      const { change: becomes, isUnmet: unmet } = rest;
      return { from, to, constraints, constraintsBefore, change: becomes, unmet };
    }),
    clashes: graph.clashes.map(({ clash: kind, ...rest }) => ({ kind, ...rest })),
    story: graph.story,
    hints: graph.hints,
  };
}

/** The files of the page, built by `npm run build`. */
function pageAssets(): PageAssets {
  return {
    script: ownFile('dist/graph/page/page.js'),
    graphStyle: ownFile('dist/graph/page/graph.css'),
    pageStyle: ownFile('dist/graph/page/page.css'),
  };
}
