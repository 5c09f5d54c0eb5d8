import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { expect, test } from 'vitest';
import { readPage } from '../support/docs/page.js';
import { runPage } from '../support/docs/run-page.js';
import { Clone } from '../support/readme.js';

test('by hand, the function prints the objects of the demo', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'by-hand-'));
  const clone = new Clone(join(import.meta.dirname, '../..'), folder);
  const printed = [...(await runPage(readPage('docs/kustomize.md'), clone)).values()];
  const { items } = load(printed.at(-1)!) as { items: unknown[] };
  expect(items.length).toBeGreaterThan(10);
  rmSync(folder, { recursive: true });
});
