import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runCli } from '../../../src/commands.js';
import { formatLockfile } from '../../../src/project/lockfile/format-lockfile.js';
import { render } from '../../../src/project/manifests/render.js';
import { fakeIo } from '../../support/fake-io.js';
import { locked, lockfileOf, needs } from '../../support/lockfiles.js';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'krm-'));
  writeFileSync(join(cwd, 'xpkg.lock.yaml'), formatLockfile(set));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const set = lockfileOf([
  locked('x.io/a/cfg:v1.0.0', { kind: 'Configuration', requirements: [needs('x.io/a/p *')] }),
  locked('x.io/a/p:v1.2.0'),
]);

interface List {
  readonly kind: string;
  readonly items: readonly { readonly metadata: { readonly name: string } }[];
  readonly results?: readonly Record<string, unknown>[];
}

async function krm(stdin: string) {
  const io = fakeIo({ cwd, stdin });
  const code = await runCli(['krm'], io);
  const stdout = io.stdout();
  return { code, stdout, notes: io.notes().join('\n'), list: load(stdout || '{}') as List };
}

const CONFIG = 'functionConfig:\n  apiVersion: xpkg-resolve.dev/v1alpha1\n  kind: Render\n';
const HEAD = 'apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n';

/** The user's provider at another version, and an unrelated object. */
const ITEMS = `items:
# mine
- apiVersion: pkg.crossplane.io/v1
  kind: Provider
  metadata:
    name: a-p
    annotations:
      config.kubernetes.io/path: 'mine.yaml'
      config.kubernetes.io/index: '3'
      internal.config.kubernetes.io/id: "1"
  spec:
    package: x.io/a/p:v1.0.0 # old
    revisionHistoryLimit: 010
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: other}
  data:
    log: |
      ::error:: as it is
    on: yes
`;

test('an activation policy is generated before all packages', async () => {
  const activation = {
    apiVersion: 'apiextensions.crossplane.io/v1alpha1',
    kind: 'ManagedResourceActivationPolicy',
    metadata: { name: 'some' },
    spec: { activate: ['*.a.io'] },
  };
  const activated = { ...set, objects: [activation] };
  writeFileSync(join(cwd, 'xpkg.lock.yaml'), formatLockfile(activated));
  const { code, list } = await krm(`${HEAD}${CONFIG}items: []\n`);
  expect(code).toBe(0);
  expect(list.items.map(({ metadata: { name } }) => name)).toEqual(['some', 'a-p', 'a-cfg']);
  expect(list.items[0]).toMatchObject({ kind: activation.kind, spec: activation.spec });
});

describe('generator', () => {
  test.each([
    { items: 'items: []\n', why: 'an empty list' },
    { items: '', why: 'no list' },
  ])('$why becomes the rendered manifests in their order', async ({ items }) => {
    const { code, list, notes } = await krm(HEAD + CONFIG + items);
    expect([code, notes]).toEqual([0, '']);
    expect(list.items).toEqual(render(set).bundle.objects);
    expect(list.results).toBeUndefined();
  });

  test('accepts JSON', async () => {
    const { code, list } = await krm(
      JSON.stringify({ apiVersion: 'config.kubernetes.io/v1', kind: 'ResourceList', items: [] }),
    );
    expect([code, list.items.length]).toEqual([0, 2]);
  });

  test('`lock`, `pin`, `crossplane` and `argocd` work as in `render`', async () => {
    rmSync(join(cwd, 'xpkg.lock.yaml'));
    writeFileSync(join(cwd, 'other.yaml'), formatLockfile(set));
    const spec = '  spec: {lock: other.yaml, pin: digest, crossplane: v2.2.0, argocd: true}\n';
    const { code, list } = await krm(`${HEAD}${CONFIG}${spec}items: []\n`);
    expect(code).toBe(0);
    expect(list.items).toEqual(render(set, { pin: 'digest', argocd: true }).bundle.objects);
  });

  test('a ConfigMap has the same fields in its data', async () => {
    const config = 'functionConfig:\n  apiVersion: v1\n  kind: ConfigMap\n  data: {pin: digest}\n';
    const { list } = await krm(`${HEAD}${config}items: []\n`);
    expect(list.items).toEqual(render(set, { pin: 'digest' }).bundle.objects);
  });
});

