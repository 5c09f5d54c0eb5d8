import { join } from 'node:path';
import { expect, test } from 'vitest';
import yargs from 'yargs';
import { inputFlags, readRequest } from '../../../src/cli/flags/input-flags.js';
import { fakeIo } from '../../support/fake-io.js';

const FIXTURES = join(import.meta.dirname, '../../../fixtures/inputs');

function parse(argv: readonly string[]) {
  return yargs()
    .exitProcess(false)
    .options(inputFlags)
    .parseSync([...argv]);
}

test.each([
  { argv: [], file: undefined, refs: [], why: "the default files are not the flag's" },
  { argv: ['-f', 'a', 'ref'], file: ['a'], refs: ['ref'], why: 'one value a flag' },
  { argv: ['-f', 'a', '--file=b'], file: ['a', 'b'], refs: [], why: 'the order is kept' },
  { argv: ['-f', '-', 'ref'], file: ['-'], refs: ['ref'], why: 'a dash is stdin' },
])('$argv: $why', ({ argv, file, refs }) => {
  const args = parse(argv);
  expect({ file: args.file, refs: args._ }).toEqual({ file, refs });
});

test('notes go to stderr, a line each', async () => {
  const io = fakeIo({ cwd: FIXTURES });
  const request = await readRequest(parse(['-f', 'objects.yaml']), io, { refs: ['h.io/a/p'] });
  expect(request.roots).toHaveLength(3);
  expect(io.notes()).toEqual(['note: objects.yaml:30: ignored v1 ConfigMap']);
  expect(io.stdout()).toBe('');
});

test('strict and stdin reach the reader', async () => {
  const io = fakeIo({ stdin: '{apiVersion: v1, kind: Secret}' });
  await expect(readRequest(parse(['-f', '-', '--strict']), io)).rejects.toMatchObject({
    origin: { file: '-', line: 1 },
  });
});
