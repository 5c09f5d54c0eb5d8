import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EXIT } from '../../../src/cli/kit/command.js';
import { runCli } from '../../../src/commands.js';
import { fakeIo } from '../../support/fake-io.js';
import { providers, requiring } from '../../support/universes.js';

const A = 'xpkg.example.org/acme/provider-a';
const B = 'xpkg.example.org/acme/provider-b';
const digest = (digit: string) => `sha256:${digit.repeat(64)}`;
const FROM = ['--from', 'index:index.json'];

let folder: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'xpkg-resolve-'));
  const set = {
    apiVersion: 'xpkg-resolve.dev/v1alpha1',
    kind: 'PackageSet',
    metadata: { name: 'test' },
    spec: { crossplane: 'v2.3.4', packages: [{ provider: A, version: '*' }] },
  };
  writeFileSync(join(folder, 'xpkg.yaml'), JSON.stringify(set));
  const packages = providers({
    [A]: { 'v1.0.0': { digest: digest('a'), ...requiring({ [B]: '>=v1.0.0' }) } },
    [B]: { 'v1.0.0': { digest: digest('b') } },
  });
  writeFileSync(join(folder, 'index.json'), JSON.stringify(packages));
  await run('resolve', ...FROM);
});

afterEach(() => rmSync(folder, { recursive: true }));

async function run(...args: string[]) {
  const io = fakeIo({ cwd: folder });
  const code = await runCli(args, io);
  return { code, stdout: io.stdout(), stderr: io.notes().join('\n') };
}

function file(path: string): string {
  return readFileSync(join(folder, path), 'utf8');
}

function edit(path: string, from: string, to: string): void {
  writeFileSync(join(folder, path), file(path).replace(from, to));
}

function outputs(): Record<string, string> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const files = paths.filter((path) => statSync(join(folder, path)).isFile()).sort();
  return Object.fromEntries(files.map((path) => [path, file(path)]));
}

const GUARDS = [
  { guard: 'render --check', args: ['render', '--check'] },
  { guard: 'resolve --locked', args: ['resolve', '--locked', ...FROM] },
  { guard: 'verify', args: ['verify', ...FROM] },
];

describe.each(GUARDS)('$guard', ({ args }) => {
  test('accepts what was just rendered', async () => {
    expect(await run(...args)).toMatchObject({ code: EXIT.done });
  });

  test('names the file and the first edited line, and writes nothing', async () => {
    edit('rendered/packages.yaml', `${B}:v1.0.0`, 'xpkg.example.org/evil/provider-b:v1.0.0');
    const before = outputs();
    const { code, stderr } = await run(...args);
    expect(code).toBe(EXIT.lockMismatch);
    expect(stderr).toMatch(/^error: rendered\/packages\.yaml:\d+: not what the lockfile renders$/m);
    expect(stderr).toContain(`wanted:   package: ${B}:v1.0.0`);
    expect(stderr).toContain('found:    package: xpkg.example.org/evil/provider-b:v1.0.0');
    expect(stderr).toContain('xpkg-resolve render');
    expect(outputs()).toEqual(before);
  });

  test.each([
    { why: 'a missing line feed', path: 'lock.yaml', change: (text: string) => text.slice(0, -1) },
    { why: 'an additional line', path: 'packages.yaml', change: (text: string) => `${text}---\n` },
    {
      why: 'other line endings',
      path: 'kustomization.yaml',
      change: (text: string) => text.replaceAll('\n', '\r\n'),
    },
    {
      why: 'without the mark of the tool',
      path: 'lock.yaml',
      change: (text: string) => text.slice(9),
    },
  ])('compares byte by byte: $why', async ({ path, change }) => {
    const whole = `rendered/${path}`;
    writeFileSync(join(folder, whole), change(file(whole)));
    const { code, stderr } = await run(...args);
    expect(code).toBe(EXIT.lockMismatch);
    expect(stderr).toContain(`error: ${whole}:`);
  });

  test('reports a missing file', async () => {
    rmSync(join(folder, 'rendered/lock.yaml'));
    const { code, stderr } = await run(...args);
    expect(code).toBe(EXIT.lockMismatch);
    expect(stderr).toContain('error: rendered/lock.yaml: the file is missing');
  });

  test('reports what is not a regular file, without reading it', async () => {
    rmSync(join(folder, 'rendered/lock.yaml'));
    symlinkSync('/dev/zero', join(folder, 'rendered/lock.yaml'));
    const { code, stderr } = await run(...args);
    expect(code).toBe(EXIT.lockMismatch);
    expect(stderr).toContain('error: rendered/lock.yaml: it is no file');
  });

  test('reports an outdated file of the tool and ignores files of the user', async () => {
    writeFileSync(join(folder, 'rendered/README.md'), 'theirs');
    writeFileSync(join(folder, 'rendered/mine.yaml'), 'theirs: too\n');
    expect(await run(...args)).toMatchObject({ code: EXIT.done });
    writeFileSync(join(folder, 'rendered/old.yaml'), file('rendered/packages.yaml'));
    const { code, stderr } = await run(...args);
    expect(code).toBe(EXIT.lockMismatch);
    expect(stderr).toContain('error: rendered/old.yaml: the lockfile renders no such file');
  });

  test('-o json has file and line', async () => {
    edit('rendered/packages.yaml', `${B}:v1.0.0`, `${B}:v0.9.0`);
    const { code, stdout } = await run(...args, '-o', 'json');
    expect(code).toBe(EXIT.lockMismatch);
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'mismatch',
      mismatches: [
        {
          kind: 'bundle',
          file: 'rendered/packages.yaml',
          line: expect.any(Number),
          locked: expect.stringContaining(`${B}:v1.0.0`),
          found: expect.stringContaining(`${B}:v0.9.0`),
        },
      ],
    });
  });

  test('uses the recorded options again', async () => {
    await run('render', '--pin', 'digest');
    expect(await run(...args)).toMatchObject({ code: EXIT.done });
    await run('render', '--pin', 'locked');
    expect(file('rendered/kustomization.yaml').split('\n')[1]).toBe('# Rendered with --pin locked');
    expect(file('rendered/packages.yaml')).toContain('rewriteImage');
    expect(await run(...args)).toMatchObject({ code: EXIT.done });
    await run('render', '--pin', 'tag', '--apply-lock', '--crossplane', 'v2.2.0');
    expect(await run(...args)).toMatchObject({ code: EXIT.done });
  });
});

