import { byCodePoint } from '../../text/code-point-order.js';
import { DOT_REGISTRY, DOT_REGISTRY_API } from '../../model/dot-registry.js';
import type { IndexFile, IndexPackage } from '../../model/index-file.js';
import type { Candidate, Repository } from '../../model/package.js';
import type { FetchedPackage, PackageSource, Released } from '../../model/package-source.js';
import { isAttachmentTag, joinReference } from '../../model/reference.js';
import { SourceError } from '../../model/source-error.js';
import type { Target } from '../../model/target/target.js';
import { parseVersion } from '../../semver/version.js';
import { indexEntry, onlyMeta } from './index-entry.js';

export interface IndexOptions {
  readonly note?: ((line: string) => void) | undefined;
  /** Also lists packages of formats that no Crossplane takes any more. */
  readonly compat?: boolean | undefined;
}

/**
 * Everything a source holds of some repositories; those it does not know are left out, and so is
 * what no tag names. `note` is told of what is left out because it is no package.
 */
export async function makeIndex(
  source: PackageSource,
  repositories: readonly Repository[],
  target: Target,
  { note = () => {}, compat = false }: IndexOptions = {},
): Promise<IndexFile> {
  const packages: [string, IndexPackage][] = [];
  for (const repository of [...new Set(repositories)].sort(byCodePoint)) {
    const tags = await source.tags(repository, target);
    if (tags === undefined) continue;
    const fetched = await Promise.all(
      versionsAmong(tags).map(async (version) => {
        const found = await source.fetch({ repository, version }, target);
        const released = found && (await datesOf(source, { repository, version }, target));
        return { version, found, released };
      }),
    );
    const kept = fetched.filter(({ version, found }) => {
      const why = found && strangeness(version, found, { target, compat });
      if (why !== undefined)
        note(`note: ${joinReference(repository, version)} is left out: ${why}`);
      return why === undefined;
    });
    packages.push([repository, packageEntry(repository, kept)]);
  }
  return { packages: Object.fromEntries(packages) };
}

function versionsAmong(tags: readonly string[]): string[] {
  return tags.filter((tag) => !isAttachmentTag(tag)).sort(byCodePoint);
}

/** What keeps a date from being read, and a package not. */
const UNDATED: ReadonlySet<string> = new Set(['BAD_IMAGE', 'OFFLINE', 'TOO_LARGE']);

/** undefined: the source tells of none, or none that is at hand. */
async function datesOf(
  source: PackageSource,
  candidate: Candidate,
  target: Target,
): Promise<Released | undefined> {
  try {
    return await source.released?.(candidate, target);
  } catch (error) {
    if (error instanceof SourceError && UNDATED.has(error.code)) return undefined;
    throw error;
  }
}

/** Why a tag is left out of the index; undefined: it is not. */
function strangeness(
  version: string,
  found: FetchedPackage,
  { target, compat }: { readonly target: Target; readonly compat: boolean },
): string | undefined {
  if (!compat && found.contents.metas[0]?.apiVersion === DOT_REGISTRY_API) {
    return `it is a package of the first format (\`${DOT_REGISTRY}/\`), which only \`--compat\` reads`;
  }
  const [problem] = found.contents.problems;
  if (found.artifact !== undefined) return problem?.message ?? found.artifact;
  // A version that is no package stays in, with its problems: a resolution may ask for it and
  // must say why it is refused. No constraint admits a tag that is no version.
  const wanted = parseVersion(version, target.rules.dialect) !== undefined;
  const empty = found.contents.metas.length + found.contents.objects.length === 0;
  return empty && !wanted ? (problem?.message ?? 'it holds no package meta document') : undefined;
}

interface Fetched {
  readonly version: string;
  readonly found: FetchedPackage | undefined;
  /** When its image says that it was made, and when an index first saw it. */
  readonly released: Released | undefined;
}

function packageEntry(repository: string, fetched: readonly Fetched[]): IndexPackage {
  const kind = kindOf(fetched);
  const versions = fetched.flatMap(({ version, found, released }) => {
    const entry = found && indexEntry(found, repository, kind);
    return entry ? [[version, { ...entry, ...datesIn(released) }] as const] : [];
  });
  return { kind, versions: Object.fromEntries(versions) };
}

function datesIn({ created, firstSeen }: Released = {}): Released {
  return {
    ...(created !== undefined && { created }),
    ...(firstSeen !== undefined && { firstSeen }),
  };
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
