import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readInputs, type InputOptions } from '../../../src/project/inputs/read-inputs.js';
import type { InputError } from '../../../src/base/errors.js';

const FIXTURES = join(import.meta.dirname, '../../../fixtures/inputs');
const D64 = `sha256:${'0123456789abcdef'.repeat(4)}`;

function read(options: Partial<InputOptions>) {
  return readInputs({
    files: [],
    refs: [],
    cwd: FIXTURES,
    stdin: () => Promise.resolve(''),
    ...options,
  });
}

const fromText = (text: string, options: Partial<InputOptions> = {}) =>
  read({ files: ['-'], stdin: () => Promise.resolve(text), ...options });

function provider(name: string, reference: string, more = ''): string {
  return `{apiVersion: pkg.crossplane.io/v1, kind: Provider, metadata: {name: ${name}}, spec: {package: '${reference}'${more}}}`;
}

function set(repository: string): string {
  return `{apiVersion: xpkg-resolve.dev/v1alpha1, kind: PackageSet, spec: {packages: [{package: ${repository}}]}}`;
}

function stream(...documents: string[]): string {
  return documents.join('\n---\n');
}

async function refused(reading: Promise<unknown>): Promise<InputError> {
  return reading.then(
    () => expect.unreachable('it was accepted'),
    (error: InputError) => {
      expect(error.name).toBe('InputError');
      return error;
    },
  );
}

test('a PackageSet with all fields', async () => {
  const { request, notes } = await read({ files: ['package-set.yaml'] });
  expect(notes).toEqual([]);
  await expect(`${JSON.stringify(request, null, 2)}\n`).toMatchFileSnapshot(
    '../../../fixtures/inputs/package-set.request.json',
  );
});

test('objects are roots at an exact version and keep their other fields', async () => {
  const { request, notes } = await read({ files: ['objects.yaml'] });
  expect(request.roots).toMatchObject([
    {
      kind: 'Provider',
      repository: 'xpkg.acme.io/cloud/provider-storage',
      version: { form: 'tag', tag: 'v1.2.0' },
      name: 'storage',
      ignoreCrossplaneConstraints: true,
      object: {
        metadata: { labels: { team: 'infra' } },
        spec: { runtimeConfigRef: { name: 'big' } },
      },
      origin: { file: 'objects.yaml', line: 2 },
    },
    {
      kind: 'Function',
      repository: 'registry.acme.io:5000/fn/function-sort',
      version: { form: 'digest', digest: D64 },
      origin: { file: 'objects.yaml', line: 12 },
    },
  ]);
  expect(request.kept.map(({ object }) => object['kind'])).toEqual([
    'DeploymentRuntimeConfig',
    'ImageConfig',
  ]);
  expect(notes).toEqual(['objects.yaml:30: ignored v1 ConfigMap']);
});

test('a List is read item by item, and ignored objects of a kind share one note', async () => {
  const { request, notes } = await read({ files: ['cluster-dump.yaml'] });
  expect(request.roots).toMatchObject([{ name: 'network', origin: { line: 5 } }]);
  expect(notes).toEqual([
    'cluster-dump.yaml:22: ignored pkg.crossplane.io/v1 ConfigurationRevision, and 1 more of them in this file',
  ]);
});

test('an ImageConfig that was rendered as a pin is ignored', async () => {
  const text = `apiVersion: pkg.crossplane.io/v1
kind: Provider
metadata: { name: p }
spec: { package: "xpkg.acme.io/cloud/p:v1.0.0" }
---
apiVersion: pkg.crossplane.io/v1beta1
kind: ImageConfig
metadata: { name: pin-p, labels: { xpkg-resolve.dev/pins: p } }
spec: { matchImages: [{ prefix: "xpkg.acme.io/cloud/p:v1.0.0" }] }
`;
  const { request, notes } = await fromText(text);
  expect(request.kept).toEqual([]);
  expect(notes).toEqual(['-:6: ignored ImageConfig, which `--pin locked` rendered']);
});

test('metadata of users that is not rendered is reported', async () => {
  const text = `apiVersion: pkg.crossplane.io/v1
kind: Provider
metadata:
  name: p
  namespace: crossplane-system
  labels: { team: infra }
  ownerReferences: []
  finalizers: [acme.dev/keep]
spec: { package: "xpkg.acme.io/cloud/p:v1.0.0" }
`;
  const { notes } = await fromText(text);
  expect(notes).toEqual([
    expect.stringContaining('-:8: `metadata.finalizers` is not kept'),
    expect.stringContaining('-:5: `metadata.namespace` is not kept'),
  ]);
});

