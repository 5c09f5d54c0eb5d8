import type { Artifact } from '../../../src/oci/image/artifact.js';
import type { IndexFile } from '../../../src/sources/index/index-file.js';
import { targetFor } from '../../../src/crossplane/releases/target.js';
import {
  buildParts,
  sparseIndexArtifact,
  type Part,
  type Parts,
} from '../../../src/sources/sparse-index/index-parts.js';
import { sparseIndexSource } from '../../../src/sources/sparse-index/sparse-index-source.js';
import { MemoryArtifact } from '../../support/held-parts.js';
import type { HostileReader } from '../reader.js';

const TARGET = targetFor('v2.3.4')!;
const INDEX: IndexFile = {
  packages: {
    'a.io/x/p': {
      kind: 'Provider',
      versions: {
        'v1.0.0': { crds: ['rs.g.example.org'], created: '2026-01-01T00:00:00Z' },
        'v1.1.0': { dependsOn: [{ provider: 'a.io/x/q', version: '>=v1.0.0' }] },
      },
    },
    'a.io/x/q': { kind: 'Provider', versions: { 'v2.0.0': { crds: ['ss.g.example.org'] } } },
  },
};

/** A registry whose publisher chooses the bytes of every digest in the index. */
class ForgedParts extends MemoryArtifact {
  readonly #forged: ReadonlyMap<string, Uint8Array>;

  constructor(artifact: Artifact, forged: ReadonlyMap<string, Uint8Array>) {
    super(artifact);
    this.#forged = forged;
  }

  override async blob(expected: { readonly digest: string; readonly size: number }) {
    return this.#forged.get(expected.digest) ?? super.blob(expected);
  }
}

/** Returns a reader for each kind of file in a sparse index, with mutated bytes of that file. */
export async function sparseIndexReaders(): Promise<readonly HostileReader[]> {
  const parts = await buildParts(INDEX);
  const artifact = sparseIndexArtifact(parts);
  return [
    ...forgedFiles(parts).map(({ title, digest }): HostileReader => ({
      name: `sparse index: ${title}`,
      form: 'json',
      seeds: [parts.bytes.get(digest)!],
      place: 'the index',
      read: (input) => everythingIn(new ForgedParts(artifact, new Map([[digest, input]]))),
    })),
    {
      name: 'sparse index: manifest',
      form: 'json',
      seeds: [artifact.manifest.bytes],
      read: (input) => {
        const manifest = { ...artifact.manifest, bytes: input };
        return everythingIn(new ForgedParts({ ...artifact, manifest }, new Map()));
      },
    },
  ];
}

/** Returns one file of each kind. */
function forgedFiles({ tables, required, others }: Parts): readonly Part[] {
  const wanted = ['lookup/packages/', 'lookup/groups/', 'lookup/words/', 'packages/', 'groups/'];
  return [
    tables.packages,
    required!,
    ...wanted.map((start) => others.find(({ title }) => title.startsWith(start))!),
  ];
}

async function everythingIn(held: MemoryArtifact): Promise<unknown> {
  const snapshot = await held.open();
  const source = sparseIndexSource(snapshot);
  return [
    await source.tags('a.io/x/p', TARGET),
    await source.tags('a.io/x/none', TARGET),
    await source.fetch({ repository: 'a.io/x/p', version: 'v1.1.0' }, TARGET),
    await source.fetch({ repository: 'a.io/x/q', version: 'v2.0.0' }, TARGET),
    await source.owners!({ crd: 'rs.g.example.org' }, TARGET),
    await source.repositories!('rs'),
    [...(await snapshot.packages())],
    [...(await snapshot.groups())],
    [...(await snapshot.words())],
    [...(await snapshot.structureDigests({ all: true }))],
  ];
}