describe('transformer', () => {
  test('sets versions, adds missing items and keeps every other byte', async () => {
    const { code, stdout, list } = await krm(HEAD + ITEMS + CONFIG);
    expect(code).toBe(0);
    const kept = ITEMS.replace('x.io/a/p:v1.0.0', 'x.io/a/p:v1.2.0');
    expect(stdout.startsWith(HEAD + kept)).toBe(true);
    expect(list.items.map(({ metadata }) => metadata.name)).toEqual(['a-p', 'other', 'a-cfg']);
  });

  test('is idempotent', async () => {
    const first = await krm(HEAD + ITEMS + CONFIG);
    expect((await krm(first.stdout)).stdout).toBe(first.stdout);
  });

  test('accepts and returns `kind: List`', async () => {
    const { code, list } = await krm(`apiVersion: v1\nkind: List\n${ITEMS}`);
    expect([code, list.kind, list.items.length]).toEqual([0, 'List', 3]);
  });

  test('adds sync waves and keeps existing ones', async () => {
    const items = ITEMS.replace('    annotations:\n', (line) => {
      return `${line}      argocd.argoproj.io/sync-wave: "7"\n`;
    });
    const { stdout, list } = await krm(`${HEAD}${items}${CONFIG}  spec: {argocd: true}\n`);
    expect(stdout).toContain('argocd.argoproj.io/sync-wave: "7"\n');
    expect(stdout).toContain('argocd.argoproj.io/sync-options: "Prune=confirm,Delete=confirm"');
    expect(list.items).toHaveLength(3);
  });

  test('adds all annotations to metadata without annotations', async () => {
    const items = ITEMS.replace(/ {4}annotations:\n(?: {6}.*\n)+/, '');
    const { code, list } = await krm(`${HEAD}${items}${CONFIG}  spec: {argocd: true}\n`);
    expect(code).toBe(0);
    expect(list.items[0]).toMatchObject({
      metadata: {
        annotations: {
          'argocd.argoproj.io/sync-wave': '-19',
          'argocd.argoproj.io/sync-options': 'Prune=confirm,Delete=confirm',
        },
      },
    });
  });

  test('keeps a package that is not locked, with a warning', async () => {
    const items = ITEMS.replace('name: a-p', 'name: else').replace('x.io/a/p:', 'x.io/b/q:');
    const { code, list } = await krm(HEAD + items + CONFIG);
    expect([code, list.items.length]).toEqual([0, 4]);
    expect(list.results).toEqual([
      {
        message: expect.stringContaining('not in the lockfile'),
        severity: 'warning',
        resourceRef: { apiVersion: 'pkg.crossplane.io/v1', kind: 'Provider', name: 'else' },
        field: { path: 'spec.package' },
        file: { path: 'mine.yaml', index: 3 },
      },
    ]);
  });

  test('rejects one package under two names, which would stop a cluster', async () => {
    const items = ITEMS.replace('name: a-p', 'name: mine');
    const { code, list } = await krm(HEAD + items + CONFIG);
    expect([code, list.items.length]).toEqual([4, 2]);
    expect(list.results).toMatchObject([
      {
        severity: 'error',
        field: { path: 'metadata.name', currentValue: 'mine', proposedValue: 'a-p' },
        file: { path: 'mine.yaml', index: 3 },
      },
    ]);
  });
});

