import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { REPORT_FORMATS } from '../src/cli/reporting/format-flag.js';
import { type Block, blocksOf, Clone, commandsOf } from './support/readme.js';
import { documentsOf } from './support/pipeline.js';

const ROOT = join(import.meta.dirname, '..');
const PAGE = readFileSync(join(ROOT, 'docs/ci.md'), 'utf8');
const blocks = blocksOf(PAGE);
const sessions = blocks.filter(({ language }) => language === 'console');
let clone: Clone;
const printed = new Map<Block, string>();

beforeAll(() => {
  if (!existsSync(join(ROOT, 'dist/cli/main.js'))) throw new Error('run `npm run build` first');
  clone = new Clone(ROOT, mkdtempSync(join(tmpdir(), 'ci-docs-')));
  for (const block of sessions) printed.set(block, clone.transcript(commandsOf(block.body)));
});

afterAll(() => rmSync(clone.folder, { recursive: true }));

test('every shell block is run, and shows what is printed (`vitest -u` writes it anew)', async () => {
  expect(blocks.filter(({ language }) => language === 'sh')).toEqual([]);
  expect(sessions).toHaveLength(4);
  const text = blocks.reduceRight((page, block) => {
    const body = printed.get(block) ?? block.body;
    return `${page.slice(0, block.at)}${body}${page.slice(block.at + block.body.length)}`;
  }, PAGE);
  await expect(text).toMatchFileSnapshot('../docs/ci.md');
});

test('it lists every format', () => {
  const [, table = ''] = PAGE.split('| format | is |\n');
  const listed = [...table.split('\n\n')[0]!.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name);
  expect(listed).toEqual([...REPORT_FORMATS]);
});

test('it names every input and output of the action, and files that are there', () => {
  const [action] = documentsOf('action.yml') as [Record<'inputs' | 'outputs', object>];
  for (const name of [...Object.keys(action.inputs), ...Object.keys(action.outputs)])
    expect(PAGE).toContain(`\`${name}\``);
  const files = [...PAGE.matchAll(/\]\(\.\.\/([^)]+)\)/g)].map(([, file]) => file!);
  expect(files.length).toBeGreaterThan(5);
  expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
});

test('its examples of YAML use inputs and hooks that there are', () => {
  const [workflow, hooks] = blocks
    .filter(({ language }) => language === 'yaml')
    .map(({ body }) => parse(body) as unknown) as [
    { jobs: { packages: { steps: { uses: string; with?: object }[] } } },
    { repos: { hooks: { id: string }[] }[] },
  ];
  const step = workflow.jobs.packages.steps.find(({ uses }) => uses.includes('/xpkg-resolve@'))!;
  const [action] = documentsOf('action.yml') as [{ inputs: object }];
  expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(Object.keys(step.with!)));
  const [known] = documentsOf('.pre-commit-hooks.yaml') as [{ id: string }[]];
  const ids = known.map(({ id }) => id);
  expect(hooks.repos[0]!.hooks.map(({ id }) => id)).toEqual(ids);
});
