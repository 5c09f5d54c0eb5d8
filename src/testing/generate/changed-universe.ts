import { createHash } from 'node:crypto';
import { byCodePoint } from '../../text/code-point-order.js';
import type { IndexFile, IndexPackage, IndexVersion } from '../../model/index-file.js';
import { isMapping, type JsonValue } from '../../text/json.js';

/** A version of a universe, with its repository and tag. */
interface PublishedVersion {
  readonly repository: string;
  readonly tag: string;
  readonly version: IndexVersion;
}

export function publishedIn({ packages }: IndexFile): PublishedVersion[] {
  return Object.entries(packages).flatMap(([repository, { versions }]) =>
    Object.entries(versions).map(([tag, version]) => ({ repository, tag, version })),
  );
}

/** The universe with packages and versions listed in another order, which `salt` decides. */
export function reordered({ packages }: IndexFile, salt: number): IndexFile {
  return {
    packages: shuffled(packages, salt, (one) => ({
      ...one,
      versions: shuffled(one.versions, salt, (version) => version),
    })),
  };
}

function shuffled<T>(
  record: Readonly<Record<string, T>>,
  salt: number,
  change: (value: T) => T,
): Record<string, T> {
  const rank = (key: string) => createHash('sha256').update(`${salt} ${key}`).digest('hex');
  const keys = Object.keys(record).sort((a, b) => byCodePoint(rank(a), rank(b)));
  return Object.fromEntries(keys.map((key) => [key, change(record[key]!)]));
}

/** Adds packages under names and APIs that nothing in the universe shares or requires. */
export function withUnrelated(universe: IndexFile, unrelated: IndexFile): IndexFile {
  const added = Object.entries(unrelated.packages).map(
    ([repository, { kind, versions }]): [string, IndexPackage] => [
      unrelatedName(repository),
      {
        kind,
        versions: Object.fromEntries(
          Object.entries(versions).map(([tag, version]) => [tag, unrelatedVersion(version)]),
        ),
      },
    ],
  );
  return { packages: { ...Object.fromEntries(added), ...universe.packages } };
}

function unrelatedName(repository: string): string {
  return `strangers.example.org/${repository.slice(repository.indexOf('/') + 1)}`;
}

function unrelatedVersion({
  crossplane,
  digest,
  dependsOn = [],
  crds = [],
}: IndexVersion): IndexVersion {
  return {
    crossplane,
    digest,
    dependsOn: dependsOn.map(unrelatedEntry),
    crds: crds.map((name) => `${name.split('.')[0]}.strangers.example.org`),
  };
}

function unrelatedEntry(entry: JsonValue): JsonValue {
  if (!isMapping(entry)) return entry;
  return Object.fromEntries(
    Object.entries(entry).map(([key, value]): [string, JsonValue] => [
      key,
      key !== 'apiVersion' && typeof value === 'string' && value.includes('/')
        ? unrelatedName(value)
        : value,
    ]),
  );
}

/** The universe without its nth dependency, counted around; undefined: it has no dependencies. */
export function withoutDependency(universe: IndexFile, n: number): IndexFile | undefined {
  const all = publishedIn(universe).flatMap((published) =>
    (published.version.dependsOn ?? []).map((_, place) => ({ ...published, place })),
  );
  const one = all[n % all.length];
  if (one === undefined) return undefined;
  const dependsOn = one.version.dependsOn?.filter((_, place) => place !== one.place);
  return withVersion(universe, { ...one, version: { ...one.version, dependsOn } });
}

/** The universe with another version at a tag; without `version`, the tag is unpublished. */
export function withVersion(
  { packages }: IndexFile,
  change: { readonly repository: string; readonly tag: string; readonly version?: IndexVersion },
): IndexFile {
  const { repository, tag, version } = change;
  const { kind, versions } = packages[repository]!;
  const { [tag]: _, ...others } = versions;
  const changed = version === undefined ? others : { ...versions, [tag]: version };
  return { packages: { ...packages, [repository]: { kind, versions: changed } } };
}
