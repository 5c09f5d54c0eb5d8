import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { parseAst } from 'vitest/node';
import { markdown, quantile } from './markdown.js';

const ROOT = new URL('../..', import.meta.url).pathname;

/**
 * How far a reader walks who follows one `resolve` of the demo, and how large the files are on the
 * way. `XPKG_WALK` names another checkout to measure, built.
 */
export async function walk(): Promise<string> {
  const checkout = resolve(process.env['XPKG_WALK'] ?? ROOT);
  const steps = stepsOfDemo(checkout);
  const files = new Set(steps.map(({ file }) => file));
  const changes = (place: (file: string) => string, without: ReadonlySet<string> = new Set()) => {
    const places = steps.filter(({ file }) => !without.has(topFolder(file)));
    return places.filter(({ file }, i) => i > 0 && place(file) !== place(places[i - 1]!.file))
      .length;
  };
  const sources = tsFiles(join(checkout, 'src'));
  const lines = sources.map((file) => readFileSync(file, 'utf8').trimEnd().split('\n'));
  const functions = sources.flatMap((file) => functionLengths(file));
  const { folder, crowd } = mostCrowded(sources);
  const comments = lines.flat().filter((line) => /^\s*(?:\/\/|\/?\*)/.test(line)).length;
  return markdown([
    ['measure', 'value'],
    ['files that one `resolve` of fixtures/demo runs', files.size],
    ['functions that it runs', steps.length],
    ['changes of folder, from function to function as they are first run', changes(dirname)],
    ['the same by top folder', changes((file) => topFolder(file))],
    ['the same, base and crossplane left out', changes((file) => topFolder(file), LEAVES)],
    ['files', sources.length],
    ['lines of a file, p50 / p90 / max', spread(lines.map(({ length }) => length))],
    ['lines of a function, p50 / p90 / max', spread(functions.map(({ length }) => length))],
    ['largest function', functions.sort((a, b) => b.length - a.length)[0]!.name],
    ['most files in one folder', `${crowd} (${relative(checkout, folder)})`],
    ['lines of comment', `${Math.round((100 * comments) / lines.flat().length)} %`],
  ]);
}

/** Areas that all others use: a reader calls there and comes back. */
const LEAVES: ReadonlySet<string> = new Set(['base', 'crossplane']);

function topFolder(file: string): string {
  return file.split('/')[0]!;
}

function spread(values: readonly number[]): string {
  return [0.5, 0.9, 1].map((share) => quantile(values, share)).join(' / ');
}

interface Step {
  readonly file: string;
}

/** Returns every function that the demo calls, in the order of first calls. */
function stepsOfDemo(checkout: string): Step[] {
  const copy = mkdtempSync(join(tmpdir(), 'xpkg-walk-'));
  // One file for each of `src`; up to 0.1.0 they were in `dist`.
  const modules = ['build/src', 'dist'].map((name) => join(checkout, name)).find(existsSync)!;
  cpSync(modules, join(copy, 'dist'), { recursive: true });
  cpSync(join(checkout, 'package.json'), join(copy, 'package.json'));
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  const functions: Step[] = [];
  for (const name of readdirSync(join(copy, 'dist'), { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.js')) continue;
    const file = join(copy, 'dist', name);
    writeFileSync(file, announced(readFileSync(file, 'utf8'), name, functions));
  }
  const log = join(copy, 'log.json');
  writeFileSync(join(copy, 'log.mjs'), RECORDER.replace('LOG', JSON.stringify(log)));
  mkdirSync(join(copy, 'out'));
  const demo = ['-f', join(ROOT, 'fixtures/demo'), '--from', `dir:${ROOT}/fixtures/packages`];
  const main = ['dist/main.js', 'dist/cli/main.js']
    .map((name) => join(copy, name))
    .find(existsSync)!;
  const node = ['--import', join(copy, 'log.mjs'), main, 'resolve', ...demo];
  const run = spawnSync(process.execPath, node, { cwd: join(copy, 'out'), encoding: 'utf8' });
  if (run.status !== 0) throw new Error(`the demo ended with ${run.status}\n${run.stderr}`);
  const order = JSON.parse(readFileSync(log, 'utf8')) as number[];
  rmSync(copy, { recursive: true });
  return order.map((index) => functions[index]!);
}

const RECORDER = `
import { writeFileSync } from 'node:fs';
const seen = new Set();
globalThis.announce = (index) => void seen.add(index);
process.on('exit', () => writeFileSync(LOG, JSON.stringify([...seen])));
`;

/** Returns the text of a module in which each function first reports that it runs. */
function announced(text: string, file: string, functions: Step[]): string {
  const inserts = functionNodes(parseAst(text)).map(({ body }) => {
    const index = functions.push({ file }) - 1;
    return { at: body.start + 1, call: `globalThis.announce(${index});` };
  });
  let made = text;
  for (const { at, call } of inserts.sort((a, b) => b.at - a.at)) {
    made = made.slice(0, at) + call + made.slice(at);
  }
  return made;
}

interface FunctionNode {
  readonly start: number;
  readonly end: number;
  readonly body: { readonly start: number };
  readonly name: string;
}

/**
 * Yields every function and method with a body in a syntax tree; arrow functions belong to their
 * parent.
 */
function functionNodes(tree: unknown, name = ''): FunctionNode[] {
  if (typeof tree !== 'object' || tree === null) return [];
  if (Array.isArray(tree)) return tree.flatMap((node) => functionNodes(node, name));
  const node = tree as Record<string, unknown> & { type?: string };
  const own = nameIn(node['id']) ?? nameIn(node['key']) ?? name;
  const isFunction = node.type?.startsWith('Function') === true && typeof node['body'] === 'object';
  const found =
    isFunction && node['body'] !== null ? [{ ...(node as object), name: own } as FunctionNode] : [];
  const inner = Object.values(node).flatMap((child) => functionNodes(child, own));
  return [...found, ...inner];
}

function nameIn(node: unknown): string | undefined {
  if (typeof node !== 'object' || node === null || !('name' in node)) return undefined;
  return String(node.name);
}

function functionLengths(file: string): { readonly name: string; readonly length: number }[] {
  const text = readFileSync(file, 'utf8');
  const line = (at: number) => text.slice(0, at).split('\n').length;
  return functionNodes(parseAst(text, { lang: 'ts' })).map(({ name, start, end }) => {
    const length = line(end) - line(start) + 1;
    return { name: `${name} (${relative(ROOT, file)}), ${length} lines`, length };
  });
}

function mostCrowded(files: readonly string[]): { folder: string; crowd: number } {
  const crowds = new Map<string, number>();
  for (const file of files) crowds.set(dirname(file), (crowds.get(dirname(file)) ?? 0) + 1);
  const [folder, crowd] = [...crowds].sort((a, b) => b[1] - a[1])[0]!;
  return { folder, crowd };
}

function tsFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
    .map((name) => join(folder, name))
    .sort();
}
