import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EXIT } from '../../../src/cli/kit/command.js';
import { runCli } from '../../../src/commands.js';
import type { IndexFile } from '../../../src/sources/index/index-file.js';
import { fakeIo } from '../../support/fake-io.js';

const HOST = 'xpkg.example.org/acme';
const digest = (digit: string) => `sha256:${digit.repeat(64)}`;

/** `a` requires `b`; from v2.0.0 on, `b` needs Crossplane v2 and conflicts with `c`. */
const INDEX: IndexFile = {
  packages: {
    [`${HOST}/configuration-a`]: {
      kind: 'Configuration',
      versions: {
        'v1.0.0': {
          digest: digest('a'),
          dependsOn: [{ provider: `${HOST}/provider-b`, version: '>=v1.0.0' }],
        },
      },
    },
    [`${HOST}/provider-b`]: {
      kind: 'Provider',
      versions: {
        'v1.0.0': { digest: digest('1') },
        'v1.1.0': { digest: digest('2'), crossplane: '>=v1.0.0' },
        'v2.0.0': { digest: digest('3'), crossplane: '>=v2.0.0' },
        'v3.0.0-rc.1': { digest: digest('4') },
      },
    },
    [`${HOST}/function-c`]: {
      kind: 'Function',
      versions: {
        'v0.3.0': {
          digest: digest('c'),
          dependsOn: [{ provider: `${HOST}/provider-b`, version: '>=v9.0.0' }],
        },
      },
    },
  },
};

const SET = `# What we run.
apiVersion: xpkg-resolve.dev/v1alpha1
kind: PackageSet
spec:
  crossplane: v1.20.0   # until spring
  packages:
    # the platform
    - configuration: ${HOST}/configuration-a
      version: '>=v1.0.0'
`;

let cwd: string;

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'edit-'));
  write('index.json', JSON.stringify(INDEX));
});

afterEach(() => rmSync(cwd, { recursive: true }));

function write(file: string, text: string): void {
  writeFileSync(join(cwd, file), text);
}

function read(file: string): string {
  return readFileSync(join(cwd, file), 'utf8');
}

/** Returns the contents of every file in the folder. */
function everything(): Readonly<Record<string, string>> {
  const entries = readdirSync(cwd, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [path, readFileSync(path, 'utf8')];
    }),
  );
}

async function run(...words: string[]) {
  const io = fakeIo({ cwd });
  const code = await runCli([...words, '--from', 'index:index.json'], io);
  return { code, stdout: io.stdout(), stderr: io.notes().join('\n') };
}

