import { existsSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PAGES, readPage } from '../support/docs/page.js';
import { anchorsOf } from '../support/docs/anchors.js';

const ROOT = join(import.meta.dirname, '../..');

/** Prose: links in blocks and in code are no links. */
function proseOf(markdown: string): string {
  return markdown.replaceAll(/^```[\s\S]*?^```$/gm, '').replaceAll(/`[^`\n]*`/g, '`code`');
}

function linksOf(markdown: string): string[] {
  return Array.from(proseOf(markdown).matchAll(/\]\(([^)\s]+)\)/g), ([, to]) => to!);
}

/** Why a link leads nowhere; undefined: it leads somewhere, or out of the repository. */
function deadEnd(page: string, link: string): string | undefined {
  if (/^[a-z]+:/.test(link)) return undefined;
  const [file = '', anchor] = link.split('#');
  const path = file === '' ? page : normalize(join(dirname(page), file));
  if (!existsSync(join(ROOT, path))) return `there is no ${path}`;
  if (anchor === undefined || statSync(join(ROOT, path)).isDirectory()) return undefined;
  const anchors = anchorsOf(readPage(path).text);
  return anchors.includes(anchor) ? undefined : `${path} has no heading #${anchor}`;
}

describe.each(PAGES)('%s', (path) => {
  test('its links lead somewhere', () => {
    const dead = linksOf(readPage(path).text).flatMap((link) => {
      const why = deadEnd(path, link);
      return why === undefined ? [] : [`${link}: ${why}`];
    });
    expect(dead).toEqual([]);
  });
});

test('headings have the anchors that GitHub gives them', () => {
  const text = '# A `b-c` d\n\n## Über: x, y/z\n## Twice\n```sh\n# no heading\n```\n## Twice\n';
  expect(anchorsOf(text)).toEqual(['a-b-c-d', 'über-x-yz', 'twice', 'twice-1']);
});

test('every page of docs is one click from docs/README.md (add a row there for a new one)', () => {
  const index = linksOf(readPage('docs/README.md').text).map((link) => link.split('#')[0]);
  const others = PAGES.filter((path) => /^docs\/[^/]+\.md$/.test(path)).map((path) =>
    path.slice('docs/'.length),
  );
  expect(others.filter((name) => name !== 'README.md' && !index.includes(name))).toEqual([]);
});
