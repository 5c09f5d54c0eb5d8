import type { Artifact } from '../../image/artifact.js';
import {
  EMPTY,
  manifestOf,
  manifestIndexOf,
  type ListedBlob,
} from '../../image/artifact-manifests.js';
import type { StoredManifest } from '../../image/image-repository.js';
import { sha256, type Digest } from '../../text/digest.js';
import { TABLES, bucketBits, inBuckets } from './parts-format.js';
import type { Part, Parts } from './parts-tree.js';

/** Of a manifest. Registries refuse what is larger than about four times this. */
export const MAX_MANIFEST_BYTES = 1_000_000;
/** Layers of a manifest, about: with three times as many it would still be read. */
const LAYERS_PER_MANIFEST = 320;
/** Manifests that an index of them names; more are named by indexes of their own. */
const MANIFESTS_PER_INDEX = 512;

const PART_TYPE: Readonly<Record<Part['kind'], string>> = {
  package: 'application/vnd.xpkg-resolve.index.package.v1+json',
  group: 'application/vnd.xpkg-resolve.index.group.v1+json',
  node: 'application/vnd.xpkg-resolve.index.node.v1+json',
  table: 'application/vnd.xpkg-resolve.index.table.v1+json',
};

/**
 * An index in parts as a registry keeps it. The top names two manifests: one with the tables, which
 * is all that a client has to read of it, and one that leads to every other part, so that no
 * registry takes a part for garbage and other tools can copy or pull the whole.
 */
export function partsArtifact(parts: Parts): Artifact {
  const manifests = new Map<Digest, StoredManifest>();
  const keep = (manifest: StoredManifest) => {
    manifests.set(manifest.digest, manifest);
    return manifest;
  };
  const tables = keep(
    manifestOf(
      'tables',
      [
        ...TABLES.map((name) => parts.tables[name]),
        ...(parts.required ? [parts.required] : []),
      ].map(listed),
    ),
  );
  const rest = keep(topOf(parts.others, keep));
  const top = manifestIndexOf('parts', [
    // Indexes from before there was a list of required packages had no manifest embedded either.
    { type: 'tables', manifest: tables, embedded: parts.required !== undefined },
    { type: 'rest', manifest: rest },
  ]);
  return {
    manifest: top,
    manifests: [...manifests.values()],
    blobs: new Map([[sha256(EMPTY), EMPTY], ...parts.bytes]),
  };
}

/** Manifests for all parts, by the hash of a part's title: a part that is added moves no other. */
function topOf(
  parts: readonly Part[],
  keep: (manifest: StoredManifest) => StoredManifest,
): StoredManifest {
  const byTitle = new Map(parts.map((part) => [part.title, part]));
  for (let bits = bucketBits(byTitle.size, LAYERS_PER_MANIFEST); ; bits += 1) {
    const leaves = inBuckets(byTitle.keys(), bits)
      .filter((titles) => titles.length > 0)
      .map((titles) =>
        manifestOf(
          'rest',
          titles.map((title) => listed(byTitle.get(title)!)),
        ),
      );
    if (leaves.some(({ bytes }) => bytes.length > MAX_MANIFEST_BYTES)) continue;
    return indexOver(leaves.map(keep), keep);
  }
}

function indexOver(
  manifests: readonly StoredManifest[],
  keep: (manifest: StoredManifest) => StoredManifest,
): StoredManifest {
  if (manifests.length <= MANIFESTS_PER_INDEX) return indexNaming(manifests);
  const above: StoredManifest[] = [];
  for (let at = 0; at < manifests.length; at += MANIFESTS_PER_INDEX) {
    above.push(keep(indexNaming(manifests.slice(at, at + MANIFESTS_PER_INDEX))));
  }
  return indexOver(above, keep);
}

function indexNaming(manifests: readonly StoredManifest[]): StoredManifest {
  return manifestIndexOf(
    'rest',
    manifests.map((manifest) => ({ type: 'rest', manifest })),
  );
}

function listed({ title, kind, digest, size }: Part): ListedBlob {
  return { title, mediaType: PART_TYPE[kind], digest, size };
}
