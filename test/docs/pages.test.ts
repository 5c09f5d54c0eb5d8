import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { PAGES, type Page, readPage, withBodies } from '../support/docs/page.js';
import { runnable, runPage } from '../support/docs/run-page.js';
import { Clone } from '../support/readme.js';

const ROOT = join(import.meta.dirname, '../..');
const pages = PAGES.map(readPage);

beforeAll(() => {
  if (!existsSync(join(ROOT, 'dist/testing/index.js')))
    throw new Error('run `npm run build` first');
});

async function inClone<T>(page: Page, use: (clone: Clone) => T | Promise<T>): Promise<T> {
  const clone = new Clone(ROOT, mkdtempSync(join(tmpdir(), `${basename(page.path, '.md')}-`)));
  try {
    return await use(clone);
  } finally {
    rmSync(clone.folder, { recursive: true });
  }
}

function examplesOf({ blocks }: Page) {
  return blocks.filter(({ language }) => language === 'ts');
}

/** What examples print, by where the block of text below one begins; one without prints nothing. */
function printedExamples(page: Page, clone: Clone): [at: number, text: string][] {
  const examples = examplesOf(page);
  const outputs = clone.modules(examples.map(({ body }) => body));
  return examples.flatMap((example, n) => {
    const below = page.blocks[page.blocks.indexOf(example) + 1];
    if (below?.language === 'text') return [[below.at, outputs[n]!] as [number, string]];
    expect(outputs[n], example.body).toBe('');
    return [];
  });
}

/** A page whose blocks are all in `sh` shows nothing that could be written anew. */
function isShown(page: Page): boolean {
  const sessions = runnable(page).some(({ language }) => language === 'console');
  return sessions || examplesOf(page).length > 0;
}

describe('pages show the actual output', () => {
  const shown = pages.filter(isShown);
  test.concurrent.for(shown)(
    '$path (`npm run build && npm run unit -- docs/pages -u` rewrites it)',
    async (page, context) => {
      const bodies = await inClone(page, async (clone) => {
        const sessions = runnable(page).filter(({ language }) => language === 'console');
        const printed = await runPage(page, clone);
        const told = sessions.map(({ at }) => [at, printed.get(at)!] as const);
        const examples = examplesOf(page).length === 0 ? [] : printedExamples(page, clone);
        return new Map([...told, ...examples]);
      });
      await context.expect(withBodies(page, bodies)).toMatchFileSnapshot(join(ROOT, page.path));
    },
  );
});

describe('the commands of a page run, one after the other', () => {
  const silent = pages.filter((page) => runnable(page).length > 0 && !isShown(page));
  test.concurrent.for(silent)('$path', async (page, context) => {
    const printed = await inClone(page, (clone) => runPage(page, clone));
    context.expect(printed.size).toBe(runnable(page).length);
  });
});

describe('the examples of a page compile', () => {
  test.for(pages.filter((page) => examplesOf(page).length > 0))('$path', async (page) => {
    const sources = examplesOf(page).map(({ body }) => body);
    expect(await inClone(page, (clone) => clone.typeErrors(sources))).toBe('');
  });
});
