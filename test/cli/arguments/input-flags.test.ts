import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ArgsOf } from '../../../src/cli/kit/command.js';
import { flagValues, readWords } from '../../../src/cli/arguments/parser.js';
import { inputFlags, readRequestAndTexts } from '../../../src/cli/arguments/input-flags.js';
import { fakeIo } from '../../support/fake-io.js';

const FIXTURES = join(import.meta.dirname, '../../../fixtures/inputs');

function parse(argv: readonly string[]) {
  const read = readWords(argv, inputFlags);
  const { values } = flagValues(read.flags, inputFlags, undefined);
  return { args: values as ArgsOf<typeof inputFlags>, refs: read.args };
}

test.each([
  { argv: [], file: undefined, refs: [], why: 'the default files do not belong to the flag' },
  { argv: ['-f', 'a', 'ref'], file: ['a'], refs: ['ref'], why: 'one value for each flag' },
  { argv: ['-f', 'a', '--file=b'], file: ['a', 'b'], refs: [], why: 'in the given order' },
  { argv: ['-f', '-', 'ref'], file: ['-'], refs: ['ref'], why: 'a dash is stdin' },
])('$argv: $why', ({ argv, file, refs }) => {
  const parsed = parse(argv);
  expect({ file: parsed.args.file, refs: parsed.refs }).toEqual({ file, refs });
});

test('notes go to stderr, one per line', async () => {
  const io = fakeIo();
  const objects = join(FIXTURES, 'objects.yaml');
  const { request } = await readRequestAndTexts(parse(['-f', objects]).args, io, {
    refs: ['h.io/a/p'],
  });
  expect(request.roots).toHaveLength(3);
  expect(io.notes()).toEqual([`note: ${objects}:30: ignored v1 ConfigMap`]);
  expect(io.stdout()).toBe('');
});

test('--strict and stdin are passed to the reader', async () => {
  const io = fakeIo({ stdin: '{apiVersion: v1, kind: Secret}' });
  await expect(readRequestAndTexts(parse(['-f', '-', '--strict']).args, io)).rejects.toMatchObject({
    origin: { file: '-', line: 1 },
  });
});
