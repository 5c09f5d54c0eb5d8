import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mermaidText, tooLargeForMermaid } from '../../src/features/graph/mermaid-format.js';
import { graphOfLockfile } from '../../src/features/graph/build-graph.js';
import {
  nodeSubtitle,
  nodeName,
  type PackageGraph,
} from '../../src/features/graph/package-graph.js';
import { printable } from '../../src/base/escape.js';
import {
  HOSTILE,
  hostileGraph,
  largeLockfile,
  sampleClashes,
  sampleDiff,
  sampleLockfile,
  sampleRefusal,
} from '../features/graph/sample-graphs.js';

/** Names that are drawn at random. */
const DRAWN = 300;

let browser: Browser;
let page: Page;
const complaints: string[] = [];

beforeAll(async () => {
  const script = join(import.meta.dirname, 'mermaid.sh');
  const got = spawnSync('bash', [script], { encoding: 'utf8' });
  if (got.status !== 0) throw new Error(`${script}: ${got.stderr}`);
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  page = await browser.newPage();
  page.on('dialog', (dialog) => complaints.push(dialog.message()));
  await page.addScriptTag({ path: got.stdout.trim() });
  await page.evaluate("mermaid.initialize({ startOnLoad: false, securityLevel: 'strict' })");
});
afterAll(async () => browser.close());

interface Read {
  /** By the id of a node, what is written on it. */
  readonly labels: Readonly<Record<string, string>>;
  readonly edges: readonly (readonly [from: string, to: string, label: string])[];
}

/** What Mermaid reads, with character codes as the characters that they stand for; it throws where it cannot. */
async function read(text: string): Promise<Read> {
  const source = `(async (text) => {
    const { db } = await mermaid.mermaidAPI.getDiagramFromText(text);
    const plain = (label) => (label ?? '').replaceAll(/ﬂ°°(\\d+)¶ß/g, (_, code) => String.fromCodePoint(code));
    return {
      labels: Object.fromEntries([...db.getVertices()].map(([id, { text }]) => [id, plain(text)])),
      edges: db.getEdges().map(({ start, end, text }) => [start, end, plain(text)]),
    };
  })(${JSON.stringify(text)})`;
  return page.evaluate(source) as Promise<Read>;
}

async function expectRead(graph: PackageGraph): Promise<void> {
  const { labels, edges } = await read(mermaidText(graph));
  const lines = graph.clashes.reduce((sum, { nodes }) => sum + nodes.length, graph.edges.length);
  expect(Object.keys(labels)).toHaveLength(graph.nodes.length + graph.clashes.length);
  expect(edges).toHaveLength(lines);
  for (const [i, node] of graph.nodes.entries()) {
    const [name, about] = labels[`n${i}`]!.split(/<br ?\/?>/);
    expect(name).toContain(printable(nodeName(node)).trim());
    expect(about?.trim()).toBe(printable(nodeSubtitle(node)).trim());
  }
}

const GRAPHS: Readonly<Record<string, PackageGraph>> = {
  lockfile: graphOfLockfile(sampleLockfile()),
  diff: sampleDiff(),
  refusal: sampleRefusal(),
  clashes: sampleClashes(),
};

describe('Mermaid accepts the output', () => {
  test.each(Object.keys(GRAPHS))('%s', async (name) => {
    await expectRead(GRAPHS[name]!);
  });

  test('a set that is too large is refused, as a warning states', async () => {
    const text = mermaidText(graphOfLockfile(largeLockfile()));
    expect(tooLargeForMermaid(text)).toContain('fewer than 500');
    await expect(read(text)).rejects.toThrow('Edge limit exceeded');
    const lines = text.split('\n').filter((line) => /^  n\d+ -/.test(line));
    const rest = text.split('\n').filter((line) => !lines.includes(line));
    const smaller = [...rest, ...lines.slice(0, 499)].join('\n');
    expect(tooLargeForMermaid(smaller)).toBeUndefined();
    expect((await read(smaller)).edges).toHaveLength(499);
  });

  test('names that look like markup', async () => {
    for (const text of HOSTILE) await expectRead(hostileGraph(text));
  });

  test('names of any characters', async () => {
    const names = fc.oneof(
      fc.string({ minLength: 1, maxLength: 40, unit: 'binary' }),
      fc.string({
        minLength: 1,
        maxLength: 40,
        unit: fc.constantFrom(...Array.from('#;"%[]{}()|<>&`:-=.~/\\\n end')),
      }),
    );
    for (const name of fc.sample(names, DRAWN)) await expectRead(hostileGraph(name));
  });
});

test('draws it without running any of its text', async () => {
  for (const text of [
    ...HOSTILE.map((each) => mermaidText(hostileGraph(each))),
    mermaidText(GRAPHS['diff']!),
  ]) {
    const source = `mermaid.render('drawn', ${JSON.stringify(text)}).then(({ svg }) => {
      document.body.innerHTML = svg;
      return document.querySelectorAll('.node').length;
    })`;
    expect(await page.evaluate(source)).toBeGreaterThan(0);
    expect(
      await page.locator('svg :is(script, [onerror], [onload], [href^="javascript"])').count(),
    ).toBe(0);
  }
  expect(complaints).toEqual([]);
});
