import { byCodePoint } from '../text/code-point-order.js';
import type { IndexFile, IndexPackage, IndexVersion } from '../model/index-file.js';
import { type Digest, isDigest } from '../text/digest.js';
import type { FetchedPackage, Owner, PackageSource } from '../model/package-source.js';
import type { CrdDemand } from '../model/crd-demand.js';
import type { Target } from '../model/target/target.js';
import { bringsCrd } from '../admission/owned.js';
import { contentsOf } from './index/index-contents.js';
import { parsedTable, type IndexTable } from './index/index-table.js';

/** A source over an index in memory; an entry is read when its version is asked for. */
export function memorySource(index: IndexFile): PackageSource {
  return tableSource(parsedTable(index));
}

/** A source over the packages of an index. */
export function tableSource(table: IndexTable): PackageSource {
  return {
    async tags(repository) {
      const versions = table.get(repository)?.versions;
      return versions && Object.keys(versions).filter((version) => !isDigest(version));
    },
    async fetch({ repository, version }) {
      const held = table.get(repository);
      const entry = held && entryOf(held, version);
      return entry && fetched(entry, version, contentsOf(entry, repository, held));
    },
    async released({ repository, version }) {
      const held = table.get(repository);
      const entry = held && entryOf(held, version);
      return entry && { created: entry.created, firstSeen: entry.firstSeen };
    },
    async owners(demand, target) {
      const owners: Owner[] = [];
      for (const [repository, held] of table.candidates('crd' in demand ? demand.crd : undefined)) {
        const versions = versionsOwning(demand, repository, held, target);
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

function fetched(
  entry: IndexVersion,
  version: string,
  contents: FetchedPackage['contents'],
): FetchedPackage {
  return {
    contents,
    digest: digest(entry.digest) ?? digest(version),
    manifest: digest(entry.manifest),
    baseLayer: digest(entry.baseLayer),
    packageYaml: digest(entry.packageYaml),
  };
}

function digest(text: string | undefined): Digest | undefined {
  return text !== undefined && isDigest(text) ? text : undefined;
}

function versionsOwning(
  demand: CrdDemand,
  repository: string,
  held: IndexPackage,
  target: Target,
): string[] {
  return Object.keys(held.versions)
    .filter((version) => {
      const entry = held.versions[version]!;
      return (
        mayMeet(entry, demand) && bringsCrd(contentsOf(entry, repository, held), demand, target)
      );
    })
    .sort(byCodePoint);
}

/** Rules most entries out before their contents are built: an index may list 100,000 CRDs. */
function mayMeet(entry: IndexVersion, demand: CrdDemand): boolean {
  if (entry.xrds !== undefined || entry.objects !== undefined) return true;
  return 'crd' in demand
    ? (entry.crds?.includes(demand.crd) ?? false)
    : entry.defines !== undefined;
}
