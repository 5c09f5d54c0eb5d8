import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load, loadAll } from 'js-yaml';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runCli } from '../../../src/commands.js';
import { formatLockfile } from '../../../src/project/lockfile/format-lockfile.js';
import type { Lockfile } from '../../../src/project/lockfile/lockfile.js';
import { render } from '../../../src/project/manifests/render.js';
import { fakeIo } from '../../support/fake-io.js';
import { locked, lockfileOf, needs } from '../../support/lockfiles.js';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'layouts-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const mirror = {
  apiVersion: 'pkg.crossplane.io/v1beta1',
  kind: 'ImageConfig',
  metadata: { name: 'mirror', annotations: { note: '{{ fail "run" }} }}' } },
  spec: { matchImages: [{ prefix: 'x.io/' }], rewriteImage: { prefix: 'y.io/' } },
};
const set = lockfileOf(
  [
    locked('x.io/a/cfg:v1.0.0', { kind: 'Configuration', requirements: [needs('x.io/a/p *')] }),
    locked('x.io/a/p:v1.2.0'),
  ],
  { objects: [mirror] },
);

async function run(lockfile: Lockfile, ...argv: readonly string[]) {
  writeFileSync(join(cwd, 'xpkg.lock.yaml'), formatLockfile(lockfile));
  const io = fakeIo({ cwd });
  return { code: await runCli(argv, io), notes: io.notes().join('\n'), stdout: io.stdout() };
}

function files(folder: string): string[] {
  const entries = readdirSync(join(cwd, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(cwd, folder).length + 1))
    .sort();
}

function text(path: string): string {
  return readFileSync(join(cwd, path), 'utf8');
}

/** The lockfile with one package less. */
const smaller = { ...set, packages: set.packages.slice(1), objects: [] };

describe.each([
  { mode: ['--split'], folder: 'rendered', lost: 'configuration-a-cfg.yaml' },
  { mode: ['--split', '--argocd'], folder: 'rendered', lost: 'imageconfig-mirror.yaml' },
  { mode: ['--flux', 'flux'], folder: 'flux', lost: 'layer-02/packages.yaml' },
  { mode: ['--flux', 'flux', '--split'], folder: 'flux', lost: 'layer-00/imageconfig-mirror.yaml' },
  { mode: ['--helm', 'chart'], folder: 'chart', lost: 'packages/configuration-a-cfg.yaml' },
])('render $mode', ({ mode, folder, lost }) => {
  test('writes a folder that --check, render --out and verify recognize', async () => {
    expect((await run(set, 'render', ...mode)).code).toBe(0);
    const before = files(folder);
    expect(before).toContain(lost);
    expect((await run(set, 'render', ...mode, '--check')).code).toBe(0);
    expect((await run(set, 'render', '--out', folder, '--check')).code).toBe(0);
    expect((await run(smaller, 'render', '--out', folder, '--check')).code).toBe(4);
    expect((await run(smaller, 'render', '--out', folder)).code).toBe(0);
    expect(files(folder)).not.toContain(lost);
    expect((await run(set, 'render', '--out', folder)).code).toBe(0);
    expect(files(folder)).toEqual(before);
  });

  test('finds an edited, removed or added file', async () => {
    await run(set, 'render', ...mode);
    const path = join(cwd, folder, lost);
    const good = text(join(folder, lost));
    writeFileSync(path, `${good}# more\n`);
    const edited = await run(set, 'render', ...mode, '--check');
    expect([edited.code, edited.notes]).toEqual([4, expect.stringContaining(lost)]);
    rmSync(path);
    expect((await run(set, 'render', ...mode, '--check')).code).toBe(4);
    writeFileSync(path, good);
    writeFileSync(join(cwd, folder, lost.replace(/[^/]*$/, 'stray.yaml')), good);
    expect((await run(set, 'render', ...mode, '--check')).code).toBe(4);
  });

  test('renders the same bytes again', async () => {
    await run(set, 'render', ...mode);
    const first = files(folder).map((name) => text(join(folder, name)));
    rmSync(join(cwd, folder), { recursive: true });
    await run(set, 'render', ...mode);
    expect(files(folder).map((name) => text(join(folder, name)))).toEqual(first);
  });

  test('keeps a file of the user and refuses to replace it', async () => {
    await run(set, 'render', ...mode);
    writeFileSync(join(cwd, folder, 'README.md'), 'theirs');
    writeFileSync(join(cwd, folder, lost), 'theirs');
    expect((await run(set, 'render', ...mode)).code).toBe(2);
    expect(text(join(folder, lost))).toBe('theirs');
    expect(text(join(folder, 'README.md'))).toBe('theirs');
  });
});

