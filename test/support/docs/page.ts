import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Block, blocksOf } from '../readme.js';

const ROOT = join(import.meta.dirname, '../../..');

/** Folders with pages that people read and copy from. */
const FOLDERS = ['docs', 'integrations', 'fixtures', 'bench', 'src'];

/** The paths of all pages, relative to the repository. */
export const PAGES: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  ...FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
      .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
      .sort(),
  ),
];

/**
 * A comment in the line above a shell block: `<!-- not run: WHY -->` or `<!-- run by
 * test/PATH.test.ts: WHY NOT WITH THE OTHERS -->`.
 */
export interface Mark {
  /** The test that runs the block; undefined: none. */
  readonly suite: string | undefined;
  readonly reason: string;
}

export interface ShellBlock extends Block {
  /** undefined: test/docs/pages.test.ts runs the block after all blocks above it. */
  readonly mark: Mark | undefined;
}

export interface Page {
  readonly path: string;
  readonly text: string;
  readonly blocks: readonly Block[];
  /** Blocks in `sh` and sessions in `console`. */
  readonly shell: readonly ShellBlock[];
  /** YAML files, by the path in their first line. */
  readonly files: ReadonlyMap<string, string>;
}

const MARK = /<!-- (?:not run|run by (\S+)): ([^\n]+) -->\n```\w+\n$/;

export function readPage(path: string): Page {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const blocks = blocksOf(text);
  const files = blocks.flatMap(({ language, body }) => {
    const file = /^# (\S+\.yaml)\n/.exec(body)?.[1];
    return language === 'yaml' && file !== undefined ? [[file, body] as const] : [];
  });
  const shell = blocks
    .filter(({ language }) => language === 'sh' || language === 'console')
    .map((block) => {
      const above = MARK.exec(text.slice(0, block.at));
      const mark = above === null ? undefined : { suite: above[1], reason: above[2]! };
      return { ...block, mark };
    });
  return { path, text, blocks, shell, files: new Map(files) };
}

/** Returns the page with other block contents. */
export function withBodies(page: Page, bodies: ReadonlyMap<number, string>): string {
  return page.blocks.reduceRight((text, { at, body }) => {
    return `${text.slice(0, at)}${bodies.get(at) ?? body}${text.slice(at + body.length)}`;
  }, page.text);
}
