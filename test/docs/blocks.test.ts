import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PAGES, readPage } from '../support/docs/page.js';

const ROOT = join(import.meta.dirname, '../..');

/** How a block can be written; `sh` and `console` are run. */
const LANGUAGES = ['sh', 'console', 'text', 'yaml', 'json', 'ts'];

const HOW =
  'a shell block is run by test/docs/pages.test.ts, or has above it `<!-- not run: WHY -->` or `<!-- run by test/FILE.test.ts: WHY -->`';

test('there are pages, and shell blocks in them', () => {
  expect(PAGES).toEqual(expect.arrayContaining(['README.md', 'docs/ci.md', 'bench/README.md']));
  expect(PAGES.flatMap((path) => readPage(path).shell).length).toBeGreaterThan(40);
});

describe.each(PAGES)('%s', (path) => {
  const { text, blocks, shell } = readPage(path);

  test(`every block names its language: ${LANGUAGES.join(', ')}`, () => {
    const fences = text.split('\n').filter((line) => /^\s*(?:`{3,}|~{3,})/.test(line));
    const opened = blocks.flatMap(({ language }) => [`\`\`\`${language}`, '```']);
    expect(fences).toEqual(opened);
    expect(blocks.filter(({ language }) => !LANGUAGES.includes(language))).toEqual([]);
  });

  test(`no command hides in a block of text; ${HOW}`, () => {
    const hidden = blocks
      .filter(({ language }) => language === 'text')
      .filter(({ body }) => /^(?:\$ |(?:xpkg-resolve|npx?|kubectl|git|helm|docker) )/m.test(body));
    expect(hidden).toEqual([]);
  });

  test(`comments are directly above shell blocks, with a reason; ${HOW}`, () => {
    const written = text.match(/^<!-- ?(?:not run|run by)\b.*/gm) ?? [];
    const marks = shell.flatMap(({ mark }) => mark ?? []);
    expect(written).toHaveLength(marks.length);
    for (const { reason } of marks) expect(reason.split(' ').length, reason).toBeGreaterThan(2);
  });

  test('a block that another test runs is listed in that test', () => {
    const suites = shell.flatMap(({ mark }) => mark?.suite ?? []);
    for (const suite of suites) {
      expect(existsSync(join(ROOT, suite)), `${path} names ${suite}`).toBe(true);
      expect(readFileSync(join(ROOT, suite), 'utf8'), suite).toContain(path);
    }
  });
});