test('writes one file for each object, in order, with the same objects', async () => {
  await run(set, 'render', '--split');
  const { resources } = load(text('rendered/kustomization.yaml')) as { resources: string[] };
  expect(resources).toEqual([
    'imageconfig-mirror.yaml',
    'provider-a-p.yaml',
    'configuration-a-cfg.yaml',
  ]);
  const objects = resources.map((name) => load(text(join('rendered', name))));
  expect(objects).toEqual(render(set).bundle.objects);
});

describe('an activation policy comes before all packages', () => {
  const activation = {
    apiVersion: 'apiextensions.crossplane.io/v1alpha1',
    kind: 'ManagedResourceActivationPolicy',
    metadata: { name: 'some' },
    spec: { activate: ['*.a.io'] },
  };
  const activated = { ...set, objects: [activation] };
  const file = 'managedresourceactivationpolicy-some.yaml';

  test('--split', async () => {
    expect((await run(activated, 'render', '--split')).code).toBe(0);
    const { resources } = load(text('rendered/kustomization.yaml')) as { resources: string[] };
    expect(resources).toEqual([file, 'provider-a-p.yaml', 'configuration-a-cfg.yaml']);
    expect(load(text(`rendered/${file}`))).toEqual(activation);
  });

  test('--argocd', async () => {
    const { stdout } = await run(activated, 'render', '--argocd', '--out', '-');
    const objects = loadAll(stdout) as {
      kind: string;
      metadata: { annotations: Record<string, string> };
    }[];
    const waves = objects.map(({ kind, metadata: { annotations } }) => [
      kind,
      annotations['argocd.argoproj.io/sync-wave'],
    ]);
    expect(waves).toEqual([
      [activation.kind, '-20'],
      ['Provider', '-19'],
      ['Configuration', '-18'],
    ]);
  });

  test('--flux', async () => {
    expect((await run(activated, 'render', '--flux', 'flux')).code).toBe(0);
    expect(loadAll(text('flux/layer-00/packages.yaml'))).toEqual([activation]);
    expect(text('flux/layer-01/packages.yaml')).toContain('kind: Provider');
    const layers = loadAll(text('flux/flux.yaml')) as {
      metadata: { name: string };
      spec: { path?: string; dependsOn?: { name: string }[] };
    }[];
    const at = (path: string) => layers.find(({ spec }) => spec.path?.endsWith(path))!;
    expect(at('layer-01').spec.dependsOn).toEqual([{ name: at('layer-00').metadata.name }]);
  });

  test('--helm', async () => {
    expect((await run(activated, 'render', '--helm', 'chart')).code).toBe(0);
    expect(load(text(`chart/configs/${file}`))).toEqual(activation);
  });
});

test('truncates a name that is too long for a file and adds its hash', async () => {
  const objects = ['x', 'y'].map((end) => {
    return { ...mirror, metadata: { name: `${'a.'.repeat(120)}${end}` } };
  });
  const two = lockfileOf([], { objects });
  expect((await run(two, 'render', '--split')).code).toBe(0);
  const names = files('rendered').filter((name) => name.startsWith('imageconfig-'));
  expect(names).toHaveLength(2);
  expect(Math.max(...names.map(({ length }) => length))).toBeLessThanOrEqual(125);
});

test('rejects a name with a path, and writes nothing', async () => {
  const escape = lockfileOf([], { objects: [{ ...mirror, metadata: { name: '../../x' } }] });
  const { code } = await run(escape, 'render', '--split');
  expect([code, readdirSync(cwd)]).toEqual([2, ['xpkg.lock.yaml']]);
});

test('`--argocd` prints sync waves and warns of one in conflict with the order', async () => {
  const annotations = { 'argocd.argoproj.io/sync-wave': '-30' };
  const early = { apiVersion: undefined, metadata: { annotations }, spec: {} };
  const packages = [{ ...set.packages[0]!, object: early }, set.packages[1]!];
  const { stdout, notes } = await run({ ...set, packages }, 'render', '--argocd', '--out', '-');
  const waves = (loadAll(stdout) as { metadata: { annotations: object } }[]).map(
    ({ metadata }) => metadata.annotations,
  );
  expect(waves).toMatchObject([
    { 'argocd.argoproj.io/sync-wave': '-20' },
    { 'argocd.argoproj.io/sync-wave': '-19' },
    { 'argocd.argoproj.io/sync-wave': '-30' },
  ]);
  expect(notes).toMatch(/^warning: .*wave -30/m);
});