test('with strict, a document that requires nothing is an error', async () => {
  const error = await refused(read({ files: ['objects.yaml'], strict: true }));
  expect(error.origin).toMatchObject({ file: 'objects.yaml', line: 30 });
});

describe('spec.package of an object', () => {
  test.each([
    { reference: 'h.io/a/p:v1.0.0', repository: 'h.io/a/p', version: { tag: 'v1.0.0' }, noted: 0 },
    { reference: `h.io/a/p@${D64}`, repository: 'h.io/a/p', version: { digest: D64 }, noted: 0 },
    { reference: `h.io/a/p:v1@${D64}`, repository: 'h.io/a/p', version: { digest: D64 }, noted: 1 },
    { reference: 'h.io/a/p', repository: 'h.io/a/p', version: { tag: 'latest' }, noted: 1 },
    { reference: 'h:50/a/p', repository: 'h:50/a/p', version: { tag: 'latest' }, noted: 1 },
    { reference: 'a/p:1', repository: 'a/p', version: { tag: '1' }, noted: 0 },
  ])('$reference', async ({ reference, repository, version, noted }) => {
    const { request, notes } = await fromText(provider('p', reference));
    expect(request.roots).toMatchObject([{ repository, version }]);
    expect(notes).toHaveLength(noted);
  });

  test.each(['h.io/A/p:v1', 'h.io/a/p:', 'h.io/a/p@sha256:00', 'h.io/a p:v1', `a@b@${D64}`])(
    '%s is no reference',
    async (reference) => {
      expect((await refused(fromText(provider('p', reference)))).message).toContain(
        '`spec.package`',
      );
    },
  );
});

describe('packages on the command line', () => {
  test.each([
    { ref: 'h.io/a/p@>=v1.0.0, <v2.0.0', want: { form: 'text', text: '>=v1.0.0, <v2.0.0' } },
    { ref: 'h.io/a/p@latest', want: { form: 'text', text: 'latest' } },
    { ref: `h.io/a/p@${D64}`, want: { form: 'digest', digest: D64 } },
    { ref: `h.io/a/p:v1@${D64}`, want: { form: 'digest', digest: D64 } },
    { ref: 'h.io/a/p:v1.0.0', want: { form: 'tag', tag: 'v1.0.0' } },
    { ref: 'h.io/a/p', want: { form: 'text', text: '*' } },
  ])('$ref', async ({ ref, want }) => {
    const { request } = await read({ refs: [ref] });
    expect(request.roots).toMatchObject([
      { repository: 'h.io/a/p', kind: undefined, version: want, origin: { file: 'command line' } },
    ]);
  });

  test.each([
    { ref: 'host:5000/a/b:v1', repository: 'host:5000/a/b', version: { tag: 'v1' } },
    { ref: 'host:5000/a/b', repository: 'host:5000/a/b', version: { text: '*' } },
    { ref: 'host:5000/a/b@^1', repository: 'host:5000/a/b', version: { text: '^1' } },
  ])('a port is not a tag: $ref', async ({ ref, repository, version }) => {
    expect((await read({ refs: [ref] })).request.roots).toMatchObject([{ repository, version }]);
  });

  test.each([
    { ref: 'h.io/a/p@', why: 'an empty constraint' },
    { ref: 'h.io/a/p:v1@^1.0.0', why: 'a tag and a constraint' },
    { ref: 'h.io/A/p', why: 'upper case' },
    { ref: 'h.io/a/p:', why: 'an empty tag' },
    { ref: '', why: 'nothing' },
    { ref: 'h.io/a/p@sha256:00', why: 'a digest cut short' },
    { ref: 'platform/xpkg.yaml', why: 'a file' },
  ])('`$ref` is rejected: $why', async ({ ref }) => {
    expect((await refused(read({ refs: [ref] }))).origin).toEqual({ file: 'command line' });
  });

  test('they follow the packages of files', async () => {
    const { request } = await read({ files: ['objects.yaml'], refs: ['h.io/a/p'] });
    expect(request.roots.map((root) => 'repository' in root && root.repository)).toEqual([
      'xpkg.acme.io/cloud/provider-storage',
      'registry.acme.io:5000/fn/function-sort',
      'h.io/a/p',
    ]);
  });
});

