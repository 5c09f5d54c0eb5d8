import { execFile } from 'node:child_process';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { graphText } from '../../src/features/graph/output.js';
import { graphOfLockfile } from '../../src/features/graph/build-graph.js';
import type { PackageGraph } from '../../src/features/graph/package-graph.js';
import {
  HOSTILE,
  hostileGraph,
  largeLockfile,
  sampleClashes,
  sampleDiff,
  sampleLockfile,
  sampleRefusal,
} from '../features/graph/sample-graphs.js';

const GRAPHS: Readonly<Record<string, PackageGraph>> = {
  lockfile: graphOfLockfile(sampleLockfile()),
  diff: sampleDiff(),
  refusal: sampleRefusal(),
  clashes: sampleClashes(),
  large: graphOfLockfile(largeLockfile()),
};
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const DESKTOP = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };

/** Variants with nothing new in a large graph, for which axe-core takes long. */
const ALSO = [
  { colorScheme: 'light', viewport: DESKTOP },
  { colorScheme: 'dark', viewport: DESKTOP },
  { colorScheme: 'light', viewport: PHONE },
] as const;

let folder: string;
let browser: Browser;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'graph-'));
  // Debian's Chromium; as root, it has no sandbox.
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
});
afterAll(async () => browser.close());

/** Opens a page from disk and records its errors and network requests. */
async function opened(
  graph: PackageGraph,
  options: Parameters<Browser['newPage']>[0] = {},
): Promise<{ page: Page; complaints: string[] }> {
  const file = join(folder, 'graph.html');
  await writeFile(file, await graphText(graph, 'html'));
  const page = await browser.newPage({ viewport: DESKTOP, ...options });
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('dialog', (dialog) => complaints.push(dialog.message()));
  page.on('request', (request) => {
    if (request.url() !== pathToFileURL(file).href) complaints.push(request.url());
  });
  await page.goto(pathToFileURL(file).href);
  return { page, complaints };
}

/**
 * Returns the violations that axe-core finds and their places. The policy of the page does not
 * block it.
 */
async function violations(page: Page): Promise<unknown> {
  const session = await page.context().newCDPSession(page);
  const evaluate = (expression: string) =>
    session.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
  await evaluate(await readFile(AXE, 'utf8'));
  const found = await evaluate(
    'axe.run().then((r) => r.violations.map((v) => [v.id, ...v.nodes.map((n) => n.html)]))',
  );
  return found.result.value;
}

describe.each(Object.keys(GRAPHS))('%s', (name) => {
  const graph = GRAPHS[name]!;

  test.each([{ colorScheme: 'dark', viewport: PHONE }, ...(name === 'large' ? [] : ALSO)] as const)(
    'is drawn, and good to use for all: $colorScheme $viewport.width',
    async (look) => {
      const { page, complaints } = await opened(graph, look);
      expect(await page.locator('.nodes .node').count()).toBe(graph.nodes.length);
      expect(await page.locator('.page').count()).toBe(graph.nodes.length);
      const width = await page.evaluate('document.documentElement.scrollWidth');
      expect(width).toBe(look.viewport.width);
      await page.locator('.page summary').first().click();
      expect(await violations(page)).toEqual([]);
      expect(complaints).toEqual([]);
      await page.close();
    },
  );
});

test('a search shows only matches, by name or by CRD; Enter opens the match', async () => {
  const { page, complaints } = await opened(GRAPHS['large']!);
  await page.fill('#search', 'KIND3s.s7.gcp');
  expect(await page.locator('.page:visible').count()).toBe(1);
  expect(await page.textContent('.count')).toBe('1 of 300');
  expect(await page.locator('.node.faint').count()).toBe(299);
  await page.press('#search', 'Enter');
  expect(await page.locator('.page.picked .name').textContent()).toBe('provider-gcp-s7');
  expect(await page.locator('.page.picked .owned li:visible').allTextContents()).toEqual([
    'kind3s.s7.gcp.example.org',
  ]);
  await page.fill('#search', 'nothing-like-it');
  expect(await page.locator('.none').isVisible()).toBe(true);
  expect(complaints).toEqual([]);
  await page.close();
});

