import * as fc from 'fast-check';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { loadAll } from 'js-yaml';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { labelOf } from '../../src/project/manifests/object-names.js';
import type { Lockfile } from '../../src/project/lockfile/lockfile.js';
import type { JsonObject } from '../../src/base/json.js';
import { render, type RenderOptions } from '../../src/project/manifests/render.js';
import { resolvedDemo } from '../support/demo-lockfile.js';
import { readPage } from '../support/docs/page.js';
import { runnable, runPage } from '../support/docs/run-page.js';
import { locked, lockfileOf, needs } from '../support/lockfiles.js';
import { Clone } from '../support/readme.js';
import { peer, PEERS } from './peers.js';

const ROOT = join(import.meta.dirname, '../..');
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'helm-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function writeChart(lockfile: Lockfile, options: RenderOptions = {}): string {
  const chart = mkdtempSync(join(folder, 'chart-'));
  for (const [name, text] of render(lockfile, { ...options, layout: 'helm' }).files) {
    mkdirSync(dirname(join(chart, name)), { recursive: true });
    writeFileSync(join(chart, name), text);
  }
  return chart;
}

/** What `helm template` makes of a chart, by kind and name. */
function templated(chart: string, ...flags: readonly string[]): ReadonlyMap<string, JsonObject> {
  const { status, stdout, stderr } = peer('helm', ['template', 'x', chart, ...flags]);
  expect([status, stderr]).toEqual([0, '']);
  const objects = (loadAll(stdout) as (JsonObject | null)[]).filter((each) => each !== null);
  return new Map(objects.map((object) => [labelOf(object), object]));
}

function rendered(
  lockfile: Lockfile,
  options: RenderOptions = {},
): ReadonlyMap<string, JsonObject> {
  const { objects } = render(lockfile, options).bundle;
  return new Map(objects.map((object) => [labelOf(object), object]));
}

describe('helm template prints the rendered objects', () => {
  test.each([{}, { pin: 'digest' }, { pin: 'locked' }, { argocd: true }] as const)(
    'the demo, with %j',
    async (options) => {
      const demo = await resolvedDemo();
      expect(templated(writeChart(demo, options))).toEqual(rendered(demo, options));
    },
  );

  test('an empty set is an empty chart', () => {
    expect(templated(writeChart(lockfileOf([]))).size).toBe(0);
  });

  test('text that looks like a template, a document or a tag stays text', () => {
    const hostile = fc.oneof(
      fc.constantFrom(
        '{{ fail "run" }}',
        '{{- end }}',
        '{{ .Values.mirror }}',
        '---\nkind: Secret',
        '!!binary x',
        '# x',
        'a\n  packagePullSecrets:\n    - name: evil\n',
        '\u2028{{`',
        '*x &y',
      ),
      fc.string({ unit: 'grapheme', maxLength: 20 }),
    );
    fc.assert(
      fc.property(hostile, hostile, fc.integer(), (value, label, count) => {
        const metadata = { annotations: { note: value }, labels: { note: label } };
        const spec = { revisionHistoryLimit: count, commonLabels: { x: value } };
        const object = { apiVersion: undefined, metadata, spec };
        const set = lockfileOf([locked('x.io/a/p:v1.0.0', { object })]);
        expect(templated(writeChart(set))).toEqual(rendered(set));
      }),
      { numRuns: 25 },
    );
  });
});

describe('values', () => {
  const secrets = { packagePullSecrets: [{ name: 'own' }] };
  const set = lockfileOf([
    locked('x.io/a/cfg:v1.0.0', { kind: 'Configuration', requirements: [needs('y.io/a/p *')] }),
    locked('y.io/a/p:v1.2.0', { object: { apiVersion: undefined, metadata: {}, spec: secrets } }),
  ]);

  test('`pullSecrets` are added to those that a package has', () => {
    const objects = templated(writeChart(set), '--set', 'pullSecrets={a,b.c}');
    const names = [...objects.values()].map(
      ({ spec }) => (spec as typeof secrets).packagePullSecrets,
    );
    expect(names).toEqual([
      [{ name: 'a' }, { name: 'b.c' }],
      [{ name: 'own' }, { name: 'a' }, { name: 'b.c' }],
    ]);
  });

  test('`mirror` is an ImageConfig for each registry, and objects name what is locked', () => {
    const objects = new Map(templated(writeChart(set), '--set', 'mirror=m.example:5000/all'));
    const configs = ['x.io', 'y.io'].map((host) => {
      const label = `ImageConfig \`mirror-${host.replace('.', '-')}\``;
      const config = objects.get(label);
      objects.delete(label);
      return config?.['spec'];
    });
    expect(configs).toEqual(
      ['x.io', 'y.io'].map((host) => ({
        matchImages: [{ type: 'Prefix', prefix: `${host}/` }],
        rewriteImage: { prefix: 'm.example:5000/all/' },
      })),
    );
    expect(objects).toEqual(rendered(set));
  });

  test.each([
    { flags: ['--set', 'mirror=https://x.io'], why: 'no registry' },
    { flags: ['--set-string', 'mirror=a b'], why: 'a blank' },
    { flags: ['--set', 'pullSecrets={A_b}'], why: 'no name' },
  ])('$flags is refused: $why', ({ flags }) => {
    const { status, stdout, stderr } = peer('helm', ['template', 'x', writeChart(set), ...flags]);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/mirror: |pullSecrets: /);
  });

  test.each([
    { options: { pin: 'locked' }, crossplane: 'v2.3.4', why: 'pins take its place' },
    { options: {}, crossplane: 'v1.19.0', why: 'that release rewrites nothing' },
  ] as const)('a mirror is refused where $why', ({ options, crossplane }) => {
    const chart = writeChart({ ...set, crossplane }, options);
    const { status, stderr } = peer('helm', ['template', 'x', chart, '--set', 'mirror=m.io']);
    expect([status, stderr]).toEqual([1, expect.stringContaining('mirror: ')]);
    expect(templated(chart)).toEqual(rendered({ ...set, crossplane }, options));
  });
});

test('the commands of docs/helm.md run', async () => {
  if (!existsSync(join(ROOT, 'dist/main.js'))) throw new Error('run `npm run build` first');
  const clone = new Clone(ROOT, join(mkdtempSync(join(folder, 'docs-'))));
  const page = readPage('docs/helm.md');
  const suite = { file: 'test/peers/helm.test.ts', programs: PEERS };
  const ran = await runPage(page, clone, suite);
  expect([...ran.keys()]).toEqual(runnable(page, suite.file).map(({ at }) => at));
  expect(existsSync(join(clone.folder, 'packed/platform-packages-1.4.0.tgz'))).toBe(true);
});
