import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { load, loadAll } from 'js-yaml';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { argoCdSettings } from '../../src/project/manifests/argocd.js';
import { formatLockfile } from '../../src/project/lockfile/format-lockfile.js';
import { render } from '../../src/project/manifests/render.js';
import { ARGOCD_PLUGIN, pluginEnvironment } from '../support/gitops/argocd-plugin.js';
import { locked, lockfileOf, needs } from '../support/lockfiles.js';

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = join(ROOT, 'integrations/argocd');

const plugin = ARGOCD_PLUGIN;
const set = lockfileOf([
  locked('x.io/a/cfg:v1.0.0', { kind: 'Configuration', requirements: [needs('x.io/a/p *')] }),
  locked('x.io/a/p:v1.2.0'),
]);

let cwd: string;
beforeEach(() => {
  if (!existsSync(join(ROOT, 'dist/main.js'))) throw new Error('run `npm run build` first');
  cwd = mkdtempSync(join(tmpdir(), 'plugin-'));
  writeFileSync(join(cwd, 'xpkg.lock.yaml'), formatLockfile(set));
  const main = join(ROOT, 'dist/main.js');
  writeFileSync(
    join(cwd, 'xpkg-resolve'),
    `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`,
  );
  chmodSync(join(cwd, 'xpkg-resolve'), 0o755);
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

/** Runs `generate` as Argo CD does, with parameters as it passes them. */
function generate(parameters: Readonly<Record<string, string | undefined>> = {}) {
  const { command, args } = plugin.spec.generate;
  return spawnSync(command[0]!, [...command.slice(1), ...args], {
    cwd,
    encoding: 'utf8',
    env: { PATH: `${cwd}${delimiter}${process.env['PATH']}`, ...pluginEnvironment(parameters) },
  });
}

describe('the plugin', () => {
  test('prints what `render --argocd` applies, and nothing else', () => {
    const { status, stdout } = generate();
    expect([status, stdout]).toEqual([0, render(set, { argocd: true }).stream]);
  });

  test('announced parameters have the stated defaults', () => {
    const defaults = plugin.spec.parameters.static.map((each) => [each.name, each.string]);
    expect(generate(Object.fromEntries(defaults)).stdout).toBe(generate().stdout);
  });

  test('parameters reach the rendering', () => {
    writeFileSync(join(cwd, 'other.yaml'), formatLockfile(set));
    const { stdout } = generate({
      lock: 'other.yaml',
      pin: 'digest',
      waves: 'false',
      crossplane: 'v2.2.0',
    });
    expect(loadAll(stdout)).toEqual(render(set, { pin: 'digest' }).bundle.objects);
  });

  test.each([
    { parameters: { lock: '/etc/passwd' }, why: 'another folder' },
    { parameters: { lock: '../xpkg.lock.yaml' }, why: 'above' },
    { parameters: { lock: 'oci://x.io/a:v1' }, why: 'the network' },
    { parameters: { lock: 'none.yaml' }, why: 'no file' },
    { parameters: { pin: '$(touch run)' }, why: 'a command' },
    { parameters: { pin: 'tag --out=evil' }, why: 'a flag' },
    { parameters: { crossplane: '; touch run' }, why: 'a command' },
  ])('$parameters is refused, and stdout stays empty: $why', ({ parameters }) => {
    const { status, stdout, stderr } = generate(parameters);
    expect(status).not.toBe(0);
    expect(stdout).toBe('');
    expect(stderr).toContain('error');
    expect([existsSync(join(cwd, 'run')), existsSync(join(cwd, 'evil'))]).toEqual([false, false]);
  });

  test('applications are found by the lockfile', () => {
    expect(existsSync(join(cwd, plugin.spec.discover.fileName))).toBe(true);
  });
});

test('the settings for Argo CD are those that `render --argocd` writes', () => {
  const kept = load(readFileSync(join(FOLDER, 'argocd-cm.yaml'), 'utf8'));
  expect(kept).toEqual(load(argoCdSettings()));
});

test('the sidecar meets the requirements of Argo CD', () => {
  const { spec } = load(readFileSync(join(FOLDER, 'sidecar.yaml'), 'utf8')) as {
    spec: { template: { spec: { containers: readonly unknown[] } } };
  };
  expect(spec.template.spec.containers).toMatchObject([
    {
      command: ['/var/run/argocd/argocd-cmp-server'],
      securityContext: { runAsNonRoot: true, runAsUser: 999, readOnlyRootFilesystem: true },
      volumeMounts: expect.arrayContaining([
        expect.objectContaining({ mountPath: '/var/run/argocd', name: 'var-files' }),
        expect.objectContaining({
          mountPath: '/home/argocd/cmp-server/config/plugin.yaml',
          subPath: 'plugin.yaml',
        }),
      ]),
    },
  ]);
});