describe('add', () => {
  test('writes `^` of the newest version that fits, under its kind, and all outputs', async () => {
    write('xpkg.yaml', SET);
    const { code, stderr } = await run('add', `${HOST}/provider-b`);
    expect(stderr).toContain(`added ${HOST}/provider-b at \`^v1.1.0\` to xpkg.yaml`);
    expect(stderr).toContain('wrote xpkg.yaml, xpkg.lock.yaml');
    expect(code).toBe(EXIT.done);
    expect(read('xpkg.yaml')).toBe(
      `${SET}    - provider: ${HOST}/provider-b\n      version: "^v1.1.0"\n`,
    );
    expect(read('xpkg.lock.yaml')).toContain('version: v1.1.0');
    expect((await run('resolve', '--locked')).code).toBe(EXIT.done);
  });

  test('without a range, updates a package that is locked as a dependency at an older version', async () => {
    write('xpkg.yaml', SET.replace('spec:', 'spec:\n  exclude: []'));
    await run('resolve');
    await run('update', `${HOST}/provider-b@v1.0.0`);
    expect(read('xpkg.lock.yaml')).toContain('version: v1.0.0');
    const { stderr } = await run('add', `${HOST}/provider-b`);
    expect(stderr).toContain('at `^v1.1.0`');
  });

  test('writes a range, a tag or a digest unchanged', async () => {
    write('xpkg.yaml', SET);
    await run('add', `${HOST}/provider-b@<v1.1.0`);
    expect(read('xpkg.yaml')).toContain('version: "<v1.1.0"');
    await run('add', `${HOST}/provider-b:v1.0.0`);
    expect(read('xpkg.yaml')).toContain('version: "v1.0.0"');
  });

  test('accepts the last part of a name that a source lists', async () => {
    write('xpkg.yaml', SET);
    expect((await run('add', 'provider-b@<v1.1.0')).code).toBe(EXIT.done);
    expect(read('xpkg.yaml')).toContain(`- provider: ${HOST}/provider-b\n      version: "<v1.1.0"`);
    const unknown = await run('add', 'function-x');
    expect(unknown.code).toBe(EXIT.badInput);
    expect(unknown.stderr).toContain('did you mean `function-c`?');
  });

  test('changes nothing if there is no solution', async () => {
    write('xpkg.yaml', SET);
    await run('resolve');
    const before = everything();
    const { code, stderr } = await run('add', `${HOST}/function-c`);
    expect(code).toBe(EXIT.unsolvable);
    expect(stderr).toContain('command line asks for');
    expect(everything()).toEqual(before);
  });

  test('--no-write resolves and writes nothing; -o json prints the answer of resolve', async () => {
    write('xpkg.yaml', SET);
    const before = everything();
    const { code, stdout } = await run('add', `${HOST}/provider-b`, '--no-write', '-o', 'json');
    expect(code).toBe(EXIT.done);
    expect(JSON.parse(stdout)).toMatchObject({ schemaVersion: 1, status: 'solved' });
    expect(everything()).toEqual(before);
  });

  test('reports an existing entry, and changes its range if one is given', async () => {
    write('xpkg.yaml', SET);
    const again = await run('add', `${HOST}/configuration-a`);
    expect(again.code).toBe(EXIT.done);
    expect(again.stderr).toContain('is asked for already, at `>=v1.0.0` (xpkg.yaml:8)');
    expect(read('xpkg.yaml')).toBe(SET);
    const changed = await run('add', `${HOST}/configuration-a@^v1.0.0`);
    expect(changed.stderr).toContain('from `>=v1.0.0` to `^v1.0.0` (xpkg.yaml:8)');
    expect(read('xpkg.yaml')).toBe(SET.replace("'>=v1.0.0'", "'^v1.0.0'"));
  });

  test('permanently allows prereleases on request', async () => {
    write('xpkg.yaml', SET);
    await run('add', `${HOST}/provider-b`, '--prerelease', `${HOST}/provider-b`);
    expect(read('xpkg.yaml')).toMatch(/version: "\^v3\.0\.0-rc\.1"\n {6}prerelease: true\n$/);
    expect((await run('resolve', '--locked')).code).toBe(EXIT.done);
  });

  test.each([
    {
      why: 'the short form',
      list: `  dependsOn:\n    - function: ${HOST}/other\n      version: v1\n`,
      has: `    - provider: ${HOST}/provider-b\n      version: "^v1.1.0"\n`,
    },
    {
      why: 'with a kind, like the other entries',
      list: `  dependsOn:\n    - apiVersion: pkg.crossplane.io/v1\n      kind: Provider\n      package: ${HOST}/other\n      version: v1\n`,
      has: `    - apiVersion: pkg.crossplane.io/v1\n      kind: Provider\n      package: ${HOST}/provider-b\n      version: "^v1.1.0"\n`,
    },
    { why: 'without a list', list: '', has: `  dependsOn:\n    - provider: ${HOST}/provider-b\n` },
  ])('edits dependsOn of a crossplane.yaml: $why', async ({ list, has }) => {
    const other = { kind: 'Function', versions: { v1: { digest: digest('f') } } };
    const kinds = list.includes('Provider') ? { ...other, kind: 'Provider' } : other;
    const packages = { ...INDEX.packages, [`${HOST}/other`]: kinds };
    write('index.json', JSON.stringify({ packages }));
    const meta = `apiVersion: meta.pkg.crossplane.io/v1\nkind: Configuration\nmetadata:\n  name: mine\nspec:\n  crossplane:\n    version: ">=v1.0.0"\n${list}`;
    write('crossplane.yaml', meta);
    const { code } = await run('add', `${HOST}/provider-b`, '--crossplane', 'v1.20.0');
    expect(code).toBe(EXIT.done);
    expect(read('crossplane.yaml')).toContain(`${meta}${list === '' ? '' : has}`);
    expect(read('crossplane.yaml')).toContain(has);
  });

  test.each([
    { args: ['not a package'], says: 'has a blank in it', why: 'not a reference' },
    { args: [`${HOST}/provider-b`, '-f', 'other.yaml'], says: 'no PackageSet', why: 'not a list' },
    {
      args: [`${HOST}/provider-b`, '-f', 'object.yaml', '-f', 'xpkg.yaml'],
      says: 'object.yaml:1',
      why: 'in another file',
    },
  ])('$args is exit 2: $why', async ({ args, says }) => {
    write('xpkg.yaml', SET);
    write('other.yaml', 'a: 1\n');
    write(
      'object.yaml',
      `apiVersion: pkg.crossplane.io/v1\nkind: Provider\nmetadata: { name: b }\nspec: { package: "${HOST}/provider-b:v1.0.0" }\n`,
    );
    const { code, stderr } = await run('add', ...args);
    expect(code).toBe(EXIT.badInput);
    expect(stderr).toContain(says);
    expect(read('xpkg.yaml')).toBe(SET);
  });
});

