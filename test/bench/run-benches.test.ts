import { expect, test } from 'vitest';
import { runBenches } from '../../bench/run-benches.js';

async function ran(...asked: string[]) {
  const written = { out: '', err: '' };
  const code = await runBenches(
    asked,
    { one: () => '| 1 |\n', two: async () => '| 2 |\n' },
    {
      heading: 'Node',
      out: (text) => (written.out += text),
      note: (text) => (written.err += text),
    },
  );
  return { code, ...written };
}

test('benches run in the listed order: the named ones, or all', async () => {
  const two = { code: 0, out: 'Node\n\n### two\n\n| 2 |\n', err: '' };
  expect(await ran('two')).toEqual(two);
  const both = 'Node\n\n### one\n\n| 1 |\n\n### two\n\n| 2 |\n';
  expect(await ran()).toEqual({ code: 0, out: both, err: '' });
  expect(await ran('two', 'one')).toEqual({ code: 0, out: both, err: '' });
});

test('an unknown name is rejected with the list of names, and no bench runs', async () => {
  const err = 'error: no bench is called `thre`\nhint: there are one, two\n';
  expect(await ran('one', 'thre')).toEqual({ code: 2, out: '', err });
});
