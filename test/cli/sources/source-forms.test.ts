import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSources } from '../../../src/cli/sources/source-flags.js';
import { InputError } from '../../../src/base/errors.js';
import { targetFor } from '../../../src/crossplane/releases/target.js';
import { fakeIo } from '../../support/fake-io.js';
import { sourceArgs } from '../../support/source-args.js';
import { providerYaml } from '../../support/package-yaml.js';
import { packageImage } from '../../support/registry/image.js';
import { layoutFiles, named, writeFiles, writeTar } from '../../support/registry/layout.js';
import { Registry } from '../../support/registry/registry.js';
import { xpkgFiles } from '../../support/registry/xpkg.js';

const target = targetFor('v2.3.4')!;
const P = 'xpkg.io/a/p';
const yaml = providerYaml('p');
const image = await packageImage(yaml);

let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'forms-'));
  await writeFiles(join(cwd, 'full'), layoutFiles([{ image, annotations: named(`${P}:v1.0.0`) }]));
  await writeFiles(join(cwd, 'a=b'), layoutFiles([{ image, annotations: named('v1.0.0') }]));
  await writeTar(join(cwd, 'bare.tar'), layoutFiles([{ image }]));
  const entries = [{ name: 'package.yaml', content: yaml }];
  await writeTar(join(cwd, 'p.xpkg'), await xpkgFiles([{ entries, label: 'base' }]));
  const cached = join(cwd, 'cache', `${P}:v1.0.gz`);
  await mkdir(dirname(cached), { recursive: true });
  await writeFile(cached, gzipSync(yaml));
});
afterAll(() => rm(cwd, { recursive: true }));

test.each([
  'layout:full',
  `layout:full=${P}`,
  `layout:a=b=${P}`,
  `layout:bare.tar=${P}:v1.0.0`,
  `xpkg:p.xpkg=${P}:v1.0.0`,
  'cache:cache',
])('%s has the package, also offline', async (from) => {
  const source = await openSources(sourceArgs([from], { offline: true }), fakeIo({ cwd }));
  const got = await source.fetch({ repository: P, version: 'v1.0.0' }, target);
  expect(got?.contents.metas).toMatchObject([{ name: 'p' }]);
});

test.each([
  { from: 'layout:nowhere', why: 'a missing layout' },
  { from: 'layout:bare.tar', why: 'a layout without names' },
  { from: 'xpkg:p.xpkg', why: 'no package named' },
  { from: `xpkg:p.xpkg=${P}`, why: 'no tag named' },
  { from: `xpkg:nowhere.xpkg=${P}:v1.0.0`, why: 'a missing file' },
  { from: 'cache:p.xpkg', why: 'a file' },
])('$from is a usage error: $why', async ({ from }) => {
  await expect(openSources(sourceArgs([from]), fakeIo({ cwd }))).rejects.toBeInstanceOf(InputError);
});

test.each([undefined, ['layout:full', 'registry']])(
  'offline, what only a registry could know is a failure, not a no: --from %s',
  async (from) => {
    const source = await openSources(sourceArgs(from, { offline: true }), fakeIo({ cwd }));
    const other = 'xpkg.io/a/other';
    const failure = { code: 'OFFLINE', hint: expect.stringContaining('`--cache`') };
    await expect(source.tags(other, target)).rejects.toMatchObject(failure);
    const fetching = source.fetch({ repository: other, version: 'v1.0.0' }, target);
    await expect(fetching).rejects.toMatchObject(failure);
  },
);

describe('registries', () => {
  let registry: Registry;
  beforeAll(async () => {
    registry = await new Registry({
      access: { mode: 'bearer', user: 'ann', password: 's3cret' },
    }).start();
    registry.push('a/p', 'v1.0.0', image);
    const auths = { [registry.host]: { username: 'ann', password: 's3cret' } };
    const dockerconfig = JSON.stringify({ auths });
    await writeFile(
      join(cwd, 'secret.json'),
      JSON.stringify({ kind: 'Secret', stringData: { '.dockerconfigjson': dockerconfig } }),
    );
  });
  afterAll(() => registry.stop());

  test('are the default, count bytes and trace requests without secrets', async () => {
    const io = fakeIo({ cwd });
    const more = { trace: true, pullSecret: ['secret.json'] };
    const source = await openSources(sourceArgs(undefined, more), io);
    const { stats } = source;
    const repository = `${registry.host}/a/p`;
    await source.fetch({ repository, version: 'v1.0.0' }, target);
    const read = image.bytes.length + image.blobs.at(-1)!.bytes.length;
    expect(stats).toMatchObject({ listed: 0, fetched: 1 });
    expect(stats.bytes).toBeGreaterThanOrEqual(read);
    const trace = io.notes();
    expect(trace.filter((line) => line.startsWith('trace: GET '))).toHaveLength(5);
    expect(trace.join('\n')).toContain(
      `/v2/a/p/manifests/v1.0.0: 200, ${image.bytes.length} bytes`,
    );
    expect(trace.join('\n')).not.toMatch(/s3cret|YW5uOnMzY3JldA/);
  });

  test('receive at most --concurrency parallel requests', async () => {
    const open = await new Registry().start();
    const paths = Array.from({ length: 20 }, (_, count) => `a/p${count}`);
    for (const path of paths) open.push(path, 'v1.0.0', image);
    const source = await openSources(sourceArgs(undefined, { concurrency: 2 }), fakeIo({ cwd }));
    await Promise.all(paths.map((path) => source.tags(`${open.host}/${path}`, target)));
    expect(open.log).toHaveLength(20);
    expect(open.mostConnections).toBeLessThanOrEqual(2 + 1);
    await open.stop();
  });

  test('ImageConfigs among the inputs define where to pull from', async () => {
    const object = {
      kind: 'ImageConfig',
      metadata: { name: 'mirror' },
      spec: {
        matchImages: [{ prefix: 'xpkg.io' }],
        rewriteImage: { prefix: registry.host },
      },
    };
    const kept = [{ object, origin: { file: 'x.yaml' } }];
    const more = { pullSecret: ['secret.json'] };
    const source = await openSources(sourceArgs(['registry'], more), fakeIo({ cwd }), kept);
    expect(await source.tags(P, target)).toEqual(['v1.0.0']);
  });

  test.each([
    { more: { insecureRegistry: ['http://a.io'] }, why: 'a URL is not a host' },
    { more: { pullSecret: ['nowhere.yaml'] }, why: 'a missing secret' },
  ])('usage error: $why', async ({ more }) => {
    const opening = openSources(sourceArgs(undefined, more), fakeIo({ cwd }));
    await expect(opening).rejects.toBeInstanceOf(InputError);
  });
});
