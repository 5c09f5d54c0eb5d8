import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EXIT } from '../../../src/cli/kit/command.js';
import { runCli } from '../../../src/commands.js';
import { fakeIo } from '../../support/fake-io.js';

const ROOT = join(import.meta.dirname, '../../..');
const CONTRIB = 'xpkg.example.org/acme-contrib';

async function run(...argv: readonly string[]) {
  const io = fakeIo({ env: { HOME: '/nowhere' } });
  const code = await runCli([...argv, '--from', `dir:${join(ROOT, 'fixtures/packages')}`], io);
  return { code, stdout: io.stdout(), notes: io.notes() };
}

test('`versions` lists the newest version first, and the Crossplane that each one needs', async () => {
  const { code, stdout } = await run('versions', 'provider-helm', '--crossplane', 'v1.20.11');
  expect(code).toBe(EXIT.done);
  expect(stdout).toBe(
    [
      '  version  Crossplane',
      '  v1.0.0   >=v2.0.0-0   needs Crossplane >=v2.0.0-0',
      '  v0.21.0  >=v1.14.0-0',
      '  v0.19.0  >=v1.12.0-0',
      '',
    ].join('\n'),
  );
});

test('`versions -o json` marks prereleases and rejected versions', async () => {
  const name = `${CONTRIB}/function-go-templating`;
  const { stdout } = await run('versions', name, '--crossplane', 'v1.16.0', '-o', 'json');
  const { versions, total, source } = JSON.parse(stdout) as {
    versions: { version: string; prerelease: boolean; refused?: string }[];
    total: number;
    source: string;
  };
  expect(source).toBe(`${CONTRIB}/function-go-templating`);
  expect(total).toBe(versions.length);
  expect(versions[0]).toMatchObject({ version: 'v0.11.0-rc.1', prerelease: true });
  expect(versions.filter(({ refused }) => refused === undefined)).toEqual([
    { version: 'v0.7.0', prerelease: false, crossplane: '>=v1.14.0-0' },
  ]);
});

test.each([
  { typed: `${CONTRIB}/provider-hlem`, hint: `did you mean \`${CONTRIB}/provider-helm\`?` },
  { typed: 'provider-nope', hint: 'name the package in full' },
  { typed: 'xpkg.example.org/other/thing', hint: '`xpkg-resolve search WORD`' },
])('a missing package, $typed: $hint', async ({ typed, hint }) => {
  const { code, notes } = await run('versions', typed);
  expect(code).toBe(EXIT.badInput);
  expect(notes.at(-1)).toContain(hint);
});

test.each([
  { word: 'helm', finds: [`${CONTRIB}/provider-helm`], why: 'a part of a name' },
  {
    word: 'databases.platform.acme.example.org',
    finds: ['xpkg.example.org/acme/configuration-database'],
    why: 'a CRD',
  },
  { word: 'Release', finds: [`${CONTRIB}/provider-helm`], why: 'a kind' },
  { word: 'nothing-like-it', finds: [], why: 'nothing' },
])('`search $word` finds $finds by $why', async ({ word, finds }) => {
  const { code, stdout } = await run('search', word, '-o', 'json', '--crossplane', 'v1.20.11');
  expect(code).toBe(EXIT.done);
  const { packages } = JSON.parse(stdout) as { packages: { source: string }[] };
  expect(packages.map(({ source }) => source)).toEqual(finds);
});

test('`search` reports sources that cannot be searched', async () => {
  const io = fakeIo({ env: { HOME: '/nowhere' } });
  expect(await runCli(['search', 'x', '--offline'], io)).toBe(EXIT.done);
  expect(io.notes().join('\n')).toContain('a registry cannot list what it holds');
});

test.each([
  ['@v0.9.2', 'v0.9.2'],
  [':v0.9.2', 'v0.9.2'],
  ['@~v0.7', 'v0.7.0'],
  ['', 'v0.10.0'],
])('`inspect SOURCE%s` reads %s', async (asked, version) => {
  const { code, stdout } = await run('inspect', `${CONTRIB}/function-go-templating${asked}`);
  expect(code).toBe(EXIT.done);
  const same = await run('inspect', `${CONTRIB}/function-go-templating:${version}`);
  expect(stdout).toBe(same.stdout);
});