test('settings of Argo CD are next to the manifests and not applied with them', async () => {
  await run(set, 'render', '--argocd');
  const { resources } = load(text('rendered/kustomization.yaml')) as { resources: string[] };
  expect(resources).toEqual(['packages.yaml']);
  const integration = join(import.meta.dirname, '../../../integrations/argocd/argocd-cm.yaml');
  const { data } = load(readFileSync(integration, 'utf8')) as { data: object };
  expect(load(text('rendered/argocd-cm.yaml'))).toMatchObject({ data });
  expect((await run(set, 'render', '--no-argocd')).code).toBe(0);
  expect(files('rendered')).not.toContain('argocd-cm.yaml');
});

test('Flux applies one layer after another, from the path in its source', async () => {
  await run(set, 'render', '--flux', './deep/flux/', '--flux-source', 'Bucket/ops/all');
  const made = loadAll(text('deep/flux/flux.yaml')) as {
    metadata: { namespace: string };
    spec: { path: string; dependsOn?: { name: string }[]; sourceRef: object };
  }[];
  expect(made.map(({ spec }) => [spec.path, spec.dependsOn?.[0]?.name])).toEqual([
    ['./deep/flux/layer-00', undefined],
    ['./deep/flux/layer-01', 'crossplane-packages-00'],
    ['./deep/flux/layer-02', 'crossplane-packages-01'],
  ]);
  expect(made[0]!.spec.sourceRef).toEqual({ kind: 'Bucket', name: 'all' });
  expect(made[0]!.metadata.namespace).toBe('ops');
});

test('flags of a layout are recorded and used again; another layout starts without them', async () => {
  const flags = ['--flux-source', 'OCIRepository/packages', '--name', 'crossplane'];
  await run(set, 'render', '--flux', 'flux', ...flags);
  expect(text('flux/flux.yaml')).toContain('path: "./layer-01"');
  expect((await run(set, 'render', '--flux', 'flux', '--check')).code).toBe(4);
  const again = await run(set, 'render', '--out', 'flux', '--check');
  expect([again.code, again.notes]).toEqual([0, expect.stringContaining('--name crossplane')]);
  await run(set, 'render', '--helm', 'flux');
  expect(files('flux').filter((name) => name.startsWith('layer-') || name === 'flux.yaml')).toEqual(
    [],
  );
  expect(text('flux/Chart.yaml')).toContain('name: crossplane-packages\n');
});

test.each([
  { flags: ['--flux', 'a', '--helm', 'b'], why: 'two folders' },
  { flags: ['--flux', 'a', '--out', 'b'], why: 'two folders, too' },
  { flags: ['--flux', 'a', '--argocd'], why: 'waves are for Argo CD' },
  { flags: ['--flux', 'a', '--apply-lock'], why: 'a cluster creates its own Lock' },
  { flags: ['--helm', 'a', '--apply-lock'], why: 'the same' },
  { flags: ['--helm', 'a', '--split'], why: 'a chart is always split' },
  { flags: ['--helm', 'a', '--flux-path', 'b'], why: 'not Flux' },
  { flags: ['--flux', '../a'], why: 'outside the repository, so that its path is unknown' },
  { flags: ['--flux', 'a', '--flux-source', 'Repo/x'], why: 'not a source of Flux' },
  { flags: ['--flux', 'a', '--flux-source', 'Bucket/a/b/c'], why: 'too many names' },
  { flags: ['--flux', 'a', '--flux-path', 'a b'], why: 'not a path' },
  { flags: ['--helm', 'a', '--name', 'A_b'], why: 'not a name' },
  { flags: ['--argocd', '--sync-option', 'x,y'], why: 'not an option' },
  { flags: ['--no-argocd', '--sync-option', 'A=b'], why: 'an option of an unused layout' },
])('$flags is exit 2, and nothing is written: $why', async ({ flags }) => {
  const { code } = await run(set, 'render', ...flags);
  expect([code, readdirSync(cwd)]).toEqual([2, ['xpkg.lock.yaml']]);
});