test.each(GUARDS.slice(1))('$guard --no-bundle leaves the bundle out', async ({ args }) => {
  edit('rendered/packages.yaml', `${B}:v1.0.0`, `${B}:v0.9.0`);
  const before = outputs();
  expect(await run(...args, '--no-bundle')).toMatchObject({ code: EXIT.done });
  expect(outputs()).toEqual(before);
});

/** Publishes a tag that begins with the locked tag. */
function publishLonger(tag: string): void {
  edit(
    'index.json',
    '"v1.0.0":{"digest":"sha256:bb',
    `"${tag}":{"digest":"${digest('c')}"},"v1.0.0":{"digest":"sha256:bb`,
  );
}

describe('published tags that a pin would also match', () => {
  const kept = `while \`${B}:v1.0.0\` is pinned, no cluster can install \`v1.0.0-rc.1\``;
  const unknown = 'does not tell whether longer tags';
  beforeEach(() => publishLonger('v1.0.0-rc.1'));

  test('are reported by verify and check, as text and as JSON', async () => {
    expect((await run('verify', ...FROM)).stderr).not.toContain(kept);
    expect((await run('render', '--pin', 'locked')).stderr).toContain(unknown);
    const text = await run('verify', ...FROM);
    expect(text.stderr).toContain(`note: ${kept}`);
    expect(text.code).toBe(EXIT.done);
    const json = JSON.parse((await run('verify', ...FROM, '-o', 'json')).stdout);
    expect(json).toMatchObject({ status: 'verified', notes: [expect.stringContaining(kept)] });
    const checked = await run('check', ...FROM, '-o', 'json');
    expect(checked.code).toBe(EXIT.done);
    const steps = JSON.parse(checked.stdout).steps as { name: string; findings: unknown[] }[];
    expect(steps.find(({ name }) => name === 'verify')).toMatchObject({
      status: 'passed',
      findings: [{ rule: 'longer-tags', severity: 'info', text: expect.stringContaining(kept) }],
    });
  });

  test.each([
    { args: ['resolve', '--pin', 'locked'], why: 'requested' },
    { args: ['update', '--pin', 'locked'], why: 'requested' },
  ])('are allowed by $args', async ({ args }) => {
    const { code, stderr } = await run(...args, ...FROM);
    expect(code).toBe(EXIT.done);
    expect(stderr).not.toContain(unknown);
    expect(file('xpkg.lock.yaml')).toContain('    longerTags:\n      - v1.0.0-\n');
    expect(file('xpkg.lock.yaml')).toContain('    longerTags: []\n');
    expect(file('rendered/packages.yaml')).toContain(`prefix: ${B}:v1.0.0-\n`);
    expect((await run('verify', ...FROM)).stderr).not.toContain('no cluster can install');
  });

  test('are then read from the lockfile, and still reported', async () => {
    await run('resolve', '--pin', 'locked', ...FROM);
    const before = outputs();
    for (const args of [['render'], ['resolve', ...FROM], ['resolve', '--locked', ...FROM]]) {
      const { code, stderr } = await run(...args);
      expect({ code, warned: stderr.includes(unknown) }).toEqual({
        code: EXIT.done,
        warned: false,
      });
      expect(outputs()).toEqual(before);
    }
    await run('resolve', '--no-bundle', ...FROM);
    expect(outputs()).toEqual(before);
  });

  test('published later are reported by verify, and do not fail --locked', async () => {
    await run('resolve', '--pin', 'locked', ...FROM);
    publishLonger('v1.0.0-rc.2');
    expect((await run('verify', ...FROM)).stderr).not.toContain('no cluster can install');
    publishLonger('v1.0.01');
    expect(await run('resolve', '--locked', ...FROM)).toMatchObject({ code: EXIT.done });
    expect((await run('verify', ...FROM)).stderr).toContain('no cluster can install `v1.0.01`');
    await run('resolve', ...FROM);
    expect((await run('verify', ...FROM)).stderr).not.toContain('no cluster can install');
  });

  test('are only in the lockfile with --pin locked', async () => {
    const before = file('xpkg.lock.yaml');
    await run('resolve', ...FROM);
    expect(file('xpkg.lock.yaml')).toBe(before);
    await run('resolve', '--pin', 'locked', ...FROM);
    expect(file('xpkg.lock.yaml')).not.toBe(before);
    await run('resolve', '--pin', 'tag', ...FROM);
    expect(file('xpkg.lock.yaml')).toBe(before);
  });
});

