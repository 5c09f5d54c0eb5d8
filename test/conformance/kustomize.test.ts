import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { loadAll } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { labelOf } from '../../src/project/manifests/object-names.js';
import type { Lockfile } from '../../src/project/lockfile/lockfile.js';
import { parseLockfile } from '../../src/project/lockfile/parse-lockfile.js';
import type { JsonObject } from '../../src/base/json.js';
import { render, type RenderOptions } from '../../src/project/manifests/render.js';
import { readPage } from '../support/docs/page.js';
import { runPage } from '../support/docs/run-page.js';
import { Clone } from '../support/readme.js';
import { toolPath } from './tools.js';

const ROOT = join(import.meta.dirname, '../..');
let clone: Clone;
let lockfile: Lockfile;

beforeAll(() => {
  if (!existsSync(join(ROOT, 'dist/main.js'))) throw new Error('run `npm run build` first');
  clone = new Clone(ROOT, mkdtempSync(join(tmpdir(), 'kustomize-')));
  const resolve = 'xpkg-resolve resolve -f fixtures/demo --from dir:fixtures/packages';
  expect(clone.script(resolve).status).toBe(0);
  const text = readFileSync(join(clone.folder, 'xpkg.lock.yaml'), 'utf8');
  lockfile = parseLockfile(text, 'xpkg.lock.yaml');
});
afterAll(() => rmSync(clone.folder, { recursive: true, force: true }));

function build(folder: string) {
  const flags = ['build', '--enable-alpha-plugins', '--enable-exec', folder];
  const ran = spawnSync(toolPath('kustomize'), flags, {
    cwd: clone.folder,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
    env: {
      ...process.env,
      PATH: `${join(clone.folder, '.bin')}${delimiter}${process.env['PATH']}`,
    },
  });
  if (ran.error !== undefined) {
    throw new Error('`kustomize` cannot be run: is it there? (test/support/tools.sh)', {
      cause: ran.error,
    });
  }
  return ran;
}

/** Returns the objects that kustomize prints, by kind and name. */
function built(folder: string): ReadonlyMap<string, JsonObject> {
  const { status, stdout, stderr } = build(folder);
  expect(stderr).toBe('');
  expect(status).toBe(0);
  return new Map((loadAll(stdout) as JsonObject[]).map((object) => [labelOf(object), object]));
}

function rendered(options: RenderOptions = {}): ReadonlyMap<string, JsonObject> {
  const { objects } = render(lockfile, options).bundle;
  return new Map(objects.map((object) => [labelOf(object), object]));
}

/** Returns the packages that objects install, by kind and name. */
function packagesIn(objects: ReadonlyMap<string, JsonObject>): ReadonlyMap<string, unknown> {
  return new Map(
    Array.from(objects, ([label, { spec }]) => [label, (spec as JsonObject)['package']]),
  );
}

/** Returns a functionConfig that runs this tool. */
function config(spec: string): string {
  return `apiVersion: xpkg-resolve.dev/v1alpha1
kind: Render
metadata:
  name: packages
  annotations:
    config.kubernetes.io/function: |
      exec:
        path: xpkg-resolve
        args: [krm]
spec: {lock: ../xpkg.lock.yaml, ${spec}}
`;
}

function write(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(clone.folder, name)), { recursive: true });
    writeFileSync(join(clone.folder, name), text);
  }
}

describe('rendered folders build to the rendered objects', () => {
  test.each([
    { flags: '--out plain', folder: 'plain', options: {} },
    { flags: '--out split --split', folder: 'split', options: {} },
    { flags: '--out waves --argocd --split', folder: 'waves', options: { argocd: true } },
  ])('$flags', ({ flags, folder, options }) => {
    expect(clone.script(`xpkg-resolve render ${flags}`).status).toBe(0);
    expect(built(folder)).toEqual(rendered(options));
  });

  test('--flux: layers and the objects by which Flux applies them', () => {
    expect(clone.script('xpkg-resolve render --flux flux').status).toBe(0);
    const kustomizations = [...built('flux').values()] as { spec: { path: string } }[];
    const all = kustomizations.flatMap(({ spec }) => [...built(spec.path)]);
    expect(new Map(all)).toEqual(rendered({ layout: 'flux' }));
  });
});

