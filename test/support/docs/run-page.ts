import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Clone, commandsOf } from '../readme.js';
import type { Page, ShellBlock } from './page.js';

/** A test that runs the blocks marked for it and all unmarked blocks. */
interface Suite {
  readonly file: string;
  /** A folder with the programs that the blocks need. */
  readonly programs: string;
}

/** Returns the blocks to run, in order: unmarked ones and those of the suite. */
export function runnable({ shell }: Page, suite?: string): readonly ShellBlock[] {
  return shell.filter(
    ({ mark }) => mark === undefined || (suite !== undefined && mark.suite === suite),
  );
}

/**
 * Writes the files of a page and runs its blocks in order in one shell, because later blocks use
 * earlier results. A block in `sh` must succeed; a session in `console` may show an error. Returns
 * the output of each block with its commands, by the line at which the block begins.
 */
export async function runPage(
  page: Page,
  clone: Clone,
  suite?: Suite,
): Promise<ReadonlyMap<number, string>> {
  for (const [path, text] of page.files) {
    mkdirSync(dirname(join(clone.folder, path)), { recursive: true });
    writeFileSync(join(clone.folder, path), text);
  }
  const blocks = runnable(page, suite?.file);
  const steps = blocks.map(({ language, body }) =>
    language === 'sh'
      ? [`set -eu\n${body}\nset +eu`]
      : commandsOf(body).map((command) => `{ ${command}\n} 2>&1`),
  );
  const setUp = suite === undefined ? [] : [`PATH='${suite.programs}':"$PATH"`];
  const printed = await clone.session([...setUp, ...steps.flat()]);
  const outputs = printed.slice(setUp.length);
  return new Map(
    blocks.map(({ language, body, at }) => {
      if (language === 'sh') return [at, outputs.shift()!];
      const lines = commandsOf(body).map((command) => `$ ${command}\n${outputs.shift()!}`);
      return [at, lines.join('')];
    }),
  );
}
