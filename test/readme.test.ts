import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Block, blocksOf, Clone, commandsOf } from './support/readme.js';

const ROOT = join(import.meta.dirname, '..');
const README = readFileSync(join(ROOT, 'README.md'), 'utf8');
const blocks = blocksOf(README);
const written = (language: string) => blocks.filter((block) => block.language === language);
const examples = written('ts');

let clone: Clone;
/** Blocks as they come out when run: commands in the order of the page, then the examples. */
const real = new Map<Block, string>();
/** What the examples print. */
let modules: readonly string[];
const failures: string[] = [];

beforeAll(() => {
  if (!existsSync(join(ROOT, 'dist/cli/main.js'))) throw new Error('run `npm run build` first');
  clone = new Clone(ROOT, mkdtempSync(join(tmpdir(), 'readme-')));
  for (const block of blocks) {
    if (block.language === 'console') real.set(block, clone.transcript(commandsOf(block.body)));
    if (block.language === 'sh') {
      const { status, stderr } = clone.script(block.body);
      if (status !== 0) failures.push(`${block.body}${stderr}`);
    }
  }
  modules = clone.modules(examples.map(({ body }) => body));
  for (const [n, block] of blocks.entries())
    if (block.language === 'text') real.set(block, modules[examples.indexOf(blocks[n - 1]!)]!);
});

afterAll(() => rmSync(clone.folder, { recursive: true }));

test('there are the blocks that the other tests are about', () => {
  const count = (language: string) => written(language).length;
  expect({
    console: count('console'),
    sh: count('sh'),
    ts: count('ts'),
    text: count('text'),
  }).toEqual({ console: 2, sh: 2, ts: 2, text: 1 });
  expect(written('console').flatMap(({ body }) => commandsOf(body)).length).toBe(2);
});

test('what it shows is what the tool prints (`vitest -u` writes it anew)', async () => {
  let text = README;
  for (const block of blocks.toReversed()) {
    const output = real.get(block) ?? block.body;
    text = text.slice(0, block.at) + output + text.slice(block.at + block.body.length);
  }
  await expect(text).toMatchFileSnapshot('../README.md');
});

test('its shell blocks run', () => {
  expect(failures).toEqual([]);
});

test('it names the two commands of a fresh clone', () => {
  expect(clone.npmCalls()).toEqual(expect.arrayContaining(['npm ci', 'npm test']));
});

test('its examples run: the first prints what it finds, the second that all is well by silence', () => {
  expect(modules[0]).toContain('provider-family-cloud');
  expect(modules[1]).toBe('');
});

test('its examples compile', () => {
  expect(clone.typeErrors(examples.map(({ body }) => body))).toBe('');
});

test('its input is the one in fixtures/demo', () => {
  const [input] = written('yaml');
  expect(readFileSync(join(ROOT, 'fixtures/demo/xpkg.yaml'), 'utf8')).toContain(input!.body);
});

/** What the pattern's group caught, everywhere. */
function firsts(text: string, pattern: RegExp): string[] {
  return Array.from(text.matchAll(pattern), (match) => match[1]!).sort();
}

test('its table lists the commands there are, and no other', () => {
  const help = clone.script('xpkg-resolve --help').stdout;
  const existing = firsts(help, /^  ([a-z-]+) /gm);
  expect(existing.length).toBeGreaterThan(0);
  expect(firsts(README, /^\| `([a-z-]+)[^`]*` \|/gm)).toEqual(existing);
});

test('it is short: 120 to 230 lines', () => {
  const lines = README.trimEnd().split('\n').length;
  expect(lines).toBeGreaterThanOrEqual(120);
  expect(lines).toBeLessThanOrEqual(230);
});