describe('remove', () => {
  test('removes an entry and its comment, given the last part of its name', async () => {
    write('xpkg.yaml', SET);
    await run('add', `${HOST}/provider-b`);
    const { code, stderr } = await run('remove', 'configuration-a');
    expect(code).toBe(EXIT.done);
    expect(stderr).toContain(`removed ${HOST}/configuration-a from xpkg.yaml`);
    expect(read('xpkg.yaml')).not.toContain('the platform');
    expect(read('xpkg.lock.yaml')).not.toContain('configuration-a');
  });

  test('names the packages that require a package without an entry', async () => {
    write('xpkg.yaml', SET);
    await run('resolve');
    const { code, stderr } = await run('remove', 'provider-b');
    expect(code).toBe(EXIT.badInput);
    expect(stderr).toContain(`because ${HOST}/configuration-a requires it`);
    expect(read('xpkg.yaml')).toBe(SET);
  });

  test('names the included file that has the entry', async () => {
    write('base.yaml', SET);
    write('xpkg.yaml', SET.replace(/ {2}crossplane[^]*/, '  include: [base.yaml]\n'));
    const { code, stderr } = await run('remove', 'configuration-a');
    expect(code).toBe(EXIT.badInput);
    expect(stderr).toContain('base.yaml:8');
  });

  test('suggests similar names for an unknown package', async () => {
    write('xpkg.yaml', SET);
    const { code, stderr } = await run('remove', 'configuration-b');
    expect(code).toBe(EXIT.badInput);
    expect(stderr).toContain('did you mean `configuration-a`?');
  });
});

describe('set crossplane', () => {
  test('keeps the comment and updates packages that must change', async () => {
    write('xpkg.yaml', SET);
    await run('resolve');
    const { code } = await run('set', 'crossplane', 'v2.0.2');
    expect(code).toBe(EXIT.done);
    expect(read('xpkg.yaml')).toBe(SET.replace('v1.20.0 ', 'v2.0.2 '));
    expect(read('xpkg.lock.yaml')).toContain('crossplane: v2.0.2');
  });

  test('is rejected without changes if there is no solution', async () => {
    write(
      'xpkg.yaml',
      SET.replace(
        '  packages:\n',
        `  packages:\n    - provider: ${HOST}/provider-b\n      version: v2.0.0\n`,
      ).replace('v1.20.0', 'v2.0.2'),
    );
    await run('resolve');
    const before = everything();
    expect((await run('set', 'crossplane', 'v1.19.0')).code).toBe(EXIT.unsolvable);
    expect(everything()).toEqual(before);
  });

  test.each([
    { args: ['crossplane', 'newest'], says: 'neither a version nor a range' },
    { args: ['crossplane', 'v2.0.2', '--crossplane', 'v1.20.0'], says: '--crossplane' },
    { args: ['kubernetes', 'v1.30.0'], says: 'crossplane' },
  ])('$args is exit 2', async ({ args, says }) => {
    write('xpkg.yaml', SET);
    const { code, stderr } = await run('set', ...args);
    expect(code).toBe(EXIT.badInput);
    expect(stderr).toContain(says);
    expect(read('xpkg.yaml')).toBe(SET);
  });
});

