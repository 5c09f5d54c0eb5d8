import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { byCodePoint } from '../../base/collections.js';
import { isMapping, type JsonValue } from '../../base/json.js';
import { knownReleases, targetFor } from '../../crossplane/releases/target.js';
import type { ReleaseRules, TargetRules } from '../../crossplane/releases/release-facts.js';
import type { IndexFile, IndexPackage, IndexVersion } from '../../sources/index/index-file.js';

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

/** Returns the universe with packages and versions in another order, which `salt` selects. */
export function reorderIndex({ packages }: IndexFile, salt: number): IndexFile {
  return {
    packages: shuffle(packages, salt, (one) => ({
      ...one,
      versions: shuffle(one.versions, salt, (version) => version),
    })),
  };
}

function shuffle<T>(
  record: Readonly<Record<string, T>>,
  salt: number,
  change: (value: T) => T,
): Record<string, T> {
  const rank = (key: string) => createHash('sha256').update(`${salt} ${key}`).digest('hex');
  const keys = Object.keys(record).sort((a, b) => byCodePoint(rank(a), rank(b)));
  return Object.fromEntries(keys.map((key) => [key, change(record[key]!)]));
}

/** Adds packages with names and APIs that the universe does not use. */
export function withUnrelated(universe: IndexFile, unrelated: IndexFile): IndexFile {
  const added: Record<string, IndexPackage> = {};
  for (const [repository, { kind, versions }] of Object.entries(unrelated.packages)) {
    const changed = Object.entries(versions).map(([tag, each]) => [tag, unrelatedVersion(each)]);
    added[unrelatedName(repository)] = { kind, versions: Object.fromEntries(changed) };
  }
  return { packages: { ...added, ...universe.packages } };
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

/** Returns the universe without its nth dependency (modulo), or undefined if it has none. */
export function withoutDependency(universe: IndexFile, n: number): IndexFile | undefined {
  const all = publishedIn(universe).flatMap((published) =>
    (published.version.dependsOn ?? []).map((_, place) => ({ ...published, place })),
  );
  const one = all[n % all.length];
  if (one === undefined) return undefined;
  const dependsOn = one.version.dependsOn?.filter((_, place) => place !== one.place);
  return withVersion(universe, { ...one, version: { ...one.version, dependsOn } });
}

/** Replaces a version of the universe. Without `version`, the tag is unpublished. */
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

/** Consecutive releases, and a source that has different packages for them. */
interface TargetDependence {
  /** Newest first. */
  readonly releases: readonly string[];
  /** The releases as a range. */
  readonly range: string;
  /** The release rule that decides what the source has. */
  readonly rule: keyof TargetRules;
  readonly salt: number;
}

/** Release rules that influence sources: image names, listed tags, and how images are read. */
const RULES = [
  'defaultRegistry',
  'skipsIncompleteTags',
  'imageConfig',
  'tarEntry',
  'severalBaseLayers',
] as const satisfies readonly (keyof TargetRules)[];

/** Maximum number of releases on each side of a rule change. */
const MAX_RELEASES = 6;

/** Draws releases on both sides of a rule change. */
export function targetDependence(): fc.Arbitrary<TargetDependence> {
  const known = knownReleases();
  const count = fc.integer({ min: 1, max: MAX_RELEASES });
  return fc
    .record({
      change: fc.constantFrom(...RULES.flatMap(changesOf)),
      before: count,
      after: count,
      salt: fc.nat({ max: 9999 }),
    })
    .map(({ change: { rule, since }, before, after, salt }) => {
      const releases = known.slice(Math.max(since - before, 0), since + after).reverse();
      return { rule, salt, releases, range: `>=${releases.at(-1)!}, <=${releases[0]!}` };
    });
}

/** Returns the indexes of the releases that change a rule. */
function changesOf(rule: keyof TargetRules) {
  const values = knownReleases().map((release) => JSON.stringify(targetFor(release)!.rules[rule]));
  return values.flatMap((value, since) =>
    since > 0 && values[since - 1] !== value ? [{ rule, since }] : [],
  );
}

/**
 * Returns the universe of a source that depends on the target: for each value of the rule, some
 * versions are missing and some have no dependencies.
 */
export function universeFor(
  { packages }: IndexFile,
  { rule, salt }: TargetDependence,
): (target: ReleaseRules) => IndexFile {
  return ({ rules }) => {
    const value = JSON.stringify(rules[rule]);
    const draw = (name: string) =>
      createHash('sha256').update(`${salt} ${value} ${name}`).digest().readUInt8() / 256;
    const entries = Object.entries(packages).map(([repository, { kind, versions }]) => {
      const remaining = Object.entries(versions).flatMap(([tag, version]) => {
        const drawn = draw(`${repository} ${tag}`);
        if (drawn < 0.35) return [];
        return [[tag, drawn < 0.5 ? { ...version, dependsOn: [] } : version] as const];
      });
      return [repository, { kind, versions: Object.fromEntries(remaining) }] as const;
    });
    return { packages: Object.fromEntries(entries) };
  };
}
