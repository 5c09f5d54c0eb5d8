import { expect, test } from 'vitest';
import { runCli } from '../../../src/commands.js';
import { fakeIo } from '../../support/fake-io.js';

async function run(argv: readonly string[], stdin = '') {
  const io = fakeIo({ stdin });
  const code = await runCli(['constraint', ...argv], io);
  return { code, out: io.stdout(), notes: io.notes() };
}

test('shows what a range admits on a release, and why it excludes other versions', async () => {
  const argv = ['<2', '1.20', '2.5.0', '3.0.0', 'latest', '--crossplane', 'v1.20.0', '-o', 'json'];
  const { code, out } = await run(argv);
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({
    schemaVersion: 1,
    constraint: '<2',
    crossplane: 'v1.20.0',
    semver: '1.5.0',
    means: '<3.0.0',
    prereleases: false,
    versions: [
      { version: '1.20', validVersion: true, satisfied: true },
      { version: '2.5.0', validVersion: true, satisfied: true },
      { version: '3.0.0', validVersion: true, satisfied: false },
      { version: 'latest', validVersion: false, satisfied: false },
    ],
  });
});

test('text has a reason for each version, and versions are optional', async () => {
  const asked = await run(['>=v1.2.0', 'v1.3.0', 'v1.0.0', '--crossplane', 'v2.3.4']);
  expect(asked.out).toContain('v1.3.0  yes');
  expect(asked.out).toContain('v1.0.0  no: below `>=v1.2.0`');
  const alone = await run(['>=v1.2.0', '--crossplane', 'v2.3.4']);
  expect(alone.code).toBe(0);
  expect(alone.notes).toEqual([]);
});

test('assumes the newest known release, and reports it on stderr', async () => {
  const { code, out, notes } = await run(['>=v1.2.0', '-o', 'json']);
  expect(code).toBe(0);
  expect(notes.join()).toContain(JSON.parse(out).crossplane);
});

test.each([
  { argv: ['latest'], hint: '>=v1.2.0', why: 'not a range' },
  {
    argv: ['>=1.0.0 <2.0.0', '--crossplane', 'v2.2.4'],
    hint: '>=1.0.0, <2.0.0',
    why: 'only a space',
  },
  { argv: ['=='], hint: 'comparators', why: 'only an operator' },
  { argv: ['==1.2.3'], hint: '=1.2.3', why: 'two equal signs' },
  { argv: [''], hint: '>=0.0.0', why: 'empty' },
  { argv: [], hint: '--stdin', why: 'not a range' },
  { argv: ['>=1.0.0', '--crossplane', '>=v1.20.0'], hint: 'v2.4', why: 'not an exact target' },
])('$argv ends in 2 with a hint: $why', async ({ argv, hint }) => {
  const { code, out, notes } = await run(argv);
  expect(code).toBe(2);
  expect(out).toBe('');
  expect(notes.find((note) => note.startsWith('hint:'))).toContain(hint);
});

test('--stdin answers each line in order, for its own release', async () => {
  const stdin = [
    { constraint: '^0.2.3', version: '0.9.0', crossplane: 'v1.20.0' },
    { constraint: '^0.2.3', version: '0.9.0', crossplane: 'v2.3.0' },
    { constraint: '^0.2.3', version: '0.9.0' },
    { constraint: 'latest', version: '0.9.0' },
    { constraint: '>=1', version: 'x\u2028y' },
    { constraint: '', version: '' },
  ].map((question) => `${JSON.stringify(question)}\r\n`);
  const { code, out } = await run(['--stdin'], stdin.join(''));
  expect(code).toBe(0);
  expect(
    out.split('\n').map((line) => (line === '' ? [] : Object.values(JSON.parse(line)))),
  ).toEqual([
    [true, true, true],
    [true, true, false],
    [true, true, false],
    [false, true, false],
    [true, false, false],
    [false, false, false],
    [],
  ]);
  expect(out.split('\n')[0]).toBe('{"validConstraint":true,"validVersion":true,"satisfied":true}');
});

test('--crossplane applies to the lines of --stdin without a release', async () => {
  const line = '{"constraint":"<2","version":"2.5.0"}\n';
  const { out } = await run(['--stdin', '--crossplane', 'v1.20.0'], line);
  expect(JSON.parse(out).satisfied).toBe(true);
});

test.each([
  { line: '{', why: 'not JSON' },
  { line: '[]', why: 'not an object' },
  { line: '{"constraint":"*"}', why: 'no version' },
  { line: '{"constraint":1,"version":"1.0.0"}', why: 'not a string' },
  { line: '{"constraint":"*","version":"1.0.0","crossplane":"new"}', why: 'not a release' },
])('--stdin: $line ends in 2 and names the line: $why', async ({ line }) => {
  const good = '{"constraint":"*","version":"1.0.0"}\n';
  const { code, out, notes } = await run(['--stdin'], `${good}${line}\n${good}`);
  expect(code).toBe(2);
  expect(notes.find((note) => note.startsWith('error:'))).toContain('-:2: ');
  expect(out.trim().split('\n')).toHaveLength(1);
});

test('--stdin and a range exclude each other', async () => {
  expect((await run(['>=1', '--stdin'])).code).toBe(2);
});