describe('contradictions', () => {
  test.each([
    {
      why: 'one name for two packages, whatever their kind',
      text: stream(
        provider('same', 'h.io/a/p:v1.0.0'),
        provider('same', 'h.io/a/q:v1.0.0').replace('Provider', 'Configuration'),
      ),
    },
    {
      why: 'an object and a reference for one source',
      text: provider('p', 'h.io/a/p:v1.0.0'),
      refs: ['h.io/a/p@^v1'],
    },
    {
      why: 'only some skip dependency resolution (F3)',
      text: stream(
        provider('p', 'h.io/a/p:v1.0.0', ', skipDependencyResolution: true'),
        provider('q', 'h.io/a/q:v1.0.0'),
      ),
    },
    {
      why: 'two runtime configs of one name',
      text: stream(
        provider('p', 'h.io/a/p:v1.0.0'),
        ...Array<string>(2).fill(
          '{apiVersion: pkg.crossplane.io/v1beta1, kind: DeploymentRuntimeConfig, metadata: {name: d}}',
        ),
      ),
    },
  ])('$why', async ({ text, refs = [] }) => {
    await refused(fromText(text, { refs }));
  });

  test('a ControllerConfig is an extra manifest', async () => {
    const config =
      '{apiVersion: pkg.crossplane.io/v1alpha1, kind: ControllerConfig, metadata: {name: big}}';
    const { request, notes } = await fromText(stream(provider('p', 'h.io/a/p:v1.0.0'), config));
    expect(request.kept.map(({ object }) => object['kind'])).toEqual(['ControllerConfig']);
    expect(notes).toEqual([]);
  });

  test('an activation policy is an extra manifest, unless it belongs to a local package', async () => {
    const policy =
      '{apiVersion: apiextensions.crossplane.io/v1alpha1, kind: ManagedResourceActivationPolicy, metadata: {name: some}}';
    const alone = await fromText(stream(provider('p', 'h.io/a/p:v1.0.0'), policy));
    expect(alone.request.kept.map(({ object }) => object['kind'])).toEqual([
      'ManagedResourceActivationPolicy',
    ]);
    const local =
      '{apiVersion: meta.pkg.crossplane.io/v1, kind: Configuration, metadata: {name: c}, spec: {}}';
    const { request } = await fromText(stream(local, policy));
    expect(request.kept).toEqual([]);
    expect(request.roots).toMatchObject([{ objects: [{ name: 'some' }] }]);
  });

  test('all skip: no contradiction, and each root has the flag', async () => {
    const skip = ', skipDependencyResolution: true';
    const { request } = await fromText(
      stream(provider('p', 'h.io/a/p:v1.0.0', skip), provider('q', 'h.io/a/q:v1.0.0', skip)),
    );
    expect(request.roots).toMatchObject([
      { skipDependencyResolution: true },
      { skipDependencyResolution: true },
    ]);
  });

  test('defaults set a flag, an entry overrides it, and null removes it', async () => {
    const { request } = await fromText(`
apiVersion: xpkg-resolve.dev/v1alpha1
kind: PackageSet
spec:
  packages:
    - { provider: h.io/a/p }
    - { provider: h.io/a/q, spec: { ignoreCrossplaneConstraints: false } }
    - { provider: h.io/a/r, spec: { ignoreCrossplaneConstraints: null } }
  defaults: { spec: { ignoreCrossplaneConstraints: true } }
`);
    expect(request.roots.map((root) => 'spec' in root && root.ignoreCrossplaneConstraints)).toEqual(
      [true, false, false],
    );
  });
});