describe('the function', () => {
  test.each([
    { spec: 'pin: tag', options: {} },
    { spec: 'pin: digest', options: { pin: 'digest' } },
    { spec: 'argocd: true', options: { argocd: true } },
  ] as const)('generates, with $spec', ({ spec, options }) => {
    write({
      'generated/render.yaml': config(spec),
      'generated/kustomization.yaml': 'generators: [render.yaml]\n',
    });
    expect(built('generated')).toEqual(rendered(options));
  });

  const mine = `apiVersion: pkg.crossplane.io/v1
kind: Provider
metadata:
  name: acme-contrib-provider-kubernetes
  labels: {mine: "yes"}
spec:
  package: xpkg.example.org/acme-contrib/provider-kubernetes:v0.0.1
---
apiVersion: v1
kind: ConfigMap
metadata: {name: other}
data:
  log: |
    ::error:: as it is
`;

  test('transforms existing items and adds missing ones', () => {
    write({
      'transformed/mine.yaml': mine,
      'transformed/render.yaml': config('pin: tag'),
      'transformed/kustomization.yaml': 'resources: [mine.yaml]\ntransformers: [render.yaml]\n',
    });
    const objects = new Map(built('transformed'));
    expect(objects.get('ConfigMap `other`')).toMatchObject({
      data: { log: '::error:: as it is\n' },
    });
    objects.delete('ConfigMap `other`');
    const own = objects.get('Provider `acme-contrib-provider-kubernetes`');
    expect(own).toMatchObject({ metadata: { labels: { mine: 'yes' } } });
    expect(packagesIn(objects)).toEqual(packagesIn(rendered()));
  });

  test('validates: a build that differs from the lockfile fails with the place', () => {
    write({
      'checked/mine.yaml': mine,
      'checked/check.yaml': config('mode: validate'),
      'checked/kustomization.yaml': 'resources: [mine.yaml]\ntransformers: [check.yaml]\n',
    });
    const { status, stdout, stderr } = build('checked');
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^error: Provider `acme-contrib-provider-kubernetes` spec\.package/m);
    write({
      'checked/kustomization.yaml': 'resources: [../rendered]\ntransformers: [check.yaml]\n',
    });
    expect(built('checked')).toEqual(rendered());
  });

  test('a missing lockfile fails the build', () => {
    write({
      'none/render.yaml': config('pin: tag').replace('../xpkg.lock.yaml', 'none.yaml'),
      'none/kustomization.yaml': 'generators: [render.yaml]\n',
    });
    const { status, stderr } = build('none');
    expect([status, stderr]).toEqual([1, expect.stringContaining('none.yaml')]);
  });
});

test('integrations/argocd is a component that adds the sidecar and the settings to an Argo CD', () => {
  const component = join(ROOT, 'integrations/argocd');
  for (const name of ['kustomization', 'plugin', 'sidecar', 'argocd-cm']) {
    write({ [`component/${name}.yaml`]: readFileSync(join(component, `${name}.yaml`), 'utf8') });
  }
  write({
    'argocd/base.yaml': `apiVersion: apps/v1
kind: Deployment
metadata: {name: argocd-repo-server, namespace: argocd}
spec:
  template:
    spec:
      containers: [{name: argocd-repo-server, image: argocd}]
      volumes: [{name: var-files, emptyDir: {}}, {name: plugins, emptyDir: {}}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cm, namespace: argocd}
data: {url: https://argocd.example.org}
`,
    'argocd/kustomization.yaml': 'resources: [base.yaml]\ncomponents: [../component]\n',
  });
  const objects = built('argocd');
  const deployment = objects.get('Deployment `argocd-repo-server`') as {
    spec: {
      template: {
        spec: {
          containers: { name: string }[];
          volumes: { name: string; configMap?: { name: string } }[];
        };
      };
    };
  };
  const { containers, volumes } = deployment.spec.template.spec;
  expect(containers.map(({ name }) => name).sort()).toEqual(['argocd-repo-server', 'xpkg-resolve']);
  const mounted = volumes.find(({ name }) => name === 'xpkg-resolve-plugin')?.configMap?.name;
  const plugin = readFileSync(join(component, 'plugin.yaml'), 'utf8');
  expect(objects.get(`ConfigMap \`${mounted}\``)).toMatchObject({
    data: { 'plugin.yaml': plugin },
  });
  expect(objects.get('ConfigMap `argocd-cm`')).toMatchObject({
    data: {
      url: 'https://argocd.example.org',
      'application.resourceTrackingMethod': 'annotation',
      'resource.customizations.health.pkg.crossplane.io_Function': expect.any(String),
    },
  });
});

test('the commands of docs/kustomize.md run', async () => {
  const own = new Clone(ROOT, mkdtempSync(join(tmpdir(), 'kustomize-docs-')));
  const page = readPage('docs/kustomize.md');
  const programs = dirname(toolPath('kustomize'));
  try {
    const ran = await runPage(page, own, { file: 'test/conformance/kustomize.test.ts', programs });
    expect(ran.size).toBe(page.shell.length);
  } finally {
    rmSync(own.folder, { recursive: true });
  }
});