test('are not reported if an ImageConfig of the user rewrites them', async () => {
  const own = `${B}:v1.0.01`;
  const spec = { matchImages: [{ prefix: own }], rewriteImage: { prefix: own } };
  const config = { apiVersion: 'pkg.crossplane.io/v1beta1', kind: 'ImageConfig' };
  const through = { ...config, metadata: { name: 'through' }, spec };
  writeFileSync(join(folder, 'through.yaml'), JSON.stringify(through));
  const files = ['-f', 'xpkg.yaml', '-f', 'through.yaml'];
  await run('resolve', ...FROM, ...files, '--pin', 'locked');
  publishLonger('v1.0.01');
  const { code, stderr } = await run('verify', ...FROM, ...files);
  expect(stderr).not.toContain('no cluster can install');
  expect(code).toBe(EXIT.done);
});

test('a record that was edited until rendering fails is a mismatch for verify', async () => {
  await run('render', '--pin', 'digest');
  edit('rendered/kustomization.yaml', '--pin digest', '--pin digest --apply-lock');
  const { code, stderr } = await run('verify', ...FROM);
  expect(code).toBe(EXIT.lockMismatch);
  expect(stderr).toContain('error: rendered: not what the lockfile renders, which is nothing');
});

test('keeps a file of the user with the name of a folder of another layout', async () => {
  for (const name of ['templates', 'layer-01']) writeFileSync(join(folder, 'rendered', name), 'x');
  const before = outputs();
  for (const { args } of GUARDS) expect(await run(...args)).toMatchObject({ code: EXIT.done });
  expect(await run('resolve', ...FROM)).toMatchObject({ code: EXIT.done });
  expect(outputs()).toEqual(before);
});

test('rejects a lockfile in place of the manifests before printing anything', async () => {
  const lock = ['--lock', 'rendered/kustomization.yaml', '--out', 'rendered/'];
  rmSync(join(folder, 'rendered'), { recursive: true });
  const { code, stdout } = await run('resolve', ...FROM, ...lock, '-o', 'json');
  expect(code).toBe(EXIT.badInput);
  expect(JSON.parse(stdout)).toMatchObject({ status: 'error' });
});

describe('a missing folder of manifests', () => {
  beforeEach(() => rmSync(join(folder, 'rendered'), { recursive: true }));

  test('is no mismatch: --locked writes it', async () => {
    const { code, stderr } = await run('resolve', '--locked', ...FROM);
    expect(code).toBe(EXIT.done);
    expect(stderr).toContain('wrote rendered/; xpkg.lock.yaml is up to date');
    expect(await run('render', '--check')).toMatchObject({ code: EXIT.done });
  });

  test('is no mismatch for verify, nor is a folder with only files of the user', async () => {
    expect(await run('verify', ...FROM)).toMatchObject({ code: EXIT.done });
    mkdirSync(join(folder, 'rendered'));
    writeFileSync(join(folder, 'rendered/.gitkeep'), '');
    expect(await run('verify', ...FROM)).toMatchObject({ code: EXIT.done });
  });

  test.each([['resolve', ...FROM], ['verify', ...FROM], ['render']])(
    'and has a file in its place, is named by %s',
    async (...args) => {
      writeFileSync(join(folder, 'rendered'), 'not ours');
      const before = outputs();
      const { code, stderr } = await run(...args);
      expect(stderr).toContain('/rendered` is no folder, where a bundle needs one');
      expect(code).toBe(EXIT.badInput);
      expect(outputs()).toEqual(before);
    },
  );

  test('exits with 4 for render --check, which writes nothing', async () => {
    const { code, stderr } = await run('render', '--check');
    expect(code).toBe(EXIT.lockMismatch);
    expect(stderr).toContain('error: rendered: no bundle is there');
    expect(stderr).toContain('not rendered yet, or elsewhere');
    expect(stderr).not.toContain('it was edited');
    expect(readdirSync(folder)).not.toContain('rendered');
  });
});