describe('files', () => {
  let cwd: string;
  beforeEach(async () => {
    cwd = await mkdtemp(join(tmpdir(), 'inputs-'));
  });
  afterEach(() => rm(cwd, { recursive: true }));

  async function write(path: string, content: string | Uint8Array) {
    await mkdir(dirname(join(cwd, path)), { recursive: true });
    await writeFile(join(cwd, path), content);
  }
  const repositories = async (options: Partial<InputOptions>) =>
    (await read({ cwd, ...options })).request.roots.map((root) =>
      root.root === 'package' ? root.repository : root.root,
    );

  test('xpkg.yaml is read before the other names', async () => {
    await write('upbound.yaml', set('h.io/a/upbound'));
    expect(await repositories({})).toEqual(['h.io/a/upbound']);
    await write('xpkg.yaml', set('h.io/a/xpkg'));
    expect(await repositories({})).toEqual(['h.io/a/xpkg']);
  });

  test('packages on the command line are added to a default file, with a note', async () => {
    await write('xpkg.yaml', set('h.io/a/xpkg'));
    const { request, notes } = await read({ cwd, refs: ['h.io/a/p'] });
    expect(request.roots).toHaveLength(2);
    expect(notes).toEqual(['`xpkg.yaml` of this folder is read too']);
  });

  test('no file and no package: the error lists the default names', async () => {
    const error = await refused(read({ cwd }));
    expect(error.message).toContain('crossplane-project.yaml');
  });

  test('the error for a folder without files names the folder', async () => {
    await write('f/notes.txt', 'none');
    const error = await refused(read({ cwd, files: ['f'] }));
    expect(error.message).toContain('`f`');
    expect(error.message).not.toContain('crossplane-project.yaml');
  });

  test('a folder is read by path in code-point order', async () => {
    for (const path of ['f/b.yaml', 'f/a/z.yml', 'f/B.json', 'f/a.yaml', 'f/notes.txt']) {
      await write(path, set(`h.io/x/${path.toLowerCase().replaceAll(/[/.]/g, '-')}`));
    }
    expect(await repositories({ files: ['f'] })).toEqual([
      'h.io/x/f-b-json',
      'h.io/x/f-a-yaml',
      'h.io/x/f-a-z-yml',
      'h.io/x/f-b-yaml',
    ]);
  });

  test('circular links, dangling links and links to the same file are harmless', async () => {
    await write('f/a.yaml', set('h.io/x/a'));
    await symlink('.', join(cwd, 'f/loop'));
    await symlink('nowhere.yaml', join(cwd, 'f/.#a.yaml'));
    await symlink('a.yaml', join(cwd, 'f/same.yaml'));
    expect(await repositories({ files: ['f', 'f/a.yaml'] })).toEqual(['h.io/x/a']);
  });

  test('the tool does not read its own output out of a folder', async () => {
    await write('xpkg.yaml', set('h.io/x/a'));
    await write('rendered/packages.yaml', set('h.io/x/a'));
    expect(await repositories({ files: ['.'], skip: ['rendered'] })).toEqual(['h.io/x/a']);
  });

  test.each([
    { name: 'gone.yaml', content: undefined, why: 'no such file' },
    { name: 'latin.yaml', content: Uint8Array.of(0x61, 0x3a, 0x20, 0xe9, 0x0a), why: 'not UTF-8' },
    { name: 'binary.yaml', content: Uint8Array.of(0x61, 0, 0x62), why: 'binary' },
    { name: 'empty.yaml', content: '# nothing\n', why: 'nothing asked for' },
  ])('$name is rejected: $why', async ({ name, content }) => {
    if (content !== undefined) await write(name, content);
    expect((await refused(read({ cwd, files: [name] }))).message).toContain(name);
  });
});

/** Options that give the same text to four files. */
function fourFiles(text: string): Partial<InputOptions> {
  return { unsaved: new Map(['a', 'b', 'c', 'd'].map((name) => [`${name}.yaml`, text])) };
}

describe('limits of all inputs together', () => {
  const configMap = '---\napiVersion: v1\nkind: ConfigMap\n';
  const root = `---\n${provider('root', 'h.io/a/root:v1.0.0')}\n`;

  test('ignored documents take linear time', async () => {
    const began = performance.now();
    const { notes } = await fromText(configMap.repeat(50_000) + root);
    expect(notes).toEqual(['-:2: ignored v1 ConfigMap, and 49999 more of them in this file']);
    expect(performance.now() - began).toBeLessThan(15_000);
  });

  test('packages of several documents are counted', async () => {
    const roots = Array.from({ length: 10_001 }, (_, i) =>
      provider(`p${i}`, `h.io/a/p${i}:v1.0.0`),
    );
    await expect(fromText(roots.join('\n---\n'))).rejects.toThrow(
      'requires, with the documents before it, more than 10,000 packages, the most that is read',
    );
  });

  test('documents and values of several files are counted', async () => {
    await expect(read(fourFiles(configMap.repeat(30_000)))).rejects.toThrow(
      'd.yaml:30002: is after 100,000 other documents, the most that are read',
    );
    const kept = `apiVersion: pkg.crossplane.io/v1beta1\nkind: DeploymentRuntimeConfig\nmetadata: {name: a}\nspec: [${'a,'.repeat(90_000)}]\n`;
    await expect(read(fourFiles(kept))).rejects.toThrow(
      'd.yaml: has, with the files read before it, more than 300,000 values, the most that is read',
    );
  });
});
