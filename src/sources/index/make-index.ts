import { byCodePoint } from '../../base/collections.js';
import { DOT_REGISTRY, DOT_REGISTRY_API } from '../../crossplane/legacy/dot-registry.js';
import type { IndexFile, IndexPackage } from './index-file.js';
import type { Candidate, Released, Repository } from '../../crossplane/packages/package.js';
import type { FetchedPackage, PackageSource } from '../package-source.js';
import { isAttachmentTag, joinReference } from '../../crossplane/packages/reference.js';
import { SourceError } from '../../base/errors.js';
import { parseVersion } from '../../crossplane/constraints/version.js';
import type { ReleaseRules } from '../../crossplane/releases/target.js';
import { toIndexEntry, singleMeta } from './index-entry.js';

export interface IndexOptions {
  readonly note?: ((line: string) => void) | undefined;
  /** Whether to list packages in formats that current Crossplane releases do not support. */
  readonly compat?: boolean | undefined;
}

/**
 * Builds an index of repositories in a source. Unknown repositories and untagged images are
 * omitted. `note` is called for tags that are omitted because they are not packages.
 */
export async function buildIndex(
  source: PackageSource,
  repositories: readonly Repository[],
  target: ReleaseRules,
  { note = () => {}, compat = false }: IndexOptions = {},
): Promise<IndexFile> {
  const packages: [string, IndexPackage][] = [];
  for (const repository of [...new Set(repositories)].sort(byCodePoint)) {
    const tags = await source.tags(repository, target);
    if (tags === undefined) continue;
    const fetched = await Promise.all(
      tags
        .filter((tag) => !isAttachmentTag(tag))
        .sort(byCodePoint)
        .map(async (version) => {
          const found = await source.fetch({ repository, version }, target);
          const released = found && (await releaseDates(source, { repository, version }, target));
          return { version, found, released };
        }),
    );
    const included = fetched.filter(({ version, found }) => {
      const why = found && reasonToOmit(version, found, { target, compat });
      if (why !== undefined)
        note(`note: ${joinReference(repository, version)} is left out: ${why}`);
      return why === undefined;
    });
    packages.push([repository, packageEntry(repository, included)]);
  }
  return { packages: Object.fromEntries(packages) };
}

/** Errors that make only the date unavailable. */
const DATE_ERRORS: ReadonlySet<string> = new Set(['BAD_IMAGE', 'OFFLINE', 'TOO_LARGE']);

/** Returns undefined if the date is unknown or unavailable. */
async function releaseDates(
  source: PackageSource,
  candidate: Candidate,
  target: ReleaseRules,
): Promise<Released | undefined> {
  try {
    return await source.released?.(candidate, target);
  } catch (error) {
    if (error instanceof SourceError && DATE_ERRORS.has(error.code)) return undefined;
    throw error;
  }
}

/** Returns why a tag is omitted from the index, or undefined if it is not. */
function reasonToOmit(
  version: string,
  found: FetchedPackage,
  { target, compat }: { readonly target: ReleaseRules; readonly compat: boolean },
): string | undefined {
  if (!compat && found.contents.metas[0]?.apiVersion === DOT_REGISTRY_API) {
    return `it is a package of the first format (\`${DOT_REGISTRY}/\`), which only \`--compat\` reads`;
  }
  const [problem] = found.contents.problems;
  if (found.artifact !== undefined) return problem?.message ?? found.artifact;
  // Versions that are not packages are kept with their problems, because a resolution must explain
  // why they are refused. Other tags satisfy no constraint.
  const wanted = parseVersion(version, target.rules.dialect) !== undefined;
  const empty = found.contents.metas.length + found.contents.objects.length === 0;
  return empty && !wanted ? (problem?.message ?? 'it holds no package meta document') : undefined;
}

interface Fetched {
  readonly version: string;
  readonly found: FetchedPackage | undefined;
  /** When the image claims to be created, and when an index first contained it. */
  readonly released: Released | undefined;
}

function packageEntry(repository: string, fetched: readonly Fetched[]): IndexPackage {
  const kind = kindOf(fetched);
  const versions = fetched.flatMap(({ version, found, released }) => {
    const entry = found && toIndexEntry(found, repository, kind);
    return entry ? [[version, { ...entry, ...definedDates(released) }] as const] : [];
  });
  return { kind, versions: Object.fromEntries(versions) };
}

function definedDates({ created, firstSeen }: Released = {}): Released {
  return {
    ...(created !== undefined && { created }),
    ...(firstSeen !== undefined && { firstSeen }),
  };
}

/** The kind of the first version with one. Versions of another kind have their own in the entry. */
function kindOf(fetched: readonly Fetched[]): string {
  const metas = fetched.flatMap(({ found }) => (found && singleMeta(found.contents)) ?? []);
  return metas[0]?.kind ?? 'Unknown';
}

/** Formats an index: sorted, one version per line, deterministic. */
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
