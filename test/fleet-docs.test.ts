import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { blocksOf, Clone, commandsOf } from './support/readme.js';

const ROOT = join(import.meta.dirname, '..');
const PAGE = readFileSync(join(ROOT, 'docs/fleet.md'), 'utf8');
const consoles = blocksOf(PAGE).filter(({ language }) => language === 'console');

let clone: Clone;

beforeAll(() => {
  if (!existsSync(join(ROOT, 'dist/cli/main.js'))) throw new Error('run `npm run build` first');
  clone = new Clone(ROOT, mkdtempSync(join(tmpdir(), 'fleet-docs-')));
});

afterAll(() => rmSync(clone.folder, { recursive: true }));

test('what it shows is what is printed (`vitest -u` writes it anew)', async () => {
  expect(consoles).toHaveLength(3);
  const commands = consoles.map(({ body }) => commandsOf(body));
  const whole = clone.transcript(commands.flat());
  // One shell runs all of them, for later ones are in the folder that the first made.
  const starts = commands.map(([first]) => whole.indexOf(`$ ${first}\n`));
  const text = consoles.reduceRight((page, { at, body }, n) => {
    const shown = whole.slice(starts[n], starts[n + 1]);
    return `${page.slice(0, at)}${shown}${page.slice(at + body.length)}`;
  }, PAGE);
  await expect(text).toMatchFileSnapshot('../docs/fleet.md');
});
