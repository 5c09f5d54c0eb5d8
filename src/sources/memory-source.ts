import { byCodePoint } from '../base/collections.js';
import type { IndexFile, IndexPackage, IndexVersion } from './index/index-file.js';
import { type Digest, isDigest } from '../base/digest.js';
import type { FetchedPackage, Owner, PackageSource } from './package-source.js';
import type { CrdRef } from '../crossplane/packages/crd-ref.js';
import { createsCrd } from '../crossplane/packages/owned-objects.js';
import type { ReleaseRules } from '../crossplane/releases/target.js';
import { indexedContents } from './index/index-entry.js';
import { parsedTable, type IndexTable } from './index/index-table.js';

/** Returns a source for an index in memory. Entries are converted on demand. */
export function memorySource(index: IndexFile): PackageSource {
  return tableSource(parsedTable(index));
}

/** Returns a source for the packages of an index. */
export function tableSource(table: IndexTable): PackageSource {
  return {
    async tags(repository) {
      const versions = table.get(repository)?.versions;
      return versions && Object.keys(versions).filter((version) => !isDigest(version));
    },
    async fetch({ repository, version }) {
      const indexed = table.get(repository);
      const entry = indexed && entryOf(indexed, version);
      return entry && fetchedPackage(entry, version, indexedContents(entry, repository, indexed));
    },
    async released({ repository, version }) {
      const indexed = table.get(repository);
      const entry = indexed && entryOf(indexed, version);
      return entry && { created: entry.created, firstSeen: entry.firstSeen };
    },
    async owners(demand, target) {
      const owners: Owner[] = [];
      for (const [repository, indexed] of table.candidates(
        'crd' in demand ? demand.crd : undefined,
      )) {
        const versions = versionsOwning(demand, repository, indexed, target);
        if (versions.length > 0) owners.push({ repository, versions });
      }
      return owners;
    },
    async repositories() {
      return table.repositories();
    },
  };
}

function entryOf({ versions }: IndexPackage, version: string): IndexVersion | undefined {
  if (Object.hasOwn(versions, version)) return versions[version];
  if (!isDigest(version)) return undefined;
  const tags = Object.keys(versions).filter((tag) => versions[tag]!.digest === version);
  const first = tags.sort(byCodePoint)[0];
  return first === undefined ? undefined : versions[first];
}

function fetchedPackage(
  entry: IndexVersion,
  version: string,
  contents: FetchedPackage['contents'],
): FetchedPackage {
  return {
    contents,
    digest: asDigest(entry.digest) ?? asDigest(version),
    manifest: asDigest(entry.manifest),
    baseLayer: asDigest(entry.baseLayer),
    packageYaml: asDigest(entry.packageYaml),
  };
}

function asDigest(text: string | undefined): Digest | undefined {
  return text !== undefined && isDigest(text) ? text : undefined;
}

function versionsOwning(
  demand: CrdRef,
  repository: string,
  indexed: IndexPackage,
  target: ReleaseRules,
): string[] {
  return Object.keys(indexed.versions)
    .filter((version) => {
      const entry = indexed.versions[version]!;
      return (
        mayOwn(entry, demand) &&
        createsCrd(indexedContents(entry, repository, indexed), demand, target)
      );
    })
    .sort(byCodePoint);
}

/** Excludes most entries before their contents are built: an index may list 100,000 CRDs. */
function mayOwn(entry: IndexVersion, demand: CrdRef): boolean {
  if (entry.xrds !== undefined || entry.objects !== undefined) return true;
  return 'crd' in demand
    ? (entry.crds?.includes(demand.crd) ?? false)
    : entry.defines !== undefined;
}