describe.each([
  {
    file: 'crossplane-project.yaml',
    head: 'apiVersion: dev.crossplane.io/v1alpha1\nkind: Project\nmetadata: { name: mine }\nspec:\n  dependencies:\n',
    entry: (name: string, version: string) =>
      `    - type: xpkg\n      xpkg:\n        apiVersion: pkg.crossplane.io/v1\n        kind: Provider\n        package: ${HOST}/${name}\n        version: ${version}\n`,
    last: '    - type: k8s\n      k8s: { version: v1.33.0 } # for schemas\n',
  },
  {
    file: 'upbound.yaml',
    head: 'apiVersion: meta.dev.upbound.io/v1alpha1\nkind: Project\nmetadata: { name: mine }\nspec:\n  dependsOn:\n',
    entry: (name: string, version: string) =>
      `    - apiVersion: pkg.crossplane.io/v1\n      kind: Provider\n      package: ${HOST}/${name}\n      version: ${version}\n`,
    last: '  architectures: [amd64] # ours\n',
  },
])('a package under development: $file', ({ file, head, entry, last }) => {
  test('gets an entry like the others, and loses it again', async () => {
    write(file, `${head}${last}`);
    expect((await run('add', `${HOST}/provider-b`)).code).toBe(EXIT.done);
    expect(read(file)).toContain(entry('provider-b', '"^v2.0.0"'));
    expect(read(file)).toContain(last);
    expect((await run('remove', 'provider-b')).code).toBe(EXIT.done);
    expect(read(file)).not.toContain('provider-b');
    expect(read(file)).toContain(last);
  });

  test('has its range changed by add and by a suggestion', async () => {
    write(file, `${head}${entry('provider-b', "'^v9.0.0' # soon")}${last}`);
    expect((await run('resolve', '--apply-hint', '1')).code).toBe(EXIT.done);
    expect(read(file)).toBe(`${head}${entry('provider-b', "'^v2.0.0' # soon")}${last}`);
    await run('add', `${HOST}/provider-b@<v2.0.0`);
    expect(read(file)).toBe(`${head}${entry('provider-b', "'<v2.0.0' # soon")}${last}`);
  });

  test('states the releases that it supports, and is resolved for one of them', async () => {
    write(file, `${head}${entry('provider-b', 'v2.0.0')}${last}`);
    const { code, stderr } = await run('set', 'crossplane', 'v2.0.2');
    expect([code, stderr]).toEqual([
      EXIT.done,
      expect.stringContaining('`resolve --crossplane v2.0.2`'),
    ]);
    expect(read(file)).toMatch(/crossplane:\n {4}version: v2\.0\.2\n/);
    expect(read('xpkg.lock')).toContain('crossplane: v2.0.2');
  });
});

describe('-o yaml', () => {
  test.each([
    { words: ['add', `${HOST}/provider-b`], has: 'version: "^v1.1.0"' },
    { words: ['add', `${HOST}/configuration-a`], has: SET },
    { words: ['remove', 'configuration-a'], has: 'packages: []' },
    { words: ['set', 'crossplane', 'v2.0.2'], has: 'crossplane: v2.0.2   # until spring' },
  ])('$words prints the changed file', async ({ words, has }) => {
    write('xpkg.yaml', SET);
    const shown = await run(...words, '-o', 'yaml', '--no-write');
    expect([shown.code, shown.stdout]).toEqual([EXIT.done, expect.stringContaining(has)]);
    expect(read('xpkg.yaml')).toBe(SET);
    await run(...words, '-o', 'yaml');
    expect(read('xpkg.yaml')).toBe(shown.stdout);
  });

  test('prints a refusal as text, and nothing on stdout', async () => {
    write('xpkg.yaml', SET);
    const { code, stdout, stderr } = await run('add', `${HOST}/function-c`, '-o', 'yaml');
    expect([code, stdout]).toEqual([EXIT.unsolvable, '']);
    expect(stderr).toContain('command line asks for');
  });

  test('does not combine with a bundle on stdout', async () => {
    write('xpkg.yaml', SET);
    const { code } = await run('add', `${HOST}/provider-b`, '-o', 'yaml', '--out', '-');
    expect(code).toBe(EXIT.badInput);
  });
});

