import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCli } from '../../src/commands.js';
import { parseLockfile } from '../../src/project/lockfile/parse-lockfile.js';
import { render } from '../../src/project/manifests/render.js';
import { fakeIo } from '../support/fake-io.js';
import { writeResolvedDemo } from '../support/resolved-demo.js';
import { DockerRegistry } from './docker-registry.js';
import { tool } from './tools.js';

const CONTENT = 'application/vnd.cncf.flux.content.v1.tar+gzip';
let folder: string;
let registry: DockerRegistry;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'flux-'));
  registry = await DockerRegistry.start();
  await writeResolvedDemo(folder);
});

afterAll(async () => {
  await registry.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function run(...argv: readonly string[]): Promise<string> {
  const io = fakeIo({ cwd: folder, env: { DOCKER_CONFIG: folder } });
  const code = await runCli(argv, io);
  expect(code, io.notes().join('\n')).toBe(0);
  return io.stdout();
}

interface ArtifactManifest {
  readonly config: { readonly mediaType: string };
  readonly layers: readonly { readonly mediaType: string; readonly digest: string }[];
  readonly annotations: Readonly<Record<string, string>>;
}

test('pushed manifests are an artifact that Flux unpacks, and that oras and crane can read', async () => {
  const from = ['--flux-source', 'OCIRepository/packages'];
  await run('render', '--flux', 'flux', ...from);
  const name = `${registry.host}/platform/packages`;
  const origin = ['--source', 'https://git.example.org/x.git', '--revision', 'main@sha1:0123'];
  const pushed = await run('push', `oci://${name}:prod`, '--out', 'flux', ...origin);
  const fetched = tool('oras', ['manifest', 'fetch', '--plain-http', `${name}:prod`]);
  const { config, layers, annotations } = JSON.parse(fetched) as ArtifactManifest;
  expect(config.mediaType).toBe('application/vnd.cncf.flux.config.v1+json');
  // Flux finds the same layer by media type and as the first layer.
  expect(layers.findIndex(({ mediaType }) => mediaType === CONTENT)).toBe(0);
  expect(layers.filter(({ mediaType }) => mediaType === CONTENT)).toHaveLength(1);
  expect(annotations).toEqual({
    'org.opencontainers.image.source': 'https://git.example.org/x.git',
    'org.opencontainers.image.revision': 'main@sha1:0123',
  });
  const blob = join(folder, 'content.tgz');
  const flags = ['--plain-http', '--output', blob, `${name}@${layers[0]!.digest}`];
  tool('oras', ['blob', 'fetch', ...flags]);
  const unpacked = join(folder, 'unpacked');
  mkdirSync(unpacked);
  tool('bsdtar', ['-xzf', blob, '-C', unpacked]);
  const lockfile = parseLockfile(readFileSync(join(folder, 'xpkg.lock.yaml'), 'utf8'), 'lock');
  const layout = { layout: 'flux', fluxSource: from[1], fluxPath: '.' } as const;
  const wanted = render(lockfile, layout);
  for (const [file, text] of wanted.files) {
    expect(readFileSync(join(unpacked, file), 'utf8')).toBe(text);
  }
  expect(pushed.trim()).toBe(
    `oci://${name}@${tool('crane', ['digest', '--insecure', `${name}:prod`]).trim()}`,
  );
});

test('Flux applies what kustomize builds from the content', async () => {
  await run('render', '--flux', 'again', '--flux-source', 'OCIRepository/packages');
  const printed = tool('kustomize', ['build', join(folder, 'again')]);
  const paths = Array.from(printed.matchAll(/^ {2}path: (\S+)$/gm), ([, path]) => path!);
  expect(paths.length).toBeGreaterThan(3);
  const objects = paths.map((path) => tool('kustomize', ['build', join(folder, 'again', path)]));
  const count = objects.join('\n').match(/^kind: /gm)!.length;
  const lockfile = parseLockfile(readFileSync(join(folder, 'xpkg.lock.yaml'), 'utf8'), 'lock');
  expect(count).toBe(render(lockfile).bundle.objects.length);
});
