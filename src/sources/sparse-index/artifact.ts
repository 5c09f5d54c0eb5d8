import {
  type Artifact,
  EMPTY_CONFIG,
  type ListedBlob,
  buildArtifactIndex,
  buildArtifactManifest,
} from '../../oci/image/artifact.js';
import type { StoredManifest } from '../../oci/image/image-repository.js';
import { sha256, type Digest } from '../../base/digest.js';
import { TABLES, bucketBits, groupByBucket } from './format.js';
import type { Part, Parts } from './tree.js';

/** Maximum size of a manifest. Registries reject manifests of about four times this size. */
export const MAX_MANIFEST_BYTES = 1_000_000;
/** Approximate layers per manifest. Three times as many would still be readable. */
const LAYERS_PER_MANIFEST = 320;
/** Maximum manifests per index; larger sets are nested. */
const MANIFESTS_PER_INDEX = 512;

const PART_TYPE: Readonly<Record<Part['kind'], string>> = {
  package: 'application/vnd.xpkg-resolve.index.package.v1+json',
  group: 'application/vnd.xpkg-resolve.index.group.v1+json',
  node: 'application/vnd.xpkg-resolve.index.node.v1+json',
  table: 'application/vnd.xpkg-resolve.index.table.v1+json',
};

/**
 * Builds the artifact of a sparse index. The top manifest refers to two others: one with the
 * tables, which is all that a client must read, and one that refers to all other parts, so that
 * registries do not garbage-collect them and other tools can copy the artifact.
 */
export function sparseIndexArtifact(parts: Parts): Artifact {
  const manifests = new Map<Digest, StoredManifest>();
  const keep = (manifest: StoredManifest) => {
    manifests.set(manifest.digest, manifest);
    return manifest;
  };
  const tables = keep(
    buildArtifactManifest(
      'tables',
      [
        ...TABLES.map((name) => parts.tables[name]),
        ...(parts.required ? [parts.required] : []),
      ].map(listedBlob),
    ),
  );
  const rest = keep(rootManifest(parts.others, keep));
  const top = buildArtifactIndex('parts', [
    // Older indexes have neither a list of required packages nor an embedded manifest.
    { type: 'tables', manifest: tables, embedded: parts.required !== undefined },
    { type: 'rest', manifest: rest },
  ]);
  return {
    manifest: top,
    manifests: [...manifests.values()],
    blobs: new Map([[sha256(EMPTY_CONFIG), EMPTY_CONFIG], ...parts.bytes]),
  };
}

/** Groups parts into manifests by the hash of their title, so that new parts do not move others. */
function rootManifest(
  parts: readonly Part[],
  keep: (manifest: StoredManifest) => StoredManifest,
): StoredManifest {
  const byTitle = new Map(parts.map((part) => [part.title, part]));
  for (let bits = bucketBits(byTitle.size, LAYERS_PER_MANIFEST); ; bits += 1) {
    const leaves = groupByBucket(byTitle.keys(), bits)
      .filter((titles) => titles.length > 0)
      .map((titles) =>
        buildArtifactManifest(
          'rest',
          titles.map((title) => listedBlob(byTitle.get(title)!)),
        ),
      );
    if (leaves.some(({ bytes }) => bytes.length > MAX_MANIFEST_BYTES)) continue;
    return nestedIndexes(leaves.map(keep), keep);
  }
}

function nestedIndexes(
  manifests: readonly StoredManifest[],
  keep: (manifest: StoredManifest) => StoredManifest,
): StoredManifest {
  if (manifests.length <= MANIFESTS_PER_INDEX) return indexOf(manifests);
  const above: StoredManifest[] = [];
  for (let at = 0; at < manifests.length; at += MANIFESTS_PER_INDEX) {
    above.push(keep(indexOf(manifests.slice(at, at + MANIFESTS_PER_INDEX))));
  }
  return nestedIndexes(above, keep);
}

function indexOf(manifests: readonly StoredManifest[]): StoredManifest {
  return buildArtifactIndex(
    'rest',
    manifests.map((manifest) => ({ type: 'rest', manifest })),
  );
}

function listedBlob({ title, kind, digest, size }: Part): ListedBlob {
  return { title, mediaType: PART_TYPE[kind], digest, size };
}
