import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EXIT } from '../../../../src/cli/exit-code.js';
import { runCli } from '../../../../src/cli/run.js';
import type { IndexFile } from '../../../../src/model/index-file.js';
import { fakeIo } from '../../../support/fake-io.js';

const HOST = 'xpkg.example.org/acme';
const digest = (digit: string) => `sha256:${digit.repeat(64)}`;

/** b is required by a, from v2.0.0 on needs Crossplane v2, and does not go with c. */
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

/** Every file of the folder, with what it holds. */
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
  test('writes `^` of the newest that the set admits, by kind, and all files', async () => {
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

  test('without a range also moves what is locked, as a dependency, at an older version', async () => {
    write('xpkg.yaml', SET.replace('spec:', 'spec:\n  exclude: []'));
    await run('resolve');
    await run('update', `${HOST}/provider-b@v1.0.0`);
    expect(read('xpkg.lock.yaml')).toContain('version: v1.0.0');
    const { stderr } = await run('add', `${HOST}/provider-b`);
    expect(stderr).toContain('at `^v1.1.0`');
  });

  test('takes a range, a tag and a digest as they are given', async () => {
    write('xpkg.yaml', SET);
    await run('add', `${HOST}/provider-b@<v1.1.0`);
    expect(read('xpkg.yaml')).toContain('version: "<v1.1.0"');
    await run('add', `${HOST}/provider-b:v1.0.0`);
    expect(read('xpkg.yaml')).toContain('version: "v1.0.0"');
  });

  test('takes the end of a name that a source lists', async () => {
    write('xpkg.yaml', SET);
    expect((await run('add', 'provider-b@<v1.1.0')).code).toBe(EXIT.done);
    expect(read('xpkg.yaml')).toContain(`- provider: ${HOST}/provider-b\n      version: "<v1.1.0"`);
    const unknown = await run('add', 'function-x');
    expect(unknown.code).toBe(EXIT.badInput);
    expect(unknown.stderr).toContain('did you mean `function-c`?');
  });

  test('leaves everything as it was where there is no answer', async () => {
    write('xpkg.yaml', SET);
    await run('resolve');
    const before = everything();
    const { code, stderr } = await run('add', `${HOST}/function-c`);
    expect(code).toBe(EXIT.unsolvable);
    expect(stderr).toContain('command line asks for');
    expect(everything()).toEqual(before);
  });

  test('--no-write answers and writes nothing; -o json is the answer of resolve', async () => {
    write('xpkg.yaml', SET);
    const before = everything();
    const { code, stdout } = await run('add', `${HOST}/provider-b`, '--no-write', '-o', 'json');
    expect(code).toBe(EXIT.done);
    expect(JSON.parse(stdout)).toMatchObject({ schemaVersion: 1, status: 'solved' });
    expect(everything()).toEqual(before);
  });

  test('says that a package is there already, and changes its range if one is given', async () => {
    write('xpkg.yaml', SET);
    const again = await run('add', `${HOST}/configuration-a`);
    expect(again.code).toBe(EXIT.done);
    expect(again.stderr).toContain('is asked for already, at `>=v1.0.0` (xpkg.yaml:8)');
    expect(read('xpkg.yaml')).toBe(SET);
    const changed = await run('add', `${HOST}/configuration-a@^v1.0.0`);
    expect(changed.stderr).toContain('from `>=v1.0.0` to `^v1.0.0` (xpkg.yaml:8)');
    expect(read('xpkg.yaml')).toBe(SET.replace("'>=v1.0.0'", "'^v1.0.0'"));
  });

  test('admits prereleases for good where it is told to', async () => {
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
      why: 'by kind, as the others are',
      list: `  dependsOn:\n    - apiVersion: pkg.crossplane.io/v1\n      kind: Provider\n      package: ${HOST}/other\n      version: v1\n`,
      has: `    - apiVersion: pkg.crossplane.io/v1\n      kind: Provider\n      package: ${HOST}/provider-b\n      version: "^v1.1.0"\n`,
    },
    { why: 'no list yet', list: '', has: `  dependsOn:\n    - provider: ${HOST}/provider-b\n` },
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
    { args: ['not a package'], says: 'has a blank in it', why: 'no reference' },
    { args: [`${HOST}/provider-b`, '-f', 'other.yaml'], says: 'no PackageSet', why: 'no list' },
    {
      args: [`${HOST}/provider-b`, '-f', 'object.yaml', '-f', 'xpkg.yaml'],
      says: 'object.yaml:1',
      why: 'elsewhere',
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
  test('takes an entry out with its comment, by the end of its name', async () => {
    write('xpkg.yaml', SET);
    await run('add', `${HOST}/provider-b`);
    const { code, stderr } = await run('remove', 'configuration-a');
    expect(code).toBe(EXIT.done);
    expect(stderr).toContain(`took ${HOST}/configuration-a out of xpkg.yaml`);
    expect(read('xpkg.yaml')).not.toContain('the platform');
    expect(read('xpkg.lock.yaml')).not.toContain('configuration-a');
  });

  test('of what only another package requires says which', async () => {
    write('xpkg.yaml', SET);
    await run('resolve');
    const { code, stderr } = await run('remove', 'provider-b');
    expect(code).toBe(EXIT.badInput);
    expect(stderr).toContain(`because ${HOST}/configuration-a requires it`);
    expect(read('xpkg.yaml')).toBe(SET);
  });

  test('of what an included file asks for says where', async () => {
    write('base.yaml', SET);
    write('xpkg.yaml', SET.replace(/ {2}crossplane[^]*/, '  include: [base.yaml]\n'));
    const { code, stderr } = await run('remove', 'configuration-a');
    expect(code).toBe(EXIT.badInput);
    expect(stderr).toContain('base.yaml:8');
  });

  test('of what is not there offers what may be meant', async () => {
    write('xpkg.yaml', SET);
    const { code, stderr } = await run('remove', 'configuration-b');
    expect(code).toBe(EXIT.badInput);
    expect(stderr).toContain('did you mean `configuration-a`?');
  });
});

describe('set crossplane', () => {
  test('keeps the comment, and moves what has to move', async () => {
    write('xpkg.yaml', SET);
    await run('resolve');
    const { code } = await run('set', 'crossplane', 'v2.0.2');
    expect(code).toBe(EXIT.done);
    expect(read('xpkg.yaml')).toBe(SET.replace('v1.20.0 ', 'v2.0.2 '));
    expect(read('xpkg.lock.yaml')).toContain('crossplane: v2.0.2');
  });

  test('is refused, with everything left, where the set does not work', async () => {
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
])('a project: $file', ({ file, head, entry, last }) => {
  test('gets an entry as the others are, and loses it again', async () => {
    write(file, `${head}${last}`);
    expect((await run('add', `${HOST}/provider-b`)).code).toBe(EXIT.done);
    expect(read(file)).toContain(entry('provider-b', '"^v2.0.0"'));
    expect(read(file)).toContain(last);
    expect((await run('remove', 'provider-b')).code).toBe(EXIT.done);
    expect(read(file)).not.toContain('provider-b');
    expect(read(file)).toContain(last);
  });

  test('has its range changed by add, and by a hint', async () => {
    write(file, `${head}${entry('provider-b', "'^v9.0.0' # soon")}${last}`);
    expect((await run('resolve', '--apply-hint', '1')).code).toBe(EXIT.done);
    expect(read(file)).toBe(`${head}${entry('provider-b', "'^v2.0.0' # soon")}${last}`);
    await run('add', `${HOST}/provider-b@<v2.0.0`);
    expect(read(file)).toBe(`${head}${entry('provider-b', "'<v2.0.0' # soon")}${last}`);
  });

  test('says which releases it admits, and is resolved for one', async () => {
    write(file, `${head}${entry('provider-b', 'v2.0.0')}${last}`);
    const { code, stderr } = await run('set', 'crossplane', 'v2.0.2');
    expect([code, stderr]).toEqual([
      EXIT.done,
      expect.stringContaining('`resolve --crossplane v2.0.2`'),
    ]);
    expect(read(file)).toMatch(/crossplane:\n {4}version: v2\.0\.2\n/);
    expect(read('xpkg.lock.yaml')).toContain('crossplane: v2.0.2');
  });
});

describe('-o yaml', () => {
  test.each([
    { words: ['add', `${HOST}/provider-b`], has: 'version: "^v1.1.0"' },
    { words: ['add', `${HOST}/configuration-a`], has: SET },
    { words: ['remove', 'configuration-a'], has: 'packages: []' },
    { words: ['set', 'crossplane', 'v2.0.2'], has: 'crossplane: v2.0.2   # until spring' },
  ])('$words prints the file as it becomes', async ({ words, has }) => {
    write('xpkg.yaml', SET);
    const shown = await run(...words, '-o', 'yaml', '--no-write');
    expect([shown.code, shown.stdout]).toEqual([EXIT.done, expect.stringContaining(has)]);
    expect(read('xpkg.yaml')).toBe(SET);
    await run(...words, '-o', 'yaml');
    expect(read('xpkg.yaml')).toBe(shown.stdout);
  });

  test('a refusal is told as text, and nothing is printed', async () => {
    write('xpkg.yaml', SET);
    const { code, stdout, stderr } = await run('add', `${HOST}/function-c`, '-o', 'yaml');
    expect([code, stdout]).toEqual([EXIT.unsolvable, '']);
    expect(stderr).toContain('command line asks for');
  });

  test('goes with no bundle on stdout', async () => {
    write('xpkg.yaml', SET);
    const { code } = await run('add', `${HOST}/provider-b`, '-o', 'yaml', '--out', '-');
    expect(code).toBe(EXIT.badInput);
  });
});

describe('--apply-hint', () => {
  /** a requires b, which is wanted at a version that a does not like. */
  const CLASH = `${SET}    - provider: ${HOST}/provider-b\n      version: v2.0.0 # new\n`;

  test('of add changes what was named, and adds that', async () => {
    write('xpkg.yaml', SET);
    const words = ['add', `${HOST}/provider-b@v2.0.0`];
    const refused = await run(...words, '--explain');
    expect(refused.stderr).toContain(`command line: '${HOST}/provider-b@^v1.1.0'`);
    const number = /(\d)\. ask for .* `\^v1\.1\.0`/.exec(refused.stderr)![1]!;
    expect((await run(...words, '--apply-hint', number)).code).toBe(EXIT.done);
    expect(read('xpkg.yaml')).toBe(
      `${SET}    - provider: ${HOST}/provider-b\n      version: "^v1.1.0"\n`,
    );
  });

  test('of add changes the file, and adds to it', async () => {
    write('xpkg.yaml', SET);
    const words = ['add', `${HOST}/provider-b@v2.0.0`];
    const { stderr } = await run(...words, '--explain');
    const number = /(\d)\. .*Crossplane/.exec(stderr)![1]!;
    const { code, stderr: told } = await run(...words, '--apply-hint', number);
    expect([code, told]).toEqual([EXIT.done, expect.stringContaining('wrote xpkg.yaml,')]);
    expect(read('xpkg.yaml')).toMatch(/crossplane: v2[^]*provider-b\n {6}version: "?v2\.0\.0/);
  });

  test('of set changes another line as well', async () => {
    write('xpkg.yaml', CLASH.replace('v1.20.0', 'v2.0.2'));
    await run('resolve');
    const { code } = await run('set', 'crossplane', 'v1.19.0', '--apply-hint', '1');
    expect(code).toBe(EXIT.done);
    expect(read('xpkg.yaml')).toMatch(/crossplane: v1\.19\.0[^]*version: "?\^v1.*# new/);
  });

  test('of update changes the range that is in the way', async () => {
    write('xpkg.yaml', CLASH.replace('v1.20.0', 'v2.0.2').replace('v2.0.0 #', '^v1.0.0 #'));
    await run('resolve');
    const words = ['update', 'provider-b@v2.0.0'];
    expect((await run(...words)).stderr).toContain('`--apply-hint');
    const { code, stderr } = await run(...words, '--apply-hint', '1');
    expect([code, stderr]).toEqual([EXIT.done, expect.stringContaining('wrote xpkg.yaml,')]);
    expect(read('xpkg.yaml')).toContain('version: "^v2.0.0" # new');
    expect(read('xpkg.lock.yaml')).toContain('version: v2.0.0');
  });

  test('says that there is an answer without it', async () => {
    write('xpkg.yaml', SET);
    const { code, stderr } = await run('add', `${HOST}/provider-b`, '--apply-hint', '1');
    expect([code, stderr]).toEqual([EXIT.done, expect.stringContaining('no hint is applied')]);
  });
});