describe('--apply-hint', () => {
  /** `a` requires `b`, but not the version of `b` in xpkg.yaml. */
  const CLASH = `${SET}    - provider: ${HOST}/provider-b\n      version: v2.0.0 # new\n`;

  test('with add keeps the named package, edits the file and adds to it', async () => {
    write('xpkg.yaml', SET);
    const words = ['add', `${HOST}/provider-b@v2.0.0`];
    const { stderr } = await run(...words, '--explain');
    expect(stderr).toMatch(/hint: resolve for Crossplane v2/);
    expect(stderr).not.toMatch(/instead of `v2\.0\.0`|leave out/);
    const { code, stderr: told } = await run(...words, '--apply-hint', '1');
    expect([code, told]).toEqual([EXIT.done, expect.stringContaining('wrote xpkg.yaml,')]);
    expect(read('xpkg.yaml')).toMatch(/crossplane: v2[^]*provider-b\n {6}version: "?v2\.0\.0/);
  });

  test('a version named by add is a requirement of the command line, not of the file', async () => {
    write('xpkg.yaml', SET);
    const entry = SET.match(/- \w+: (\S+)\n/)![1]!;
    const { code, stderr } = await run('add', `${entry}@v9.9.9`);
    expect(code).toBe(EXIT.unsolvable);
    expect(stderr).toContain(`the command line asks for ${entry} \`v9.9.9\``);
    expect(stderr).not.toMatch(/xpkg\.yaml:\d+ asks for/);
    expect(stderr).not.toContain('--apply-hint');
    expect(read('xpkg.yaml')).toBe(SET);
  });

  test('with set edits another line as well', async () => {
    write('xpkg.yaml', CLASH.replace('v1.20.0', 'v2.0.2'));
    await run('resolve');
    const { code } = await run('set', 'crossplane', 'v1.19.0', '--apply-hint', '1');
    expect(code).toBe(EXIT.done);
    expect(read('xpkg.yaml')).toMatch(/crossplane: v1\.19\.0[^]*version: "?\^v1.*# new/);
  });

  test('with update changes the conflicting range', async () => {
    write('xpkg.yaml', CLASH.replace('v1.20.0', 'v2.0.2').replace('v2.0.0 #', '^v1.0.0 #'));
    await run('resolve');
    const words = ['update', 'provider-b@v2.0.0'];
    expect((await run(...words)).stderr).toContain('`--apply-hint');
    const { code, stderr } = await run(...words, '--apply-hint', '1');
    expect([code, stderr]).toEqual([EXIT.done, expect.stringContaining('wrote xpkg.yaml,')]);
    expect(read('xpkg.yaml')).toContain('version: "^v2.0.0" # new');
    expect(read('xpkg.lock.yaml')).toContain('version: v2.0.0');
  });

  test('states that no suggestion is needed', async () => {
    write('xpkg.yaml', SET);
    const { code, stderr } = await run('add', `${HOST}/provider-b`, '--apply-hint', '1');
    expect([code, stderr]).toEqual([EXIT.done, expect.stringContaining('no hint is applied')]);
  });
});

describe('with --no-write, every sentence is conditional:', () => {
  const B = `${HOST}/provider-b`;
  const A = `${HOST}/configuration-a`;
  test.each([
    { words: ['add', B], would: [`would add ${B} at \`^v1.1.0\` to xpkg.yaml`] },
    {
      words: ['add', `${A}@^v1.0.0`],
      would: [`would change ${A} from \`>=v1.0.0\` to \`^v1.0.0\` (xpkg.yaml:8)`],
    },
    {
      words: ['remove', A],
      would: [
        `would remove ${A} from xpkg.yaml`,
        `would remove ${A} v1.0.0: `,
        `would remove ${B} v1.0.0: `,
      ],
    },
    {
      words: ['set', 'crossplane', 'v2.0.0'],
      would: ['would set Crossplane to `v2.0.0` in xpkg.yaml'],
    },
    { words: ['update', 'provider-b'], would: [`would move ${B} v1.0.0 → v1.1.0: `] },
    { words: ['resolve', '--upgrade'], would: [`would move ${B} v1.0.0 → v1.1.0: `] },
    {
      words: ['resolve', `${B}@>=v9.0.0`, '--apply-hint', '1'],
      would: ['the command would become: '],
    },
  ])('$words', async ({ words, would }) => {
    write('xpkg.yaml', SET);
    expect((await run('resolve', '--prefer', 'lowest')).code).toBe(EXIT.done);
    const before = everything();
    const { code, stderr } = await run(...words, '--no-write');
    expect(code).toBe(EXIT.done);
    for (const text of would) expect(stderr).toContain(text);
    const claims = /^(?:added|changed|moved|removed|set|took|wrote|from now on)\b/m;
    expect(stderr).not.toMatch(claims);
    expect(everything()).toEqual(before);
  });

  test('reports that a run would fail because digests are missing', async () => {
    const undigested = JSON.stringify(INDEX, (key, value: unknown) =>
      key === 'digest' ? undefined : value,
    );
    write('index.json', undigested);
    write('xpkg.yaml', SET);
    const note = 'note: without --no-write this fails: digests are missing';
    const { code, stderr } = await run('add', B, '--no-write');
    expect([code, stderr]).toEqual([EXIT.done, expect.stringContaining(note)]);
    expect((await run('add', B)).code).toBe(EXIT.badInput);
    const allowed = await run('add', B, '--no-write', '--allow-undigested');
    expect(allowed.stderr).not.toContain(note);
  });
});
