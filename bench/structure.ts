import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { markdown } from './markdown.js';

const ROOT = new URL('../..', import.meta.url).pathname;

/**
 * Size and imports of `src`: the figures that changes are kept within. `XPKG_WALK` names another
 * checkout to measure.
 */
export async function structure(): Promise<string> {
  const src = join(resolve(process.env['XPKG_WALK'] ?? ROOT), 'src');
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
    .map((name) => join(src, name));
  const texts = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]));
  const graph = new Map([...texts].map(([file, text]) => [file, importsOf(file, text, texts)]));
  const components = strongComponents(graph);
  const folders = files.map((file) => dirname(file));
  const sizes = [...new Set(folders)].map((folder) => folders.filter((f) => f === folder).length);
  const imports = [...graph.values()].reduce((sum, { length }) => sum + length, 0);
  const lines = [...texts.values()].reduce((sum, text) => sum + text.split('\n').length - 1, 0);
  return markdown([
    ['measure', 'value'],
    ['files', files.length],
    ['folders', sizes.length],
    ['folders with one or two files', sizes.filter((size) => size < 3).length],
    ['lines', lines],
    ['imports of other files of src, per file', (imports / files.length).toFixed(1)],
    ['longest chain of imports, types included', longestChain(graph, components)],
    ['cycles of imports', components.filter(({ length }) => length > 1).length],
  ]);
}

type Graph = ReadonlyMap<string, readonly string[]>;

function importsOf(file: string, text: string, known: ReadonlyMap<string, unknown>): string[] {
  const found = text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g);
  const targets = Array.from(found, ([, specifier]) =>
    resolve(dirname(file), specifier!.replace(/\.js$/, '.ts')),
  );
  return [...new Set(targets)].filter((target) => known.has(target));
}

/** Returns the strongly connected components, each after those that it imports (Tarjan). */
function strongComponents(graph: Graph): string[][] {
  const components: string[][] = [];
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const open: string[] = [];
  const visit = (file: string): void => {
    index.set(file, index.size);
    low.set(file, index.get(file)!);
    open.push(file);
    for (const next of graph.get(file)!) {
      if (!index.has(next)) visit(next);
      if (open.includes(next)) low.set(file, Math.min(low.get(file)!, low.get(next)!));
    }
    if (low.get(file) === index.get(file)) components.push(open.splice(open.indexOf(file)));
  };
  for (const file of graph.keys()) if (!index.has(file)) visit(file);
  return components;
}

/** Returns the number of files of the longest chain; a cycle counts as one file. */
function longestChain(graph: Graph, components: readonly (readonly string[])[]): number {
  const lengths = new Map<string, number>();
  for (const members of components) {
    const targets = members.flatMap((file) => graph.get(file)!);
    const below = targets.filter((target) => !members.includes(target));
    const length = 1 + Math.max(0, ...below.map((target) => lengths.get(target)!));
    for (const file of members) lengths.set(file, length);
  }
  return Math.max(...lengths.values());
}
