import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEFAULT_KNOBS } from '../src/testing/generate/knobs.js';
import { laws } from '../src/testing/laws/laws.js';
import * as kit from '../src/testing/index.js';
import { type Block, blocksOf, Clone, commandsOf } from './support/readme.js';

const ROOT = join(import.meta.dirname, '..');
const PAGE = readFileSync(join(ROOT, 'docs/testing.md'), 'utf8');
const blocks = blocksOf(PAGE);
const examples = blocks.filter(({ language }) => language === 'ts');

let clone: Clone;
const printed = new Map<Block, string>();

beforeAll(() => {
  if (!existsSync(join(ROOT, 'dist/testing/index.js')))
    throw new Error('run `npm run build` first');
  clone = new Clone(ROOT, mkdtempSync(join(tmpdir(), 'docs-')));
  for (const block of blocks)
    if (block.language === 'console') printed.set(block, clone.transcript(commandsOf(block.body)));
  const outputs = clone.modules(examples.map(({ body }) => body));
  for (const [n, example] of examples.entries()) printed.set(example, outputs[n]!);
});

afterAll(() => rmSync(clone.folder, { recursive: true }));

/** What a block holds when everything is run: a transcript, or what the example above prints. */
function rerun(block: Block, above: Block | undefined): string | undefined {
  if (block.language === 'console') return printed.get(block);
  return block.language === 'text' && above ? printed.get(above) : undefined;
}

test('what it shows is what is printed (`vitest -u` writes it anew)', async () => {
  expect(blocks.filter((block, n) => rerun(block, blocks[n - 1]) !== undefined)).toHaveLength(2);
  const text = blocks.reduceRight((page, block, n) => {
    const body = rerun(block, blocks[n - 1]) ?? block.body;
    return `${page.slice(0, block.at)}${body}${page.slice(block.at + block.body.length)}`;
  }, PAGE);
  await expect(text).toMatchFileSnapshot('../docs/testing.md');
});

test('its other examples run without a word', () => {
  expect(examples.length).toBeGreaterThan(5);
  const silent = blocks.filter(
    ({ language }, n) => language === 'ts' && blocks[n + 1]?.language !== 'text',
  );
  for (const block of silent) expect(printed.get(block), block.body).toBe('');
});

test('its examples compile', () => {
  expect(clone.typeErrors(examples.map(({ body }) => body))).toBe('');
});

/** The first columns of the table whose head has these words. */
function tableUnder(...head: readonly string[]): string[][] {
  const [, after = ''] = PAGE.split(`| ${head.join(' | ')} |\n`);
  return after
    .split('\n\n')[0]!
    .split('\n')
    .slice(1)
    .map((row) => row.split(' | ').map((cell) => cell.replaceAll(/^\| `|`|\(.*/g, '')));
}

test('it lists every knob with its default', () => {
  const listed = tableUnder('knob', 'default', 'is').map(([knob, value]) => [knob, Number(value)]);
  expect(listed).toEqual(Object.entries(DEFAULT_KNOBS));
});

test('it lists every law', () => {
  expect(tableUnder('law', 'says').map(([name]) => name)).toEqual(Object.keys(laws));
});

test('it names everything that the kit exports, and its tables nothing else', () => {
  const named = new Set(PAGE.match(/\w+/g));
  expect(Object.keys(kit).filter((name) => !named.has(name))).toEqual([]);
  const listed = [...tableUnder('generator', 'makes'), ...tableUnder('oracle', 'by', 'for')];
  expect(Object.keys(kit)).toEqual(expect.arrayContaining(listed.map(([name]) => name)));
});
