import { describe, expect, test } from 'vitest';
import { fetchImage } from '../../../src/sources/images/fetch-image.js';
import { targetFor } from '../../../src/crossplane/releases/target.js';
import { imageOf, type Layer, type TarEntry } from '../../support/registry/image.js';
import { MemoryRepository } from '../../support/registry/memory-repository.js';
import { file, marked, plain } from '../../support/registry/reading.js';

const app = (title: string) => file('.registry/app.yaml', `title: ${title}\n`);
const crd = (name: string, path = name) =>
  file(
    `.registry/resources/${path}.crd.yaml`,
    `apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\nmetadata: {name: ${name}.example.org}\nspec: {group: example.org, names: {kind: ${name}}, version: v1}\n`,
  );
const PACKAGE = file(
  'package.yaml',
  'apiVersion: meta.pkg.crossplane.io/v1\nkind: Provider\nmetadata: {name: today}\n',
);

async function read(layers: readonly Layer[], version: string) {
  const fetched = await fetchImage(
    new MemoryRepository(imageOf(layers)),
    'v1',
    targetFor(version)!,
  );
  const { metas, objects, problems } = fetched!.contents;
  return {
    name: metas[0]?.name,
    owns: objects.map(({ name }) => name.split('.')[0]),
    problem: problems[0]?.message,
    packageYaml: fetched!.packageYaml,
  };
}

describe.each(['v1.20.0', 'v2.3.4'])('an image without package.yaml, on %s', (version) => {
  test.each<{
    why: string;
    layers: readonly (readonly TarEntry[])[];
    name?: string;
    owns?: readonly string[];
  }>([
    {
      why: 'in one layer',
      layers: [[app('a'), crd('bs'), crd('cs')]],
      name: 'a',
      owns: ['bs', 'cs'],
    },
    {
      why: 'in several, of which the upper one wins',
      layers: [[app('low'), crd('bs')], [app('high'), file('bin/controller')], [crd('cs')]],
      name: 'high',
      owns: ['bs', 'cs'],
    },
    {
      why: 'a whiteout takes a file away',
      layers: [[app('a'), crd('bs'), crd('cs')], [file('.registry/resources/.wh.bs.crd.yaml', '')]],
      name: 'a',
      owns: ['cs'],
    },
    {
      why: 'a whiteout takes the folder away',
      layers: [[app('a'), crd('bs')], [file('.wh..registry', '')]],
    },
    {
      why: 'package.yaml hidden by an upper layer does not count',
      layers: [[PACKAGE, app('a')], [file('.wh.package.yaml', '')]],
      name: 'a',
      owns: [],
    },
    {
      why: 'names are cleaned',
      layers: [[{ ...app('a'), name: './.registry/app.yaml' }]],
      name: 'a',
      owns: [],
    },
    {
      why: 'a link is no file',
      layers: [
        [{ name: '.registry/app.yaml', type: 'symlink', linkname: '/etc/passwd' }, crd('bs')],
      ],
      owns: ['bs'],
    },
  ])('$why', async ({ layers, name, owns = [] }) => {
    const got = await read(await Promise.all(layers.map((each) => plain(...each))), version);
    expect(got).toMatchObject({ name, owns, packageYaml: undefined });
    expect(got.problem === undefined).toBe(name !== undefined);
  });

  test('with a legacy package, reads it', async () => {
    const layers = [await plain(app('a'), crd('bs')), await plain(PACKAGE)];
    expect(await read(layers, version)).toMatchObject({ name: 'today', owns: [] });
    expect(await read(layers.toReversed(), version)).toMatchObject({ name: 'today', owns: [] });
  });

  test('with a base layer without one, is refused', async () => {
    const got = await read([await plain(app('a')), await marked(file('x'))], version);
    expect(got).toMatchObject({ name: undefined, problem: /marked as base holds no package.yaml/ });
  });

  test('a duplicate file is an integrity failure', async () => {
    const layers = [await plain(app('a'), app('b'))];
    await expect(read(layers, version)).rejects.toMatchObject({ code: 'BAD_IMAGE' });
  });
});
