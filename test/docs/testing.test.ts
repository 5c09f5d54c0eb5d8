import { expect, test } from 'vitest';
import { DEFAULT_KNOBS } from '../../src/testing/generators/knobs.js';
import { laws } from '../../src/testing/properties/laws.js';
import * as kit from '../../src/testing/index.js';
import { readPage } from '../support/docs/page.js';

const { text: PAGE, blocks } = readPage('docs/testing.md');

test('the pages contain the blocks that test/docs/pages.test.ts runs', () => {
  const languages = blocks.map(({ language }) => language);
  expect(languages).toEqual(expect.arrayContaining(['console', 'text']));
  expect(languages.filter((language) => language === 'ts').length).toBeGreaterThan(5);
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
