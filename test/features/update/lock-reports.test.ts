import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EXIT } from '../../../src/cli/kit/command.js';
import { runCli } from '../../../src/commands.js';
import type { IndexFile } from '../../../src/sources/index/index-file.js';
import { formatLockfile } from '../../../src/project/lockfile/format-lockfile.js';
import { fakeIo } from '../../support/fake-io.js';
import { locked, lockfileOf, needs } from '../../support/lockfiles.js';
import { providers, requiring } from '../../support/universes.js';

const A = 'xpkg.example.org/acme/provider-a';
const B = 'xpkg.example.org/acme/provider-b';
const C = 'xpkg.example.org/acme/provider-c';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'xpkg-resolve-'));
  const lockfile = lockfileOf([
    locked(`${A}:v1.0.0`, {
      direct: true,
      requirements: [needs(`${B} >=v1.0.0`), needs(`${C} *`)],
    }),
    locked(`${B}:v1.0.0`, { requirements: [needs(`${C} ^v1.0.0`)] }),
    locked(`${C}:v1.0.0`, { owns: [{ kind: 'CRD', name: 'xs.acme.io' }] }),
  ]);
  writeFileSync(join(folder, 'xpkg.lock.yaml'), formatLockfile(lockfile));
  const universe = providers({
    [A]: { 'v1.0.0': requiring({ [B]: '>=v1.0.0', [C]: '*' }) },
    [B]: { 'v1.0.0': requiring({ [C]: '^v1.0.0' }) },
    [C]: { 'v1.0.0': {}, 'v1.5.0': {}, 'v2.0.0': {} },
  });
  writeFileSync(join(folder, 'index.json'), JSON.stringify(universe));
});

afterEach(() => rmSync(folder, { recursive: true }));

async function run(...args: string[]) {
  const io = fakeIo({ cwd: folder });
  const code = await runCli(args, io);
  return { code, stdout: io.stdout(), stderr: io.notes().join('\n') };
}

describe('tree', () => {
  test('marks packages that are shown above', async () => {
    const { code, stdout } = await run('tree', '--offline');
    expect(code).toBe(EXIT.done);
    expect(stdout).toBe(
      [
        `${A} v1.0.0`,
        `├── ${B} v1.0.0 \`>=v1.0.0\``,
        `│   └── ${C} v1.0.0 \`^v1.0.0\``,
        `└── ${C} v1.0.0 \`*\` (*)`,
        '(*) shown above with what it requires',
        '',
      ].join('\n'),
    );
  });

  test('-o json nests packages', async () => {
    expect(JSON.parse((await run('tree', '-o', 'json')).stdout)).toMatchObject({
      schemaVersion: 1,
      packages: [
        {
          source: A,
          direct: true,
          requires: [
            { source: B, requires: [{ source: C, constraint: '^v1.0.0' }] },
            { source: C, constraint: '*', repeated: true },
          ],
        },
      ],
    });
  });
});

describe('why', () => {
  test('shows the paths to the owner of a CRD', async () => {
    const { code, stdout } = await run('why', 'xs.acme.io');
    expect(code).toBe(EXIT.done);
    expect(stdout).toBe(
      [
        `${C} v1.0.0 owns CRD xs.acme.io`,
        `  ${A} v1.0.0 is asked for directly`,
        `    requires ${C} v1.0.0 \`*\``,
        `  ${A} v1.0.0 is asked for directly`,
        `    requires ${B} v1.0.0 \`>=v1.0.0\``,
        `      requires ${C} v1.0.0 \`^v1.0.0\``,
        '',
      ].join('\n'),
    );
  });

  test('-o json lists the steps of each path', async () => {
    expect(JSON.parse((await run('why', 'provider-b', '-o', 'json')).stdout)).toMatchObject({
      schemaVersion: 1,
      answers: [{ source: B, paths: [[{ source: A }, { source: B, constraint: '>=v1.0.0' }]] }],
    });
  });

  test.each([
    { name: 'provider-d', meant: A },
    { name: 'xz.acme.io', meant: 'xs.acme.io' },
  ])('$name is not locked: did you mean $meant?', async ({ name, meant }) => {
    const { code, stderr } = await run('why', name);
    expect(code).toBe(EXIT.badInput);
    expect(stderr).toContain(`did you mean \`${meant}\`?`);
  });
});

