import pLimit from 'p-limit';
import type { IndexFile } from '../../model/index-file.js';
import type { Repository } from '../../model/package.js';
import { byCodePoint } from '../../text/code-point-order.js';
import { partsArtifact } from './parts-artifact.js';
import { TABLES, type PackageRef } from './parts-format.js';
import type { PartsSnapshot } from './parts-snapshot.js';
import { PartsTree, type Parts, type PartsBefore } from './parts-tree.js';
import type { HeldIndex, Refreshed } from './refresh.js';
import { requiredHashes } from './required-hashes.js';

/** Parts that are read at once. */
const PARTS_AT_ONCE = 8;

/** An index in one file. */
export function heldInFile({ packages }: IndexFile): HeldIndex {
  return {
    repositories: async () => Object.keys(packages).sort(byCodePoint),
    package: async (repository) =>
      Object.hasOwn(packages, repository) ? packages[repository] : undefined,
  };
}

/** An index in parts, one state of it. */
export function heldInParts(snapshot: PartsSnapshot): HeldIndex {
  return {
    repositories: () => snapshot.repositories(),
    package: async (repository) => (await snapshot.package(repository))?.packages[repository],
  };
}

/** All of an index, as parts. */
export async function partsOf({ packages }: IndexFile): Promise<Parts> {
  const tree = new PartsTree();
  for (const [repository, after] of Object.entries(packages)) {
    await tree.change({ repository, before: undefined, after });
  }
  return tree.finish();
}

/** A state with some packages changed. */
export async function changedParts(
  snapshot: PartsSnapshot,
  changes: readonly Refreshed[],
): Promise<Parts> {
  const tree = new PartsTree(await stateOf(snapshot));
  for (const change of changes) await tree.change(change);
  return tree.finish();
}

async function stateOf(snapshot: PartsSnapshot): Promise<PartsBefore> {
  return {
    packages: snapshot.isHinted ? await snapshot.packages() : await hintedNow(snapshot),
    groups: await snapshot.groups(),
    words: await snapshot.words(),
    group: async (name) => (await snapshot.group(name))!,
  };
}

/** Of an index from before there were hints, with what its parts say that packages require. */
async function hintedNow(snapshot: PartsSnapshot): Promise<ReadonlyMap<Repository, PackageRef>> {
  const limit = pLimit(PARTS_AT_ONCE);
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
 * What of a state does not follow from its packages, in words. Everything is read: what is damaged
 * or missing is a `SourceError`.
 */
export async function untruths(snapshot: PartsSnapshot): Promise<readonly string[]> {
  const tree = new PartsTree(undefined, { hinted: snapshot.isHinted });
  for (const [repository, ref] of await snapshot.packages()) {
    const index = await snapshot.packageAt(repository, ref);
    await tree.change({ repository, before: undefined, after: index.packages[repository] });
  }
  for (const group of (await snapshot.groups()).keys()) await snapshot.group(group);
  await snapshot.words();
  await snapshot.frame({ all: true });
  const made = tree.finish();
  const tables = TABLES.filter(
    (name) => made.tables[name].digest !== snapshot.tables[name].digest,
  ).map((name) => `its table of ${name}`);
  if (made.required?.digest !== snapshot.required?.digest) {
    tables.push('its list of packages that others require');
  }
  if (tables.length > 0) return tables;
  return partsArtifact(made).manifest.digest === snapshot.digest ? [] : ['what its manifests list'];
}
