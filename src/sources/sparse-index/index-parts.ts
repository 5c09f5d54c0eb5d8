import pLimit from 'p-limit';
import type { IndexFile } from '../index/index-file.js';
import type { Repository } from '../../crossplane/packages/package.js';
import { byCodePoint } from '../../base/collections.js';
import { sparseIndexArtifact } from './artifact.js';
import { type PackageRef, requiredHashes, TABLES } from './format.js';
import type { SparseIndexSnapshot } from './snapshot.js';
import { SparseIndexBuilder, type Parts, type PreviousParts } from './tree.js';
import type { ReadableIndex, RefreshedPackage } from '../index/refresh.js';

/** Maximum number of parts that are read in parallel. */
const MAX_PARALLEL_READS = 8;

/** Returns an index in one file. */
export function fileIndex({ packages }: IndexFile): ReadableIndex {
  return {
    repositories: async () => Object.keys(packages).sort(byCodePoint),
    package: async (repository) =>
      Object.hasOwn(packages, repository) ? packages[repository] : undefined,
  };
}

/** Returns one state of a sparse index. */
export function sparseIndex(snapshot: SparseIndexSnapshot): ReadableIndex {
  return {
    repositories: () => snapshot.repositories(),
    package: async (repository) => (await snapshot.package(repository))?.packages[repository],
  };
}

/** Builds the parts of a whole index. */
export async function buildParts({ packages }: IndexFile): Promise<Parts> {
  const tree = new SparseIndexBuilder();
  for (const [repository, after] of Object.entries(packages)) {
    await tree.change({ repository, before: undefined, after });
  }
  return tree.finish();
}

/** Builds the parts of a state after changes to some packages. */
export async function changedParts(
  snapshot: SparseIndexSnapshot,
  changes: readonly RefreshedPackage[],
): Promise<Parts> {
  const tree = new SparseIndexBuilder(await treeState(snapshot));
  for (const change of changes) await tree.change(change);
  return tree.finish();
}

async function treeState(snapshot: SparseIndexSnapshot): Promise<PreviousParts> {
  return {
    packages: snapshot.hasHints ? await snapshot.packages() : await withHints(snapshot),
    groups: await snapshot.groups(),
    words: await snapshot.words(),
    group: async (name) => (await snapshot.group(name))!,
  };
}

/** Computes the hints of an older index without them from its package parts. */
async function withHints(
  snapshot: SparseIndexSnapshot,
): Promise<ReadonlyMap<Repository, PackageRef>> {
  const limit = pLimit(MAX_PARALLEL_READS);
  const refs = await Promise.all(
    [...(await snapshot.packages())].map(([repository, ref]) =>
      limit(async () => {
        const { packages } = await snapshot.packageAt(repository, ref);
        return [repository, { ...ref, requires: requiredHashes(packages[repository]!) }] as const;
      }),
    ),
  );
  return new Map(refs);
}

/**
 * Returns descriptions of everything in a state that does not match its packages. Reads everything;
 * throws a `SourceError` for damaged or missing parts.
 */
export async function inconsistencies(snapshot: SparseIndexSnapshot): Promise<readonly string[]> {
  const tree = new SparseIndexBuilder(undefined, { hinted: snapshot.hasHints });
  for (const [repository, ref] of await snapshot.packages()) {
    const index = await snapshot.packageAt(repository, ref);
    await tree.change({ repository, before: undefined, after: index.packages[repository] });
  }
  for (const group of (await snapshot.groups()).keys()) await snapshot.group(group);
  await snapshot.words();
  await snapshot.structureDigests({ all: true });
  const made = tree.finish();
  const tables = TABLES.filter(
    (name) => made.tables[name].digest !== snapshot.tables[name].digest,
  ).map((name) => `its table of ${name}`);
  if (made.required?.digest !== snapshot.required?.digest) {
    tables.push('its list of packages that others require');
  }
  if (tables.length > 0) return tables;
  return sparseIndexArtifact(made).manifest.digest === snapshot.digest
    ? []
    : ['what its manifests list'];
}
