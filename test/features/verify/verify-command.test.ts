import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EXIT } from '../../../src/cli/kit/command.js';
import { sha256 } from '../../../src/base/digest.js';
import { VerifyFolder } from '../../support/verify-folder.js';

let at: VerifyFolder;

beforeEach(() => {
  at = new VerifyFolder();
});

afterEach(() => at.remove());

const run: VerifyFolder['run'] = (...args) => at.run(...args);
const report: VerifyFolder['report'] = (...args) => at.report(...args);

const provider = (crd = 'as.example.org') => `apiVersion: meta.pkg.crossplane.io/v1
kind: Provider
metadata: {name: p}
spec: {crossplane: {version: ">=v1.14.0"}, package: x}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ${crd}}
`;

async function packageYaml(reference: string, text: string): Promise<void> {
  const path = join(at.path, 'world', reference);
  await mkdir(path, { recursive: true });
  await writeFile(join(path, 'package.yaml'), text);
}

describe('packages in folders', () => {
  const A = 'xpkg.example.org/acme/configuration-a';
  const P = 'xpkg.example.org/acme/provider-p';
  const FROM = ['--from', 'dir:world'];

  const configuration = (constraint = '>=v1.0.0') => `apiVersion: meta.pkg.crossplane.io/v1
kind: Configuration
metadata: {name: a}
spec: {dependsOn: [{provider: ${P}, version: "${constraint}"}]}
`;

  async function ask(version = '>=v1.0.0', more = ''): Promise<void> {
    const text = `apiVersion: xpkg-resolve.dev/v1alpha1
kind: PackageSet
spec:
  crossplane: v2.3.4
  packages: [{configuration: ${A}, version: "${version}"}]
${more}`;
    await writeFile(join(at.path, 'xpkg.yaml'), text);
  }

  beforeEach(async () => {
    await packageYaml(`${A}@v1.0.0`, configuration());
    await packageYaml(`${P}@v1.0.0`, `${provider()}# older\n`);
    await packageYaml(`${P}@v1.1.0`, provider());
    await ask();
    expect((await run('resolve', ...FROM)).code).toBe(EXIT.done);
  });

  test('a new lockfile has no mismatches and is not changed', async () => {
    const before = await readFile(at.lockfile, 'utf8');
    expect(await run('verify', ...FROM)).toMatchObject({
      code: EXIT.done,
      stdout: '2 packages are as locked in xpkg.lock.yaml, for Crossplane v2.3.4\n',
      stderr: '',
    });
    expect(await readFile(at.lockfile, 'utf8')).toBe(before);
  });

  test('the project folder can be an input: written files add no requirements', async () => {
    await rename(join(at.path, 'rendered'), join(at.path, 'bundle'));
    const set = join(at.path, 'set');
    await mkdir(set);
    for (const name of ['xpkg.yaml', 'bundle', 'xpkg.lock.yaml']) {
      await rename(join(at.path, name), join(set, name));
    }
    const args = [...FROM, '-f', 'set', '--lock', 'set/xpkg.lock.yaml'];
    expect(await run('verify', ...args)).toMatchObject({ code: EXIT.done, stderr: '' });
  });

  test('newer versions are no mismatch', async () => {
    await packageYaml(`${P}@v1.2.0`, provider());
    expect(await run('verify', ...FROM)).toMatchObject({ code: EXIT.done });
  });

  test('other bytes under a locked version: reports the moved tag with both digests', async () => {
    await packageYaml(`${P}@v1.1.0`, provider('bs.example.org'));
    const { code, stderr } = await run('verify', ...FROM);
    expect(code).toBe(EXIT.lockMismatch);
    const locked = new RegExp(`source: ${P}\\n(?:.*\\n)*? +digest: (.*)`).exec(
      await readFile(at.lockfile, 'utf8'),
    )![1]!;
    expect(stderr).toContain('the tag was moved');
    expect(stderr).toContain(`locked: ${locked}`);
    expect(stderr).toMatch(/found: {2}sha256:[0-9a-f]{64}/);
    expect(stderr).toContain('SECURITY');
    expect(await report(...FROM)).toMatchObject({
      status: 'mismatch',
      mismatches: [
        { kind: 'tag-moved', source: P, version: 'v1.1.0', locked },
        { kind: 'gone', source: P, version: 'v1.1.0', locked },
      ],
    });
  });

  test('a package that no source has any more is reported as gone', async () => {
    await rm(join(at.path, 'world', `${P}@v1.1.0`), { recursive: true });
    expect(await report(...FROM)).toMatchObject({
      code: EXIT.lockMismatch,
      mismatches: [{ kind: 'gone', source: P }],
    });
  });

  test.each([
    { field: 'dependsOn', from: /version: ">=v1.0.0"/, to: 'version: ">=v0.1.0"', of: A },
    { field: 'owns', from: /as.example.org/, to: 'zs.example.org', of: P },
    { field: 'crossplane', from: />=v1.14.0/, to: '>=v1.0.0', of: P },
    { field: 'baseLayer', from: /baseLayer: sha256:..../, to: 'baseLayer: sha256:0000', of: A },
    {
      field: 'packageYaml',
      from: /packageYaml: sha256:..../,
      to: 'packageYaml: sha256:0000',
      of: A,
    },
    { field: 'manifest', from: / +baseLayer:/, to: `    manifest: ${sha256('x')}\n$&`, of: A },
  ])(
    'an edited `$field` is found: the package says what is so',
    async ({ field, from, to, of }) => {
      await at.editLock(from, to);
      const { code, mismatches } = await report(...FROM);
      expect(code).toBe(EXIT.lockMismatch);
      expect(mismatches).toEqual([
        expect.objectContaining({
          kind: 'content',
          source: of,
          text: expect.stringContaining(field),
        }),
      ]);
      expect((await run('verify', ...FROM)).stderr).toContain('SECURITY');
    },
  );

  test.each(['baseLayer', 'packageYaml'])(
    'a lockfile without its `%s` is found, and resolving again brings it back',
    async (field) => {
      const before = await readFile(at.lockfile, 'utf8');
      await at.editLock(new RegExp(` +${field}: .*\n`), '');
      const { code, mismatches } = await report(...FROM);
      expect(code).toBe(EXIT.lockMismatch);
      expect(mismatches).toEqual([
        expect.objectContaining({
          kind: 'content',
          source: A,
          text: expect.stringContaining(field),
          locked: 'nothing',
          found: expect.stringMatching(/^sha256:/),
        }),
      ]);
      expect((await run('verify', ...FROM)).stderr).toContain('`xpkg-resolve resolve`');
      expect((await run('resolve', ...FROM, '--locked')).code).toBe(EXIT.lockMismatch);
      expect((await run('resolve', ...FROM)).code).toBe(EXIT.done);
      expect(await readFile(at.lockfile, 'utf8')).toBe(before);
    },
  );

  test.each([
    { field: 'direct', from: /direct: true/, to: 'direct: false' },
    {
      field: 'objects',
      from: /objects: \[\]/,
      to: 'objects: [{kind: ImageConfig, metadata: {name: a}}]',
    },
    {
      field: 'skipDependencyResolution',
      from: /skipDependencyResolution: \[\]/,
      to: 'skipDependencyResolution: [because]',
    },
  ])('an edited `$field` differs from the inputs', async ({ field, from, to }) => {
    await at.editLock(from, to);
    expect(await report(...FROM)).toMatchObject({
      code: EXIT.lockMismatch,
      mismatches: [{ kind: 'input', text: expect.stringContaining(field) }],
    });
  });

  test('a locked package that nothing requires is reported', async () => {
    const other = 'xpkg.example.org/acme/provider-q';
    await packageYaml(`${other}@v1.0.0`, provider('qs.example.org'));
    expect((await run('resolve', ...FROM, `${other}@v1.0.0`, '-f', 'xpkg.yaml')).code).toBe(0);
    expect(await report(...FROM)).toMatchObject({
      code: EXIT.lockMismatch,
      mismatches: [{ kind: 'input', source: other }],
    });
  });

  test('an input that the lockfile does not satisfy makes it stale', async () => {
    await ask('>=v2.0.0');
    const { code, stderr } = await run('verify', ...FROM);
    expect(code).toBe(EXIT.lockMismatch);
    expect(stderr).toContain('xpkg.yaml:5');
  });

  test('another Crossplane release makes the lockfile stale', async () => {
    expect(await report(...FROM, '--crossplane', 'v2.3.3')).toMatchObject({
      code: EXIT.lockMismatch,
      mismatches: [{ kind: 'input', locked: 'v2.3.4', found: 'v2.3.3' }],
    });
    expect(await run('verify', ...FROM, '--crossplane', '>=v2.0.0')).toMatchObject({ code: 0 });
  });

  test('a version that is now excluded is explained', async () => {
    await ask('>=v1.0.0', `  exclude: [{package: ${P}, version: v1.1.0}]\n`);
    const { code, stderr } = await run('verify', ...FROM);
    expect(code).toBe(EXIT.lockMismatch);
    expect(stderr).toContain('does not satisfy everything');
    expect(stderr).toContain('xpkg.yaml:6');
  });

  test('constraints between packages are checked with and without inputs', async () => {
    await ask('>=v1.0.0', `  overrides: [{package: ${P}, version: v1.0.0}]\n`);
    await packageYaml(`${A}@v1.0.0`, configuration('>=v1.1.0'));
    await rm(at.lockfile);
    expect((await run('resolve', ...FROM)).code).toBe(0);
    expect((await run('verify', ...FROM)).code).toBe(0);
    await at.editLock(/skipDependencyResolution:(.|\n)*/, 'skipDependencyResolution: []\n');
    await ask();
    expect(await report(...FROM)).toMatchObject({
      code: EXIT.lockMismatch,
      mismatches: [{ kind: 'constraint', found: expect.stringContaining('>=v1.1.0') }],
    });
    await rm(join(at.path, 'xpkg.yaml'));
    expect(await report(...FROM)).toMatchObject({
      code: EXIT.lockMismatch,
      mismatches: [{ kind: 'constraint' }],
    });
  });

  test('two owners of one CRD are found even if the lockfile hides them', async () => {
    const other = 'xpkg.example.org/acme/provider-q';
    await packageYaml(`${other}@v1.0.0`, provider('qs.example.org'));
    expect((await run('resolve', ...FROM, `${other}@v1.0.0`, '-f', 'xpkg.yaml')).code).toBe(0);
    await packageYaml(`${other}@v1.0.0`, provider());
    const digest =
      /source: .*provider-q\n(?:.*\n)*? +digest: (.*)\n(?:.*\n)*? +baseLayer: (.*)\n +packageYaml: (.*)/;
    const before = digest.exec(await readFile(at.lockfile, 'utf8'))!;
    const both = [`${other}@v1.0.0`, '-f', 'xpkg.yaml'];
    await rm(join(at.path, 'xpkg.yaml'));
    const alone = ['--crossplane', 'v2.3.4', '--lock', 'alone.lock', '--out', 'alone'];
    expect((await run('resolve', ...FROM, `${other}@v1.0.0`, ...alone)).code).toBe(0);
    await ask();
    const after = digest.exec(await readFile(join(at.path, 'alone.lock'), 'utf8'))!;
    for (const i of [1, 2, 3]) await at.editLock(new RegExp(before[i]!), after[i]!);
    const { code, mismatches } = await report(...FROM, ...both);
    expect(code).toBe(EXIT.lockMismatch);
    expect(mismatches).toEqual([
      expect.objectContaining({ kind: 'content', source: other }),
      expect.objectContaining({
        kind: 'constraint',
        found: expect.stringContaining('as.example.org'),
      }),
    ]);
  });

  test('without inputs, the lockfile is only checked against its sources, with a note', async () => {
    await rm(join(at.path, 'xpkg.yaml'));
    const { code, stderr } = await run('verify', ...FROM);
    expect(code).toBe(EXIT.done);
    expect(stderr).toContain('nothing says what was asked for');
  });

  test('packages from the command line must be named again', async () => {
    await rm(join(at.path, 'xpkg.yaml'));
    expect(await run('verify', ...FROM, `${A}@>=v1.0.0`, '--crossplane', 'v2.3.4')).toMatchObject({
      code: EXIT.done,
      stderr: '',
    });
    expect(await run('verify', ...FROM, `${A}@>=v2.0.0`)).toMatchObject({
      code: EXIT.lockMismatch,
    });
  });

  test('fails without a lockfile', async () => {
    await rm(at.lockfile);
    expect(await run('verify', ...FROM)).toMatchObject({ code: EXIT.lockMismatch });
  });

  test('with an index without digests, bytes are not checked, with a note', async () => {
    expect((await run('index', ...FROM, '--out', 'world.json')).code).toBe(0);
    const text = await readFile(join(at.path, 'world.json'), 'utf8');
    expect(await run('verify', '--from', 'index:world.json')).toMatchObject({
      code: 0,
      stderr: '',
    });
    const bare = text.replaceAll(/"(digest|baseLayer|packageYaml)": ?"[^"]*",?/g, '');
    await writeFile(join(at.path, 'bare.json'), bare.replaceAll(/,(\s*\})/g, '$1'));
    const { code, stderr } = await run('verify', '--from', 'index:bare.json');
    expect(code).toBe(EXIT.done);
    expect(stderr).toContain('bytes were not compared');
  });
});
