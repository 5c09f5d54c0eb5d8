import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { load } from 'js-yaml';
import { GITOPS_PAGES, gitOpsPage, runPage } from './support/gitops/page.js';
import { Clone } from './support/readme.js';

const ROOT = join(import.meta.dirname, '..');
/** Programs whose blocks other suites run: conformance, and peers. */
const ELSEWHERE = ['kustomize', 'helm'];

beforeAll(() => {
  if (!existsSync(join(ROOT, 'dist/cli/main.js'))) throw new Error('run `npm run build` first');
});

describe.each(GITOPS_PAGES)('docs/%s.md', (name) => {
  const page = gitOpsPage(name);

  test('its commands run, one after the other', () => {
    const clone = new Clone(ROOT, mkdtempSync(join(tmpdir(), `${name}-`)));
    try {
      expect(runPage(page, clone).length).toBeGreaterThan(0);
    } finally {
      rmSync(clone.folder, { recursive: true });
    }
  });

  test('a block that is not run has a reason', () => {
    const silent = page.shell.filter(({ needs, body }) => {
      const isOurs = body
        .trimEnd()
        .split('\n')
        .every((line) => /^xpkg-resolve |^printf /.test(line));
      return !isOurs && !ELSEWHERE.includes(needs ?? '');
    });
    expect(silent.filter(({ notRun }) => notRun === undefined)).toEqual([]);
  });
});

test('the function runs by hand as docs/kustomize.md has it', () => {
  const clone = new Clone(ROOT, mkdtempSync(join(tmpdir(), 'by-hand-')));
  const printed = runPage(gitOpsPage('kustomize'), clone).at(-1)!.stdout;
  const { items } = load(printed) as { items: unknown[] };
  expect(items.length).toBeGreaterThan(10);
  rmSync(clone.folder, { recursive: true });
});
