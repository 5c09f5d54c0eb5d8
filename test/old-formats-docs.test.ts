import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { blocksOf, Clone, commandsOf } from './support/readme.js';

const ROOT = join(import.meta.dirname, '..');
const PAGE = readFileSync(join(ROOT, 'docs/old-formats.md'), 'utf8');

let clone: Clone;

beforeAll(() => {
  if (!existsSync(join(ROOT, 'dist/cli/main.js'))) throw new Error('run `npm run build` first');
  clone = new Clone(ROOT, mkdtempSync(join(tmpdir(), 'old-formats-docs-')));
  for (const { language, body } of blocksOf(PAGE)) {
    const [, file] = /^# (\S+)\n/.exec(body) ?? [];
    if (language === 'yaml' && file !== undefined) writeFileSync(join(clone.folder, file), body);
  }
});

afterAll(() => rmSync(clone.folder, { recursive: true }));

test('what it shows is what is printed (`vitest -u` writes it anew)', async () => {
  const shown = blocksOf(PAGE).filter(({ language }) => language === 'console');
  expect(shown).toHaveLength(3);
  const printed = shown.map(({ body }) => clone.transcript(commandsOf(body)));
  const text = shown.reduceRight((page, { body, at }, n) => {
    return `${page.slice(0, at)}${printed[n]}${page.slice(at + body.length)}`;
  }, PAGE);
  await expect(text).toMatchFileSnapshot('../docs/old-formats.md');
});
