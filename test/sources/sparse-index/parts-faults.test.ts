import { expect, test } from 'vitest';
import { manifestMediaType } from '../../../src/oci/image/manifest.js';
import type { IndexFile } from '../../../src/sources/index/index-file.js';
import { SourceError } from '../../../src/base/errors.js';
import { targetFor } from '../../../src/crossplane/releases/target.js';
import { buildParts, sparseIndexArtifact } from '../../../src/sources/sparse-index/index-parts.js';
import { SparseIndexSnapshot } from '../../../src/sources/sparse-index/snapshot.js';
import { sparseIndexSource } from '../../../src/sources/sparse-index/sparse-index-source.js';
import { recordFigure } from '../../support/figures.js';
import { withRegistry } from '../../support/registry/client.js';
import { FAULTS } from '../../support/registry/fault-list.js';
import type { Fault } from '../../support/registry/registry.js';

const target = targetFor('v2.3.4')!;
const INDEX: IndexFile = {
  packages: {
    'a.io/p': { kind: 'Provider', versions: { 'v1.0.0': { crds: ['rs.g.example.org'] } } },
    'a.io/q': { kind: 'Provider', versions: { 'v2.0.0': { crds: ['rs.g.example.org'] } } },
  },
};
const { manifest, manifests = [], blobs } = sparseIndexArtifact(await buildParts(INDEX));

/** Returns the answers or the error, with `fault` at path number `at` on every request. */
async function outcome(fault: Fault | undefined, at: number) {
  let said = '';
  const paths: string[] = [];
  const faulty: Fault = (request, response, registry) => {
    if (!paths.includes(request.path)) paths.push(request.path);
    if (fault === undefined || paths.indexOf(request.path) !== at) return false;
    return fault(request, response, registry);
  };
  await withRegistry({ faults: [faulty] }, async ({ registry, repository }) => {
    const held = (stored: typeof manifest) => ({ ...stored, mediaType: manifestMediaType(stored) });
    registry.push('team/index', 'v1', {
      ...held(manifest),
      manifests: manifests.map(held),
      blobs: [...blobs].map(([digest, bytes]) => ({ digest, bytes })),
    });
    try {
      const images = repository('team/index');
      const top = await images.manifest('v1');
      if (top === undefined) throw new SourceError('BAD_SOURCE', 'v1', 'not there');
      const source = sparseIndexSource(await SparseIndexSnapshot.open(images, top, 'it'));
      const answers = [
        await source.tags('a.io/p', target),
        await source.tags('a.io/none', target),
        await source.fetch({ repository: 'a.io/q', version: 'v2.0.0' }, target),
        await source.owners!({ crd: 'rs.g.example.org' }, target),
        await source.repositories!('rs'),
      ];
      said = JSON.stringify(answers);
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      said = 'the source failed';
    }
  });
  return { said, asked: paths.length };
}

const right = await outcome(undefined, 0);

test('without a fault, all answers are correct', () => {
  expect(right.said).toContain('v2.0.0');
  expect(right.asked).toBeGreaterThan(8);
});

test.each(Object.entries(FAULTS))(
  'with %s at any request for a part, the answers are correct or the source fails',
  async (_, fault) => {
    recordFigure('faults of a registry, each at every request', { tried: right.asked });
    for (let at = 0; at < right.asked; at++) {
      const { said } = await outcome(fault, at);
      expect([right.said, 'the source failed']).toContain(said);
    }
  },
);
