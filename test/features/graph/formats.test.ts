import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { graphText, type GraphFormat } from '../../../src/features/graph/output.js';
import { graphOfLockfile } from '../../../src/features/graph/build-graph.js';
import {
  HOSTILE,
  hostileGraph,
  sampleClashes,
  sampleDiff,
  sampleLockfile,
  sampleRefusal,
} from './sample-graphs.js';

const SAMPLES = {
  lockfile: graphOfLockfile(sampleLockfile()),
  diff: sampleDiff(),
  refusal: sampleRefusal(),
  clashes: sampleClashes(),
};

const ENDINGS = { mermaid: 'mmd', dot: 'dot', json: 'json' } as const;

describe.each(Object.entries(SAMPLES))('%s', (name, graph) => {
  test.each(Object.entries(ENDINGS))('as %s', async (format, ending) => {
    const text = await graphText(graph, format as GraphFormat);
    await expect(text).toMatchFileSnapshot(`./golden/${name}.${ending}`);
  });

  test('as svg, without its style', async () => {
    const text = await graphText(graph, 'svg');
    const drawn = text.replace(/<style>[^]*?<\/style>/, '<style></style>');
    await expect(drawn).toMatchFileSnapshot(`./golden/${name}.svg`);
  });

  test('as html, without script and style', async () => {
    const text = await graphText(graph, 'html');
    const page = text
      .replace(/<style>[^]*?<\/style>/, '<style></style>')
      .replace(/<script>[^]*?<\/script>/, '<script></script>')
      .replaceAll(/sha256-[\w+/=]+/g, 'sha256-')
      .replace(/<g class="edges"[^]*<\/svg>\n<div/, '<g/></svg>\n<div');
    await expect(page).toMatchFileSnapshot(`./golden/${name}.page.html`);
  });

  test.each(['mermaid', 'dot', 'svg', 'html', 'json'] as const)(
    'the same bytes again: %s',
    async (format) => {
      expect(await graphText(graph, format)).toBe(await graphText(graph, format));
    },
  );
});

test('the content security policy of the page allows only its script and its style', async () => {
  const page = await graphText(SAMPLES.lockfile, 'html');
  const policy = /Content-Security-Policy" content="([^"]*)"/.exec(page)![1]!;
  const hash = (tag: string) => {
    const [, text] = new RegExp(`<${tag}>([^]*?)</${tag}>`).exec(page)!;
    return `sha256-${createHash('sha256').update(text!).digest('base64')}`;
  };
  expect(policy.split('; ')).toEqual([
    "default-src 'none'",
    `script-src '${hash('script')}'`,
    `style-src '${hash('style')}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ]);
});

describe.each(HOSTILE)('untrusted text is escaped: %j', (text) => {
  const graph = hostileGraph(text);

  test.each(['svg', 'html'] as const)('in %s', async (format) => {
    const markup = (await graphText(graph, format))
      .replace(/<style>[^]*?<\/style>/, '')
      .replace(/<script>[^]*?<\/script>/, '');
    expect(markup).not.toMatch(/<(?:script|img|iframe|!--)\b|<!--/i);
    // Every attribute is quoted, and every quote in it is an entity.
    for (const [tag] of markup.matchAll(/<[a-z][^>]*>/gi)) {
      expect(tag.replaceAll(/"[^"]*"/g, '')).not.toMatch(/\b(?:on\w+|style|src)=/i);
      expect(tag).toMatch(/^<[a-z][a-z0-9]*(?:\s[\w:-]+(?:="[^"<>]*")?)*\s?\/?>$/i);
    }
    expect(markup).not.toMatch(BAD_CHARACTERS);
    expect(markup).not.toMatch(/&(?!(?:amp|lt|gt|quot|#39);)/);
  });

  test('in mermaid: one statement per line, and no other quotes than our own', async () => {
    const lines = (await graphText(graph, 'mermaid')).trimEnd().split('\n');
    expect(lines.filter((line) => !MERMAID_LINES.some((form) => form.test(line)))).toEqual([]);
    expect(lines.slice(1).join('\n')).not.toMatch(/%|`/);
  });

  test('in dot: one statement per line, and every quote is closed', async () => {
    const lines = (await graphText(graph, 'dot')).trimEnd().split('\n');
    for (const line of lines) {
      const bare = line.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
      expect(bare).not.toContain('"'.repeat(3));
      expect(bare.replaceAll('""', '')).toMatch(/^[\w {}[\]=,.;>-]*$/);
    }
  });

  test('in json: unchanged', async () => {
    const { nodes } = JSON.parse(await graphText(graph, 'json')) as { nodes: { id: string }[] };
    expect(nodes.map(({ id }) => id)).toContain(`h.io/x/${text}`);
  });
});

const BAD_CHARACTERS =
  // eslint-disable-next-line no-control-regex -- what XML and screens cannot have is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069\ufffe\uffff]|\p{Surrogate}/u;

/** Line formats of our Mermaid output. The conformance tests check it with Mermaid's own parser. */
const LABEL = String.raw`"[^"\n]*"`;
const MERMAID_LINES = [
  /^%% [^%\n]*$/,
  /^flowchart LR$/,
  new RegExp(
    String.raw`^  [nc]\d+(?:\[|\{\{|\(\[|\[/|\[\(|\[\[)${LABEL}[\]})/]{1,2}(?::::clash)?$`,
  ),
  new RegExp(String.raw`^  [nc]\d+ (?:-->|-\.->|-\.-)(?:\|${LABEL}\|)? n\d+$`),
  /^ {2}linkStyle \d+ [\w:#,]+$/,
  /^ {2}classDef \w+ [\w:#, -]+$/,
  /^ {2}class (?:n\d+,?)+ \w+$/,
];