test('a click shows details and all paths from the roots; a click elsewhere closes them', async () => {
  const { page } = await opened(GRAPHS['lockfile']!);
  await page.locator('.canvas .node', { hasText: 'provider-family' }).first().click();
  const details = page.locator('.page.picked details');
  expect(await details.getAttribute('open')).toBe('');
  expect(await details.textContent()).toMatch(/sha256:[0-9a-f]{64}.*Why.*accounts\.acme\.io/s);
  expect(await page.locator('.canvas .node.lit .name').allTextContents()).toEqual([
    'configuration-app',
    'provider-bucket',
    'provider-family',
  ]);
  expect(await page.locator('.canvas .edge.lit').count()).toBe(2);
  await page.mouse.click(30, 400);
  expect(await page.locator('.lit, .picked').count()).toBe(0);
  await page.close();
});

test('all actions work with keys: skip link, search, one tab stop in the graph, arrows, buttons, list', async () => {
  const { page } = await opened(GRAPHS['lockfile']!);
  const focused = () =>
    page.evaluate(
      "document.activeElement.getAttribute('aria-label') ?? document.activeElement.id + document.activeElement.className",
    );
  const stops: unknown[] = [];
  for (let i = 0; i < 8; i++) {
    await page.keyboard.press('Tab');
    stops.push(await focused());
  }
  expect(stops).toEqual([
    'skip',
    'search',
    'configuration-app Configuration v2.0.0, asked for directly, requires 2',
    'Zoom in',
    'Zoom out',
    'Show all',
    'Light or dark',
    '',
  ]);
  await page.locator('.canvas [tabindex="0"]').focus();
  await page.keyboard.press('ArrowRight');
  expect(await focused()).toMatch(/^(?:provider-bucket|function-ready)/);
  await page.keyboard.press('Enter');
  expect(await page.locator('.node[aria-pressed="true"]').count()).toBe(1);
  await page.keyboard.press('Escape');
  expect(await page.locator('.node[aria-pressed="true"]').count()).toBe(0);
  await page.close();
});

test('wheel, drag and buttons move the view; a drag is not a click', async () => {
  const { page } = await opened(GRAPHS['large']!);
  const view = () => page.locator('.canvas .graph').getAttribute('viewBox');
  const seen = [await view()];
  await page.mouse.move(400, 400);
  await page.mouse.wheel(0, -300);
  await page.waitForFunction(
    `document.querySelector('.canvas .graph').getAttribute('viewBox') !== '${seen[0]}'`,
  );
  seen.push(await view());
  await page.mouse.down();
  await page.mouse.move(300, 350, { steps: 4 });
  await page.mouse.up();
  seen.push(await view());
  for (const name of ['Zoom in', 'Zoom out', 'Show all']) {
    await page.getByRole('button', { name }).click();
    seen.push(await view());
  }
  expect(seen.filter((each, i) => each === seen[i - 1])).toEqual([]);
  expect(await page.locator('.picked').count()).toBe(0);
  await page.getByRole('button', { name: 'Light or dark' }).click();
  expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
  await page.close();
});

