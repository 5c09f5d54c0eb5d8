import { createHash } from 'node:crypto';
import { byCodePoint } from '../../text/code-point-order.js';
import type { IndexFile, IndexPackage, IndexVersion } from '../../model/index-file.js';
import { isMapping, type JsonValue } from '../../text/json.js';

/** A version in a universe, and where. */
export interface Published {
  readonly repository: string;
  readonly tag: string;
  readonly version: IndexVersion;
}

export function publishedIn({ packages }: IndexFile): Published[] {
  return Object.entries(packages).flatMap(([repository, { versions }]) =>
    Object.entries(versions).map(([tag, version]) => ({ repository, tag, version })),
  );
}

/** The same packages and versions, listed in another order. */
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

/** Adds packages that have nothing in common with those there: no name, no API. */
export function withStrangers(universe: IndexFile, strangers: IndexFile): IndexFile {
  const estranged = Object.entries(strangers.packages).map(
    ([repository, { kind, versions }]): [string, IndexPackage] => [
      strange(repository),
      {
        kind,
        versions: Object.fromEntries(
          Object.entries(versions).map(([tag, version]) => [tag, estrange(version)]),
        ),
      },
    ],
  );
  return { packages: { ...Object.fromEntries(estranged), ...universe.packages } };
}

function strange(repository: string): string {
  return `strangers.example.org/${repository.slice(repository.indexOf('/') + 1)}`;
}

function estrange({ crossplane, digest, dependsOn = [], crds = [] }: IndexVersion): IndexVersion {
  return {
    crossplane,
    digest,
    dependsOn: dependsOn.map(estrangeEntry),
    crds: crds.map((name) => `${name.split('.')[0]}.strangers.example.org`),
  };
}

function estrangeEntry(entry: JsonValue): JsonValue {
  if (!isMapping(entry)) return entry;
  return Object.fromEntries(
    Object.entries(entry).map(([key, value]): [string, JsonValue] => [
      key,
      key !== 'apiVersion' && typeof value === 'string' && value.includes('/')
        ? strange(value)
        : value,
    ]),
  );
}

/** Without the nth dependency of all; undefined where there is none at all. */
export function withoutDependency(universe: IndexFile, n: number): IndexFile | undefined {
  const all = publishedIn(universe).flatMap((published) =>
    (published.version.dependsOn ?? []).map((_, place) => ({ ...published, place })),
  );
  const one = all[n % all.length];
  if (one === undefined) return undefined;
  const dependsOn = one.version.dependsOn?.filter((_, place) => place !== one.place);
  return withVersion(universe, { ...one, version: { ...one.version, dependsOn } });
}

/** Puts a version in the place of another; undefined: unpublishes it. */
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
