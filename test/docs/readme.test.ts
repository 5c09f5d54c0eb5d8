import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../src/commands.js';
import { readPage } from '../support/docs/page.js';

const ROOT = join(import.meta.dirname, '../..');
const { text, blocks } = readPage('README.md');
const bodiesIn = (language: string) =>
  blocks.filter((block) => block.language === language).map(({ body }) => body);

test('the pages contain the blocks that test/docs/pages.test.ts runs', () => {
  const counts = ['console', 'sh', 'ts', 'text'].map((language) => bodiesIn(language).length);
  expect(counts).toEqual([2, 2, 2, 1]);
});

test('it names the two commands of a fresh clone', () => {
  const commands = [...bodiesIn('console'), ...bodiesIn('sh')].join('');
  expect(commands).toContain('npm ci && npx xpkg-resolve resolve');
  expect(commands).toContain('npm ci && npm test');
});

test('its example of the library prints what it finds', () => {
  expect(bodiesIn('text')[0]).toContain('provider-family-cloud');
});

test('its input is the one in fixtures/demo', () => {
  expect(readFileSync(join(ROOT, 'fixtures/demo/xpkg.yaml'), 'utf8')).toContain(
    bodiesIn('yaml')[0],
  );
});

test('its table lists exactly the existing commands', () => {
  const existing = COMMANDS.map(({ usage }) => usage.split(' ')[0]!).sort();
  const listed = Array.from(text.matchAll(/^\| `([a-z-]+)[^`]*` \|/gm), ([, name]) => name!);
  expect(listed.sort()).toEqual(existing);
});

test('it is short: 120 to 230 lines', () => {
  const lines = text.trimEnd().split('\n').length;
  expect(lines).toBeGreaterThanOrEqual(120);
  expect(lines).toBeLessThanOrEqual(230);
});