describe('on a phone', () => {
  interface Box {
    readonly x: number;
    readonly y: number;
    readonly width: number;
    readonly height: number;
  }

  /** A phone that shows a graph, with functions to touch it. */
  async function held(graph: PackageGraph) {
    const { page, complaints } = await opened(graph, {
      viewport: PHONE,
      hasTouch: true,
      isMobile: true,
      deviceScaleFactor: 2,
    });
    const session = await page.context().newCDPSession(page);
    const touch = (
      type: 'touchStart' | 'touchMove' | 'touchEnd',
      ...at: (readonly [number, number])[]
    ) =>
      session.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: at.map(([x, y], id) => ({ x, y, id })),
      });
    const view = async (): Promise<Box> => {
      const text = await page.locator('.canvas .graph').getAttribute('viewBox');
      const [x, y, width, height] = text!.split(' ').map(Number) as [
        number,
        number,
        number,
        number,
      ];
      return { x, y, width, height };
    };
    const { x, y, width, height } = (await page.locator('.canvas .graph').boundingBox())!;
    return { page, complaints, touch, view, middle: [x + width / 2, y + height / 2] as const };
  }

  test.each(['lockfile', 'large'])('two fingers zoom, around where they are: %s', async (name) => {
    const { page, complaints, touch, view, middle } = await held(GRAPHS[name]!);
    const [x, y] = middle;
    const before = await view();
    await touch('touchStart', [x - 30, y], [x + 30, y]);
    for (const reach of [40, 60, 90, 120]) await touch('touchMove', [x - reach, y], [x + reach, y]);
    await touch('touchEnd');
    const closer = await view();
    // The fingers moved from 30 to 120 pixels apart. A drag begins with the fifth pixel.
    expect(before.width / closer.width).toBeGreaterThan(2.5);
    expect(before.width / closer.width).toBeLessThan(4.5);
    const centres = [before, closer].map((box) => box.x + box.width / 2);
    expect(Math.abs(centres[0]! - centres[1]!)).toBeLessThan(before.width / 20);
    await touch('touchStart', [x - 120, y], [x + 120, y]);
    for (const reach of [90, 60, 40]) await touch('touchMove', [x - reach, y], [x + reach, y]);
    await touch('touchEnd');
    expect((await view()).width / closer.width).toBeGreaterThan(2);
    // The page itself is not zoomed, and nothing was tapped.
    expect(await page.evaluate('visualViewport.scale')).toBe(1);
    expect(await page.locator('.picked').count()).toBe(0);
    expect(complaints).toEqual([]);
    await page.close();
  });

  test('one finger moves the view', async () => {
    const { page, touch, view, middle } = await held(GRAPHS['large']!);
    const [x, y] = middle;
    const before = await view();
    await touch('touchStart', [x, y]);
    for (const by of [10, 30, 60]) await touch('touchMove', [x - by, y - by]);
    await touch('touchEnd');
    const moved = await view();
    expect(moved.x).toBeGreaterThan(before.x);
    expect(moved.y).toBeGreaterThan(before.y);
    expect(moved.width).toBe(before.width);
    await page.close();
  });

  test('a tap opens a package, and buttons are as large as a finger', async () => {
    const { page } = await held(GRAPHS['lockfile']!);
    await page.locator('.canvas .node', { hasText: 'provider-family' }).first().tap();
    expect(await page.locator('.page.picked details').getAttribute('open')).toBe('');
    for (const button of await page.locator('[data-do]').all()) {
      const { width, height } = (await button.boundingBox())!;
      expect(Math.min(width, height)).toBeGreaterThanOrEqual(24);
    }
    await page.close();
  });
});

test('text from packages is never executed, and Graphviz can read it', async () => {
  for (const text of HOSTILE) {
    const graph = hostileGraph(text);
    const { page, complaints } = await opened(graph);
    expect(complaints).toEqual([]);
    expect(await page.locator('.page').count()).toBe(graph.nodes.length);
    await page.close();
    await drawnByGraphviz(await graphText(graph, 'dot'));
  }
});

test('an image is XML that a browser accepts, for any text from packages', async () => {
  const page = await browser.newPage();
  const graphs = [...Object.values(GRAPHS), ...HOSTILE.map(hostileGraph)];
  for (const graph of graphs) {
    const svg = JSON.stringify(await graphText(graph, 'svg'));
    const read = await page.evaluate(`(() => {
      const root = new DOMParser().parseFromString(${svg}, 'image/svg+xml').documentElement;
      return [root.nodeName, root.querySelectorAll('.node').length, root.querySelectorAll('script, parsererror').length];
    })()`);
    expect(read).toEqual(['svg', graph.nodes.length, 0]);
  }
  await page.close();
});

test.each(Object.keys(GRAPHS))('Graphviz draws it: %s', async (name) => {
  const svg = await drawnByGraphviz(await graphText(GRAPHS[name]!, 'dot'));
  const { nodes, edges, clashes } = GRAPHS[name]!;
  const lines = clashes.reduce((sum, clash) => sum + clash.nodes.length, edges.length);
  expect(svg.match(/class="node"/g)).toHaveLength(nodes.length + clashes.length);
  expect(svg.match(/class="edge"/g)).toHaveLength(lines);
});

async function drawnByGraphviz(text: string): Promise<string> {
  const file = join(folder, 'graph.dot');
  await writeFile(file, text);
  const { stdout, stderr } = await promisify(execFile)('dot', ['-Tsvg', file], {
    maxBuffer: 64 * 1024 * 1024,
  });
  expect(stderr).toBe('');
  return stdout;
}
