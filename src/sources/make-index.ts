import { byCodePoint } from '../model/code-point-order.js';
import type { IndexFile, IndexPackage } from '../model/index-file.js';
import type { Repository } from '../model/package.js';
import type { FetchedPackage, PackageSource } from '../model/package-source.js';
import type { Target } from '../model/target.js';
import { indexEntry, onlyMeta } from './index-entry.js';

/**
 * Everything a source holds of some repositories; those it does not know are left out, and so is
 * what no tag names.
 */
export async function makeIndex(
  source: PackageSource,
  repositories: readonly Repository[],
  target: Target,
): Promise<IndexFile> {
  const packages: [string, IndexPackage][] = [];
  for (const repository of [...new Set(repositories)].sort(byCodePoint)) {
    const tags = await source.tags(repository, target);
    if (tags === undefined) continue;
    const fetched = await Promise.all(
      tags.toSorted(byCodePoint).map(async (version) => {
        return { version, found: await source.fetch({ repository, version }, target) };
      }),
    );
    packages.push([repository, packageEntry(repository, fetched)]);
  }
  return { packages: Object.fromEntries(packages) };
}

interface Fetched {
  readonly version: string;
  readonly found: FetchedPackage | undefined;
}

function packageEntry(repository: string, fetched: readonly Fetched[]): IndexPackage {
  const kind = kindOf(fetched);
  const versions = fetched.flatMap(({ version, found }) =>
    found ? [[version, indexEntry(found, repository, kind)] as const] : [],
  );
  return { kind, versions: Object.fromEntries(versions) };
}

/** The first version that has one decides; a version of another kind says so in its entry. */
function kindOf(fetched: readonly Fetched[]): string {
  for (const { found } of fetched) {
    const meta = found && onlyMeta(found.contents);
    if (meta !== undefined) return meta.kind;
  }
  return 'Unknown';
}

/** An index as text: sorted, a version a line, the same bytes for the same index. */
export function formatIndex({ packages }: IndexFile): string {
  const blocks = Object.keys(packages)
    .sort(byCodePoint)
    .map((repository) => formatPackage(repository, packages[repository]!));
  return `{"packages":{${blocks.join(',')}\n}}\n`;
}

function formatPackage(repository: string, { kind, versions }: IndexPackage): string {
  const lines = Object.keys(versions)
    .sort(byCodePoint)
    .map((version) => `\n${JSON.stringify(version)}:${JSON.stringify(versions[version])}`);
  const key = JSON.stringify(repository);
  return `\n${key}:{"kind":${JSON.stringify(kind)},"versions":{${lines.join(',')}\n}}`;
}
