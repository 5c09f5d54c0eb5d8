import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sha256 } from '../../src/base/digest.js';
import { readPage } from '../support/docs/page.js';
import { runnable } from '../support/docs/run-page.js';
import { BASE, blobOf, imageOf, indexOf, layerOf } from '../support/registry/image.js';
import { DockerRegistry } from './docker-registry.js';
import { tool } from './tools.js';

const ROOT = join(import.meta.dirname, '../..');
const CLI = join(ROOT, 'dist/main.js');
const PAGE = readPage('docs/air-gap.md');
/**
 * The blocks of the page: one machine with access to both networks, the connected side, the other
 * side, and later runs.
 */
const [both, near, far, later] = runnable(PAGE, 'test/conformance/air-gap.test.ts').map(
  ({ body }) => body,
);

const COMMANDS_OF =
  'xpkg-resolve resolve -q >/dev/null; xpkg-resolve mirror --to $MIRROR --dry-run --tool TOOL';

let folder: string;
let internet: DockerRegistry;
let inside: DockerRegistry;

/**
 * Returns the output of some lines of the page, run in their own folder. It must not block: the
 * logs of registries must be read meanwhile, or the registries stop.
 */
async function shell(script: string, cwd: string, mirror: string): Promise<string> {
  const run = `xpkg-resolve() { "${process.execPath}" "${CLI}" "$@"; }\nset -eu\n${script}`;
  const env = { ...process.env, MIRROR: mirror, XPKG_RESOLVE_CACHE: join(cwd, '.cache') };
  return (await promisify(execFile)('bash', ['-c', run], { cwd, env })).stdout;
}

async function sideWith(name: string, files: Readonly<Record<string, string>>): Promise<string> {
  const side = join(folder, name);
  await mkdir(side);
  for (const [file, text] of Object.entries(files)) await writeFile(join(side, file), text);
  return side;
}

async function publish(path: string, dependsOn: string): Promise<string> {
  const [kind, name] = dependsOn === '' ? ['Provider', 'base'] : ['Configuration', 'top'];
  const yaml = `apiVersion: meta.pkg.crossplane.io/v1\nkind: ${kind}\nmetadata: {name: ${name}}\n${dependsOn}`;
  const base = await layerOf([{ name: 'package.yaml', content: yaml }], { annotations: BASE });
  const children = await Promise.all(
    ['amd64', 'arm64'].map(async (architecture) => {
      const program = await layerOf([{ name: 'program', content: architecture.repeat(100_000) }]);
      const diffs = [base, program].map(({ bytes }) => sha256(gunzipSync(bytes)));
      const rootfs = { type: 'layers', diff_ids: diffs };
      const config = JSON.stringify({ os: 'linux', architecture, rootfs });
      return { image: imageOf([base, program], config), platform: { os: 'linux', architecture } };
    }),
  );
  const image = indexOf(children);
  await internet.push(path, 'v1.0.0', image);
  const signature = imageOf([blobOf(`signature of ${path}`)]);
  await internet.push(path, `${image.digest.replace(':', '-')}.sig`, signature);
  return image.digest;
}

let digests: Readonly<Record<string, string>>;
let set: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'air-gap-'));
  [internet, inside] = await Promise.all([DockerRegistry.start(), DockerRegistry.start()]);
  const provider = `${internet.host}/acme/provider-base`;
  const top = `${internet.host}/acme/configuration-top`;
  digests = {
    'acme/provider-base': await publish('acme/provider-base', ''),
    'acme/configuration-top': await publish(
      'acme/configuration-top',
      `spec:\n  dependsOn:\n    - provider: ${provider}\n      version: ">=v1.0.0"\n`,
    ),
  };
  set = JSON.stringify({
    apiVersion: 'xpkg-resolve.dev/v1alpha1',
    kind: 'PackageSet',
    spec: { crossplane: 'v1.20.11', packages: [{ configuration: top, version: '*' }] },
  });
});

afterAll(async () => {
  await Promise.all([internet.stop(), inside.stop()]);
  await rm(folder, { recursive: true });
});

test('one machine with access to both: the mirror has what oras finds at the source', async () => {
  const side = await sideWith('both', { 'xpkg.yaml': set });
  await shell(both!, side, `${inside.host}/direct`);
  for (const [path, digest] of Object.entries(digests)) {
    const at = `${inside.host}/direct/${path}`;
    expect(tool('oras', ['resolve', '--plain-http', `${at}:v1.0.0`]).trim()).toBe(digest);
    tool('crane', ['validate', '--insecure', '--remote', `${at}:v1.0.0`]);
    const tags = tool('oras', ['repo', 'tags', '--plain-http', at]);
    expect(tags).toContain(`${digest.replace(':', '-')}.sig`);
  }
});

test('the commands of other tools copy the same images', async () => {
  const side = await sideWith('tools', { 'xpkg.yaml': set });
  for (const name of ['oras', 'crane', 'skopeo']) {
    const at = `${inside.host}/by-${name}`;
    const lines = (await shell(COMMANDS_OF.replace('TOOL', name), side, at)).trimEnd().split('\n');
    expect(lines).toHaveLength(2);
    for (const line of lines) {
      const [program, ...args] = line.split(' ');
      const plain = {
        oras: ['--from-plain-http', '--to-plain-http'],
        crane: ['--insecure'],
        skopeo: ['--src-tls-verify=false', '--dest-tls-verify=false', '--insecure-policy'],
      }[name]!;
      tool(program!, [...args, ...plain]);
    }
    await shell('xpkg-resolve verify --mirror $MIRROR --no-bundle', side, at);
  }
});

test('a bundle file fills the other side without access to the first one', async () => {
  const connected = await sideWith('near', { 'xpkg.yaml': set });
  await shell(near!, connected, 'unused.example.org');
  await internet.stop();
  const cutOff = await sideWith('far', {});
  await writeFile(join(cutOff, 'platform.tar'), await readFile(join(connected, 'platform.tar')));
  await shell(far!, cutOff, `${inside.host}/carried`);
  const digest = digests['acme/provider-base']!;
  const at = `${inside.host}/carried/acme/provider-base:v1.0.0`;
  expect(tool('oras', ['resolve', '--plain-http', at]).trim()).toBe(digest);
  await writeFile(join(cutOff, 'xpkg.yaml'), set);
  await shell(later!, cutOff, '');
  const lockfile = await readFile(join(cutOff, 'xpkg.lock.yaml'), 'utf8');
  for (const each of Object.values(digests)) expect(lockfile).toContain(each);
  expect(await readFile(join(cutOff, 'rendered/packages.yaml'), 'utf8')).toContain('rewriteImage');
});
