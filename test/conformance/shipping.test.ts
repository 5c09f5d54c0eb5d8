import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { loadAll } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { buildExecutables, executableOf } from '../../integrations/executable/build.js';
import { type BuiltImage, buildContainerImage } from '../../integrations/image/build.js';
import { readPage } from '../support/docs/page.js';
import { runPage } from '../support/docs/run-page.js';
import { Clone } from '../support/readme.js';
import { BASE, imageOf, layerOf } from '../support/registry/image.js';
import { ARGOCD_PLUGIN, pluginEnvironment } from '../support/gitops/argocd-plugin.js';
import { UnpackedImage } from '../support/shipping/unpacked-image.js';
import { DockerRegistry, mustRun } from './docker-registry.js';
import { tool, toolPath } from './tools.js';

const ROOT = join(import.meta.dirname, '../..');
const HERE = `${process.platform}-${process.arch}`;
const PACKAGES = `dir:${join(ROOT, 'fixtures/packages')}`;
const EXECUTABLE = join(ROOT, executableOf(HERE).file);

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'executable-'));
  await buildExecutables([HERE]);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the executable without Node.js and other programs. */
function run(args: readonly string[], program = EXECUTABLE) {
  const env = { PATH: '', NO_COLOR: '1', XPKG_RESOLVE_CACHE: join(folder, 'cache') };
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: folder,
    env,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

function npmForm(args: readonly string[], cwd = folder) {
  const main = join(ROOT, 'dist/main.js');
  const env = { NO_COLOR: '1', XPKG_RESOLVE_CACHE: join(folder, 'cache') };
  const options = { cwd, env, encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], options);
  return { status, stdout, stderr };
}

/** Returns the paths of files below a folder that `find` finds with these arguments. */
function found(below: string, ...words: readonly string[]): string {
  return mustRun('find', [below, ...words, '-printf', '%P\n'])
    .toString()
    .trim();
}

describe('the executable', () => {
  test('prints what the README shows for each command', async () => {
    const page = readPage('README.md');
    const clone = new Clone(ROOT, mkdtempSync(join(folder, 'clone-')), EXECUTABLE);
    const printed = await runPage(page, clone);
    expect(printed.size).toBeGreaterThan(3);
    const sessions = page.shell.filter(({ language }) => language === 'console');
    expect(sessions.length).toBeGreaterThan(1);
    for (const { at, body } of sessions) expect(printed.get(at)).toBe(body);
  });

  test.each([
    ['the version, of package.json', ['--version']],
    ['help', ['resolve', '--help']],
    ['a mistake', ['resolve', '--no-such-flag']],
    ['a schema', ['schema', 'lockfile']],
    ['completion', ['completion', 'bash']],
    ['an index', ['index', 'build', '--from', PACKAGES, '--out', '-']],
  ])('%s prints what the npm package prints', (_, args) => {
    const ran = run(args);
    expect(ran).toEqual(npmForm(args));
    expect(`${ran.stdout}${ran.stderr}`).not.toBe('');
  });

  test('contains the files of the program: the graph page, a validator, CycloneDX', () => {
    const demo = ['-f', join(ROOT, 'fixtures/demo'), '--from', PACKAGES];
    expect(run(['resolve', ...demo])).toMatchObject({ status: 0 });
    for (const args of [
      ['graph', '-o', 'html'],
      ['graph', '-o', 'svg'],
      ['sbom', '-o', 'cyclonedx'],
      ['check', ...demo, '--format', 'sarif'],
    ]) {
      const ran = run(args);
      expect(ran, args.join(' ')).toEqual(npmForm(args));
      expect(ran).toMatchObject({ status: 0 });
    }
  });

  test('reads a layer with zstd compression from a registry', async () => {
    const registry = await DockerRegistry.start();
    try {
      const yaml =
        'apiVersion: meta.pkg.crossplane.io/v1\nkind: Configuration\nmetadata:\n  name: z\n';
      const layer = await layerOf([{ name: 'package.yaml', content: yaml }], {
        compress: (tar) => mustRun('zstd', ['-19', '-c'], { input: tar }),
        annotations: BASE,
      });
      await registry.push('a/zstd', 'v1.0.0', imageOf([layer]));
      const wanted = `${registry.host}/a/zstd:v1.0.0`;
      const flags = ['--crossplane', 'v2.3.4', '--from', 'registry', '--no-write', '-o', 'json'];
      const ran = run(['resolve', wanted, ...flags]);
      expect(ran).toMatchObject({ status: 0 });
      expect(ran.stdout).toContain(`${registry.host}/a/zstd`);
    } finally {
      await registry.stop();
    }
  });

  test('loads no code from its folder', () => {
    const beside = mkdtempSync(join(folder, 'beside-'));
    const program = join(beside, 'xpkg-resolve');
    linkSync(EXECUTABLE, program);
    for (const name of ['picomatch', 'zstddec', 'undici', 'xmlbuilder2']) {
      mkdirSync(join(beside, 'node_modules', name), { recursive: true });
      writeFileSync(
        join(beside, 'node_modules', name, 'index.js'),
        `require('fs').writeFileSync(${JSON.stringify(join(beside, 'loaded'))}, '${name}');`,
      );
    }
    writeFileSync(join(beside, 'xpkg.yaml'), readFileSync(join(ROOT, 'fixtures/demo/xpkg.yaml')));
    const each = ['resolve', '--each', join(beside, '*.yaml'), '--from', PACKAGES, '--no-write'];
    expect(run(each, program)).toMatchObject({ status: 0 });
    expect(() => readFileSync(join(beside, 'loaded'))).toThrow('ENOENT');
  });
});