describe('why --not', () => {
  const FROM = ['--from', 'index:index.json', '--crossplane', 'v2.3.4', '-f', 'set.yaml'];

  beforeEach(() => {
    const spec = { packages: [{ provider: A, version: '*' }] };
    const set = { apiVersion: 'xpkg-resolve.dev/v1alpha1', kind: 'PackageSet', spec };
    writeFileSync(join(folder, 'set.yaml'), JSON.stringify(set));
  });

  test('is a refusal of that version, with exit code 0', async () => {
    const { code, stdout } = await run('why', '--not', 'provider-c@v2.0.0', ...FROM);
    expect(code).toBe(EXIT.done);
    expect(stdout).not.toContain('error: ');
    expect(stdout).toContain('provider-b');
    const explained = await run('why', '--not', 'provider-c@v2.0.0', '--explain', ...FROM);
    expect(explained.stdout).toContain('provider-b v1.0.0 requires');
  });

  test('-o json has the document of `resolve`', async () => {
    const args = ['--not', `${C}@v2.0.0`, '-o', 'json', ...FROM];
    const { code, stdout } = await run('why', ...args);
    expect(code).toBe(EXIT.done);
    const { why, ...rest } = JSON.parse(stdout) as { readonly why: object };
    const heldBy = { source: B, version: 'v1.0.0', requires: C };
    expect(rest).toMatchObject({ schemaVersion: 1, source: C, version: 'v2.0.0', heldBy });
    expect(why).toMatchObject({
      status: 'unsolvable',
      explanation: expect.any(String),
      core: expect.any(Array),
      suggestions: expect.any(Array),
    });
  });

  test('states that the version is possible, and what would change', async () => {
    const args = ['--not', `${C}@v1.5.0`, ...FROM];
    const { code, stdout } = await run('why', ...args);
    expect(code).toBe(EXIT.done);
    expect(stdout).toContain(`possible: there is a set with ${C} v1.5.0`);
    expect(stdout).toContain(`would move ${C} v1.0.0 → v1.5.0`);
    expect(JSON.parse((await run('why', ...args, '-o', 'json')).stdout)).toMatchObject({
      status: 'possible',
      changes: [{ source: C, from: 'v1.0.0', to: 'v1.5.0' }],
    });
  });

  test('prints the command that applies a suggestion', async () => {
    expect((await run('init', '--crossplane', 'v2.3.4')).code).toBe(EXIT.done);
    expect((await run('add', `${A}@*`, ...FROM, '--allow-undigested')).code).toBe(EXIT.done);
    const flags = [...FROM, '--allow-undigested'];
    const { stdout } = await run('why', '--not', `${C}@v2.0.0`, ...flags);
    const command = `xpkg-resolve update ${C}@v2.0.0 ${flags.join(' ')} --apply-hint 1`;
    expect(stdout).toContain(`\`${command}\` makes the change`);
    const [, ...words] = command.split(' ');
    const applied = await run(...words);
    expect(applied.code, applied.stderr).toBe(EXIT.done);
    expect(applied.stdout).toMatch(/provider-c +v2\.0\.0/);
  });

  test('prints a command that installs the version', async () => {
    const D = 'xpkg.example.org/acme/provider-d';
    const universe = JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8')) as IndexFile;
    const more = providers({
      [B]: { 'v1.0.0': requiring({ [C]: '^v1.0.0' }), 'v1.1.0': {} },
      [D]: { 'v1.0.0': {} },
    });
    const packages = { ...universe.packages, ...more.packages };
    writeFileSync(join(folder, 'index.json'), JSON.stringify({ packages }));
    expect((await run('init', '--crossplane', 'v2.3.4')).code).toBe(EXIT.done);
    expect((await run('add', `${A}@*`, ...FROM, '--allow-undigested')).code).toBe(EXIT.done);
    for (const [wanted, command] of [
      [`${B}@v1.1.0`, 'update'],
      [`${D}@v1.0.0`, 'add'],
    ] as const) {
      const flags = [...FROM, '--allow-undigested'];
      const { stdout } = await run('why', '--not', wanted, ...flags);
      const words = [command, wanted, ...flags];
      expect(stdout).toContain(`hint: \`xpkg-resolve ${words.join(' ')}\``);
      const done = await run(...words);
      expect(done.code, done.stderr).toBe(EXIT.done);
    }
  });

  test.each([
    { args: [], why: 'neither a name nor a version' },
    { args: ['provider-a', '--not', 'provider-c@v2.0.0'], why: 'both' },
    { args: ['--not', 'provider-c'], why: 'no version' },
    { args: ['--not', 'Not A Package@v1.0.0'], why: 'no package' },
  ])('$args is exit 2: $why', async ({ args }) => {
    expect(await run('why', ...args, ...FROM)).toMatchObject({ code: EXIT.badInput });
  });
});

describe('outdated', () => {
  const FROM = ['--from', 'index:index.json'];

  test('shows the reachable and the newest version', async () => {
    const { code, stdout, stderr } = await run('outdated', ...FROM);
    expect(code).toBe(EXIT.done);
    expect(stdout).toMatch(
      /provider-c +v1\.0\.0 +v1\.5\.0 +v2\.0\.0\n +held by .*provider-b v1\.0\.0, which requires/,
    );
    expect(stdout).not.toContain(`${A} `);
    expect(stderr).toContain('xpkg.yaml');
  });

  test('--exit-code exits with 6 if a package is outdated, also with -o json', async () => {
    const { code, stdout } = await run('outdated', ...FROM, '--exit-code', '-o', 'json');
    expect(code).toBe(EXIT.findings);
    expect(JSON.parse(stdout)).toMatchObject({
      schemaVersion: 1,
      packages: [
        {
          source: C,
          version: 'v1.0.0',
          fits: 'v1.5.0',
          newest: 'v2.0.0',
          heldBy: { source: B, version: 'v1.0.0', requires: C, text: expect.any(String) },
        },
      ],
    });
  });

  test('--exit-code exits with 0 if nothing is outdated', async () => {
    const universe = providers({
      [A]: { 'v1.0.0': requiring({ [B]: '*', [C]: '*' }) },
      [B]: { 'v1.0.0': {} },
      [C]: { 'v1.0.0': {} },
    });
    writeFileSync(join(folder, 'index.json'), JSON.stringify(universe));
    expect(await run('outdated', ...FROM, '--exit-code')).toMatchObject({ code: EXIT.done });
  });

  test('--prerelease may be repeated', async () => {
    const { code } = await run('outdated', ...FROM, '--prerelease', B, '--prerelease', C);
    expect(code).toBe(EXIT.done);
  });
});

test.each([['tree'], ['why', 'provider-a'], ['outdated']])(
  '%s without a lockfile is exit 4',
  async (...args) => {
    expect(await run(...args, '--lock', 'gone.yaml')).toMatchObject({ code: EXIT.lockMismatch });
  },
);
