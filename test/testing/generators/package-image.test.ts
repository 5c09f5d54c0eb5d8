import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { targetFor } from '../../../src/crossplane/releases/target.js';
import { sha256 } from '../../../src/base/digest.js';
import { parseManifest } from '../../../src/oci/image/manifest.js';
import { fetchImage } from '../../../src/sources/images/fetch-image.js';
import {
  builtImage,
  imageRepository,
  packageImage,
  type ImageKnobs,
  type ImagePlan,
} from '../../../src/testing/generators/package-image.js';

const SEED = 17;
const TARGETS = ['v1.20.0', 'v2.3.4'].map((version) => targetFor(version)!);

test('the package is read completely from every image structure', async () => {
  const read = fc.asyncProperty(
    packageImage(),
    fc.constantFrom(...TARGETS),
    async (plan, target) => {
      const image = await builtImage(plan);
      const repository = imageRepository('registry.acme.io/p', new Map([['v1.0.0', image]]));
      const fetched = await fetchImage(repository, 'v1.0.0', target);
      const { meta, objects } = plan.stream;
      const isRead = plan.compression === 'gzip' || !target.rules.gzipLayersOnly;
      // Some blobs are expected to be equal to those built from a folder.
      const isKept = isRead || fetched?.unreadable !== undefined;
      expect(fetched).toMatchObject({
        digest: image.top.digest,
        contents: { metas: [meta], objects, problems: isKept ? [] : [{}] },
      });
      expect(fetched?.baseLayer === undefined).toBe(plan.base !== 'annotated');
      expect(fetched?.manifest === undefined).toBe(plan.index === undefined);
    },
  );
  await fc.assert(read, { seed: SEED, numRuns: 60 });
});

test('equal plans give equal bytes with their digests', async () => {
  for (const plan of fc.sample(packageImage(), { numRuns: 20, seed: SEED })) {
    const image = await builtImage(plan);
    expect(await builtImage(plan)).toEqual(image);
    for (const { digest, bytes } of [...image.manifests, ...image.blobs])
      expect(digest).toBe(sha256(bytes));
    expect(parseManifest(image.top, 'it').kind).toBe(plan.index ? 'index' : 'image');
  }
});

function sample(knobs: Partial<ImageKnobs>): ImagePlan[] {
  return fc.sample(packageImage(knobs), { numRuns: 100, seed: SEED });
}

describe('each parameter has an effect', () => {
  const PEACE = { indexes: 0, labelled: 0, unmarked: 0 };
  const cases: readonly [keyof typeof PEACE, (plan: ImagePlan) => boolean][] = [
    ['indexes', ({ index }) => index !== undefined],
    ['labelled', ({ base }) => base === 'labelled'],
    ['unmarked', ({ base }) => base === 'unmarked'],
  ];
  test.each(cases)('%s', (knob, holds) => {
    expect(sample(PEACE).filter(holds)).toHaveLength(0);
    expect(sample({ ...PEACE, [knob]: 0.5 }).filter(holds).length).toBeGreaterThan(20);
  });
});

test('a failing image shrinks to a single layer without an index', () => {
  const { counterexample } = fc.check(
    fc.property(packageImage(), ({ stream }) => stream.objects.length === 0),
    { seed: SEED },
  );
  expect(counterexample![0]).toMatchObject({ base: 'annotated', others: [], index: undefined });
});