describe('recorded render options', () => {
  test('are in the kustomization, unless they are the defaults', async () => {
    expect(file('rendered/kustomization.yaml')).not.toContain('Rendered with');
    await run('render', '--pin', 'digest');
    expect(file('rendered/kustomization.yaml').split('\n')[1]).toBe('# Rendered with --pin digest');
    await run('render', '--pin', 'tag');
    expect(file('rendered/kustomization.yaml')).not.toContain('Rendered with');
  });

  test.each([
    { args: ['render'] },
    { args: ['resolve', ...FROM] },
    { args: ['resolve', '--frozen'] },
    { args: ['update', ...FROM] },
  ])('$args keeps them and reports it', async ({ args }) => {
    await run('render', '--pin', 'digest');
    const before = outputs();
    const { code, stderr } = await run(...args);
    expect(code).toBe(EXIT.done);
    expect(stderr).toContain('`rendered` is rendered with `--pin digest`, as it was before');
    expect(outputs()).toEqual(before);
  });

  test('are overridden by a flag', async () => {
    await run('render', '--apply-lock');
    await run('resolve', ...FROM, '--no-apply-lock');
    expect(file('rendered/kustomization.yaml')).not.toContain('lock.yaml');
  });

  test('an edited record is found: the objects do not match it', async () => {
    await run('render', '--pin', 'digest');
    edit('rendered/kustomization.yaml', '# Rendered with --pin digest\n', '');
    const { code, stderr } = await run('render', '--check');
    expect(code).toBe(EXIT.lockMismatch);
    expect(stderr).toContain('rendered/packages.yaml:');
  });
});

describe('"wrote" is only printed for changes', () => {
  test('nothing was written', async () => {
    const { stderr } = await run('resolve', ...FROM);
    expect(stderr).toBe('xpkg.lock.yaml and rendered/ are up to date');
    expect((await run('render')).stderr).toBe('rendered/ is up to date');
    expect((await run('resolve', '--frozen')).stderr).toBe('rendered/ is up to date');
  });

  test('one file was written and an outdated one removed', async () => {
    edit('rendered/packages.yaml', `${B}:v1.0.0`, `${B}:v0.9.0`);
    writeFileSync(join(folder, 'rendered/old.yaml'), file('rendered/lock.yaml'));
    const { stderr } = await run('resolve', ...FROM);
    expect(stderr).toBe(
      'wrote rendered/packages.yaml; removed rendered/old.yaml; xpkg.lock.yaml is up to date',
    );
    expect(readdirSync(join(folder, 'rendered'))).not.toContain('old.yaml');
  });
});

test.each([
  { args: ['render', '--check', '--out', '-'], code: EXIT.badInput },
  { args: ['render', '-o', 'json', '--out', '-'], code: EXIT.badInput },
  { args: ['resolve', '--no-bundle', '--out', '-', ...FROM], code: EXIT.badInput },
  { args: ['render', '--check', '--lock', 'gone.yaml'], code: EXIT.lockMismatch },
])('$args is exit $code', async ({ args, code }) => {
  expect(await run(...args)).toMatchObject({ code });
});

test('`render -o json` lists the files', async () => {
  const files = ['kustomization', 'lock', 'packages'].map((name) => `rendered/${name}.yaml`);
  const { stdout } = await run('render', '-o', 'json');
  expect(JSON.parse(stdout)).toMatchObject({ schemaVersion: 1, status: 'rendered', files });
});

test('a missing lockfile is a mismatch in JSON', async () => {
  const { code, stdout } = await run('resolve', '--locked', '-o', 'json', '--lock', 'x', ...FROM);
  expect(code).toBe(EXIT.lockMismatch);
  expect(JSON.parse(stdout)).toMatchObject({
    status: 'mismatch',
    exitCode: EXIT.lockMismatch,
    mismatches: [{ kind: 'missing' }],
  });
});
