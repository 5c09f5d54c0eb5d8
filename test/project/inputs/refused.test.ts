import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readInputs } from '../../../src/project/inputs/read-inputs.js';
import { InputError } from '../../../src/base/errors.js';

const cwd = join(import.meta.dirname, '../../../fixtures/inputs/refused');
const stories = readdirSync(cwd).filter((file) => file.endsWith('.yaml'));

async function stdin(): Promise<string> {
  return '';
}

test.each(stories)('%s is rejected with a message', async (file) => {
  const error: unknown = await readInputs({ files: [file], refs: [], cwd, stdin }).catch(
    (caught: unknown) => caught,
  );
  if (!(error instanceof InputError)) throw new Error('it was accepted', { cause: error });
  const hint = error.hint === undefined ? '' : `hint: ${error.hint}\n`;
  await expect(`${error.message}\n${hint}`).toMatchFileSnapshot(
    join(cwd, file.replace('.yaml', '.txt')),
  );
});