describe('validator', () => {
  const VALIDATE = `${CONFIG}  spec: {mode: validate}\n`;

  test('lists differences from the lockfile and changes nothing', async () => {
    const { code, stdout, list, notes } = await krm(HEAD + ITEMS + VALIDATE);
    expect(code).toBe(4);
    expect(stdout.startsWith(HEAD + ITEMS)).toBe(true);
    expect(list.results).toEqual([
      {
        message: expect.stringContaining('spec.package'),
        severity: 'error',
        resourceRef: { apiVersion: 'pkg.crossplane.io/v1', kind: 'Provider', name: 'a-p' },
        field: {
          path: 'spec.package',
          currentValue: 'x.io/a/p:v1.0.0',
          proposedValue: 'x.io/a/p:v1.2.0',
        },
        file: { path: 'mine.yaml', index: 3 },
      },
      {
        message: expect.stringContaining('missing'),
        severity: 'error',
        resourceRef: { apiVersion: 'pkg.crossplane.io/v1', kind: 'Configuration', name: 'a-cfg' },
      },
    ]);
    expect(notes).toContain('mine.yaml');
  });

  test('accepts the rendered manifests', async () => {
    const { stdout } = await krm(HEAD + ITEMS + CONFIG);
    const input = stdout.replace(CONFIG, VALIDATE);
    expect(await krm(input)).toMatchObject({ code: 0, stdout: input, notes: '' });
  });

  test('keeps results of earlier functions; until v1 they are wrapped in an object', async () => {
    const before = 'results:\n- {message: older, severity: info}\n';
    const { list } = await krm(HEAD + ITEMS + VALIDATE + before);
    expect(list.results).toHaveLength(3);
    const old = await krm(HEAD.replace('/v1', '/v1beta1') + ITEMS + VALIDATE);
    expect(old.list.results).toMatchObject({
      name: 'xpkg-resolve',
      items: [{ severity: 'error' }, { severity: 'error' }],
    });
  });
});

describe('an impossible request gives a result and an exit code', () => {
  test.each([
    { spec: '{lock: no.yaml}', code: 4, field: 'spec.lock', why: 'a missing lockfile' },
    { spec: '{lock: [1]}', code: 2, field: 'spec.lock', why: 'not a path' },
    { spec: '{pin: maybe}', code: 2, field: 'spec.pin', why: 'an unknown pin' },
    { spec: '{pins: tag}', code: 2, field: 'spec.pins', why: 'an unknown field' },
    { spec: '{mode: guess}', code: 2, field: 'spec.mode', why: 'an unknown mode' },
    { spec: '{argocd: perhaps}', code: 2, field: 'spec.argocd', why: 'not a boolean' },
    { spec: '{crossplane: v2}', code: 2, field: undefined, why: 'not a release' },
    {
      spec: '{lock: oci://x.io/a:v1}',
      code: 2,
      field: undefined,
      why: 'a function has no network',
    },
  ])('$spec: $why', async ({ spec, code, field }) => {
    const answer = await krm(`${HEAD}${ITEMS}${CONFIG}  spec: ${spec}\n`);
    expect(answer.code).toBe(code);
    expect(answer.stdout.startsWith(HEAD + ITEMS)).toBe(true);
    expect(answer.list.results).toMatchObject([{ severity: 'error' }]);
    expect(answer.list.results![0]!['field']).toEqual(
      field === undefined ? undefined : expect.objectContaining({ path: field }),
    );
    expect(answer.notes).toMatch(/^error: /);
  });

  test('names a damaged lockfile and its line', async () => {
    writeFileSync(join(cwd, 'xpkg.lock.yaml'), formatLockfile(set).slice(0, 200));
    const { code, list } = await krm(HEAD + ITEMS + CONFIG);
    expect(code).toBe(2);
    expect(list.results).toMatchObject([
      { message: expect.stringMatching(/xpkg\.lock\.yaml:\d+/), file: { path: 'xpkg.lock.yaml' } },
    ]);
  });

  test('rejects another kind of functionConfig', async () => {
    const { code, list } = await krm(`${HEAD}functionConfig: {kind: Other}\n${ITEMS}`);
    expect([code, list.results?.[0]?.['field']]).toEqual([
      2,
      { path: 'kind', currentValue: 'Other' },
    ]);
  });

  test.each(['', 'a: 1\n', 'apiVersion: v1\nkind: ConfigMap\n', `${HEAD}---\n${HEAD}`, '- 1\n'])(
    'stdin that is no ResourceList: %j',
    async (stdin) => {
      expect(await krm(stdin)).toMatchObject({ code: 2, stdout: '' });
    },
  );
});
