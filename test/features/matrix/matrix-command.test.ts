import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EXIT } from '../../../src/cli/kit/command.js';
import { runCli } from '../../../src/commands.js';
import { fakeIo } from '../../support/fake-io.js';
import { providers } from '../../support/universes.js';

const A = 'xpkg.example.org/acme/a';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'xpkg-resolve-'));
  const universe = providers({
    [A]: {
      'v1.0.0': { crossplane: '>=v1.16.0, <v2.0.0' },
      'v2.0.0': { crossplane: '>=v2.1.3' },
    },
  });
  writeFileSync(join(folder, 'index.json'), JSON.stringify(universe));
});

afterEach(() => rmSync(folder, { recursive: true }));

async function run(...args: string[]) {
  const io = fakeIo({ cwd: folder });
  const code = await runCli(['matrix', '--from', 'index:index.json', ...args], io);
  return { code, stdout: io.stdout() };
}

test('one line per row, with differences or conflicts', async () => {
  const { code, stdout } = await run(A);
  expect(code).toBe(EXIT.done);
  expect(stdout).toBe(
    [
      'v1.14.0 to v1.15.6   blocked  a v2.0.0 needs Crossplane `>=v2.1.3` (and 1 more)',
      'v1.16.0 to v1.20.13  works    1 package',
      'v2.0.0 to v2.1.2     blocked  a v2.0.0 needs Crossplane `>=v2.1.3` (and 1 more)',
      'v2.1.3 to v2.4.2     works    1 package: a v1.0.0 → v2.0.0',
      'Packages are from xpkg.example.org/acme.',
      '',
    ].join('\n'),
  );
});

test('-o json prints one document', async () => {
  const { code, stdout } = await run(A, '-o', 'json', '--crossplane', '>=v2.1.2, <v2.2.0');
  expect(code).toBe(EXIT.done);
  expect(JSON.parse(stdout)).toMatchObject({
    schemaVersion: 1,
    rows: [
      { from: 'v2.1.2', to: 'v2.1.2', status: 'unsolvable', core: [{ demand: { on: A } }, {}, {}] },
      {
        from: 'v2.1.3',
        to: 'v2.1.8',
        status: 'solved',
        packages: [{ source: A, version: 'v2.0.0' }],
      },
    ],
    stats: { listed: 1, fetched: 2, bytes: 0 },
  });
});

test.each([
  { args: [A, '--crossplane', 'v2.0.0'], code: EXIT.unsolvable, why: 'no release works' },
  { args: [A, '--crossplane', 'nonsense'], code: EXIT.badInput, why: 'no version, no range' },
])('$args is exit $code: $why', async ({ args, code }) => {
  expect(await run(...args)).toMatchObject({ code });
});