describe('the image', () => {
  let image: BuiltImage;
  let unpacked: UnpackedImage;
  let layout: string;

  beforeAll(async () => {
    layout = join(folder, 'image');
    image = await buildContainerImage(['amd64'], layout);
    unpacked = new UnpackedImage(`${layout}:${image.tag}`, join(folder, 'unpacked'));
  });

  test('is the same after another build', async () => {
    const again = await buildContainerImage(['amd64'], join(folder, 'again'));
    expect(again).toEqual(image);
    mustRun('diff', ['-r', layout, join(folder, 'again')]);
  });

  test('has labels that skopeo can read', () => {
    const at = `oci:${layout}:${image.tag}`;
    const { config, architecture, os } = JSON.parse(
      tool('skopeo', ['inspect', '--config', at]),
    ) as {
      config: { User: string; Entrypoint: string[]; Labels: Record<string, string> };
      architecture: string;
      os: string;
    };
    expect([os, architecture]).toEqual(['linux', 'amd64']);
    expect(config.User).toBe('65532:65532');
    expect(config.Entrypoint).toEqual(['/usr/bin/xpkg-resolve']);
    expect(config.Labels).toMatchObject({
      'org.opencontainers.image.title': 'xpkg-resolve',
      'org.opencontainers.image.version': image.tag,
      'org.opencontainers.image.licenses': 'Apache-2.0',
    });
  });

  test('is complete after it was copied to a registry', async () => {
    const registry = await DockerRegistry.start();
    try {
      const at = `${registry.host}/xpkg-resolve:${image.tag}`;
      const flags = ['--from-oci-layout', '--to-plain-http'];
      tool('oras', ['cp', ...flags, `${layout}:${image.tag}`, at]);
      expect(tool('crane', ['digest', '--insecure', at]).trim()).toBe(image.digest);
      expect(tool('crane', ['validate', '--insecure', '--remote', at])).toContain('PASS');
    } finally {
      await registry.stop();
    }
  });

  test('has files of root that others cannot write, and no setuid program', () => {
    expect(found(unpacked.root, '(', '!', '-uid', '0', '-o', '!', '-gid', '0', ')')).toBe('');
    expect(found(unpacked.root, '-perm', '/6000')).toBe('');
    expect(found(unpacked.root, '!', '-type', 'l', '-perm', '/022')).toBe('tmp');
    expect(
      found(unpacked.root, '-path', '*/dpkg/status.d/*', '-type', 'f').split('\n').sort(),
    ).toEqual(image.packages['amd64']!.map(({ name }) => `var/lib/dpkg/status.d/${name}`).sort());
    for (const { name } of image.packages['amd64']!) {
      expect(
        readFileSync(join(unpacked.root, 'usr/share/doc', name, 'copyright'), 'utf8'),
      ).not.toBe('');
    }
  });

  describe.each([65532, 999, 1000730000])('as user %i', (user) => {
    const work = () => join(folder, `work-${user}`);
    beforeAll(() => cpSync(join(ROOT, 'fixtures'), work(), { recursive: true }));

    test('only /tmp is writable', () => {
      const script =
        'id -u; for f in /x /usr/x /home/x /work/x /tmp/x; do (: >$f) 2>/dev/null && echo $f; done; true';
      const ran = unpacked.run(user, work(), ['sh', '-c', script]);
      expect(ran).toEqual({ status: 0, stdout: `${user}\n/tmp/x\n`, stderr: '' });
    });

    test('resolves the same packages as the npm package', () => {
      const args = ['resolve', '-f', 'demo', '--from', 'dir:packages', '--no-write', '-o', 'json'];
      const ran = unpacked.run(user, work(), ['xpkg-resolve', ...args]);
      expect(ran).toEqual(npmForm(args, work()));
      expect(ran.status).toBe(0);
    });
  });

  test('is an image for GitLab jobs, whose shell finds the command', () => {
    const file = join(ROOT, 'integrations/gitlab/templates/check.yml');
    const [, body] = loadAll(readFileSync(file, 'utf8')) as [
      unknown,
      { 'xpkg-resolve': { script: string[] } },
    ];
    const script = `set -e\n${body['xpkg-resolve'].script.join('\n')}\ncat /tmp/xpkg-junit.xml`;
    const variables = {
      XPKG_FOLDER: '.',
      XPKG_ARGS: '-f demo --from dir:packages',
      CI_BUILDS_DIR: '/builds',
      CI_PROJECT_DIR: '/tmp',
    };
    const work = mkdtempSync(join(folder, 'job-'));
    chmodSync(work, 0o755);
    for (const name of ['demo', 'packages']) {
      cpSync(join(ROOT, 'fixtures', name), join(work, name), { recursive: true });
    }
    const demo = ['-f', 'demo', '--from', 'dir:packages', '--quiet'];
    expect(npmForm(['resolve', ...demo], work).status).toBe(0);
    const ran = unpacked.run(65532, work, ['sh', '-c', script], variables);
    expect(ran).toMatchObject({ status: 0 });
    expect(ran.stdout).toContain('<testsuites');
  });

  test('is the sidecar that the Argo CD plugin needs: user 999, no network, nothing written', () => {
    const work = mkdtempSync(join(folder, 'application-'));
    chmodSync(work, 0o755);
    const demo = ['-f', join(ROOT, 'fixtures/demo'), '--from', PACKAGES, '--quiet'];
    expect(npmForm(['resolve', ...demo], work).status).toBe(0);
    const { command, args } = ARGOCD_PLUGIN.spec.generate;
    const generate = (parameters: Readonly<Record<string, string>>) =>
      unpacked.run(999, work, [...command, ...args], pluginEnvironment(parameters));
    const rendered = npmForm(['render', '--offline', '--out=-', '--argocd'], work);
    expect(rendered.stdout).toContain('argocd.argoproj.io/sync-wave');
    expect(generate({})).toEqual(rendered);
    const pinned = npmForm(['render', '--offline', '--out=-', '--pin=digest'], work);
    expect(generate({ pin: 'digest', waves: 'false' })).toEqual(pinned);
    const refused = generate({ lock: '../other.yaml' });
    expect([refused.status, refused.stdout]).toEqual([2, '']);
  });
});

test('the commands of docs/install.md run with the build results', async () => {
  const registry = await DockerRegistry.start();
  try {
    // oras uses plain HTTP only for this name.
    vi.stubEnv('REGISTRY', registry.host.replace('127.0.0.1', 'localhost'));
    const clone = new Clone(ROOT, mkdtempSync(join(folder, 'install-')));
    symlinkSync(join(ROOT, 'package.json'), join(clone.folder, 'package.json'));
    mkdirSync(join(clone.folder, 'build'));
    symlinkSync(join(ROOT, 'build/executable'), join(clone.folder, 'build/executable'));
    symlinkSync(join(folder, 'image'), join(clone.folder, 'build/image'));
    const suite = {
      file: 'test/conformance/shipping.test.ts',
      programs: dirname(toolPath('oras')),
    };
    const printed = await runPage(readPage('docs/install.md'), clone, suite);
    expect([...printed.values()].join('')).toContain('xpkg-resolve-linux-x64.tar.gz: OK');
    expect(printed.size).toBe(3);
    expect(registry.answered.filter((line) => line.startsWith('PUT'))).not.toEqual([]);
  } finally {
    vi.unstubAllEnvs();
    await registry.stop();
  }
});
