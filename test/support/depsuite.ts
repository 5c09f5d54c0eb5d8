import type { IndexFile, IndexPackage } from '../../src/sources/index/index-file.js';
import type { Repository } from '../../src/crossplane/packages/package.js';
import type { JsonObject } from '../../src/base/json.js';
import type { CrdRoot, PackageRoot, Request, Root } from '../../src/project/inputs/request.js';
import { requestFor } from './requests.js';

/** Inclusive index ranges of the version list of a package; an empty list allows no version. */
type Ranges = readonly (readonly [low: number, high: number])[];
/** Required packages in declared order. */
export type Wants = Readonly<Record<string, Ranges>>;
type PerVersion<T> = Readonly<Record<string, Readonly<Record<string, T>>>>;
/** Versions by package. */
export type Selection = Readonly<Record<string, string>>;

/** A dependency problem that does not depend on a version syntax: `depsuite/1`. */
export interface Instance {
  readonly id: string;
  /** Versions by package, in ascending order of preference. */
  readonly order: Readonly<Record<string, readonly string[]>>;
  readonly packages: PerVersion<Wants>;
  readonly root: Wants;
  /** At most one selected package may own a key. */
  readonly owns?: PerVersion<readonly string[]>;
  /** Some selected package must own the key; the package `''` is the root. */
  readonly needs?: PerVersion<readonly string[]>;
}

/** An instance as input of this project. */
export interface Converted {
  readonly universe: IndexFile;
  readonly request: Request;
  /** The request as a document. */
  readonly packageSet: JsonObject;
  /** Returns repository and tag of a package version. */
  translate(name: string, version: string): { repository: Repository; version: string };
  /** Returns the names and versions of the instance. */
  asInstance(selected: readonly { repository: string; version: string }[]): Selection;
}

/**
 * Converts an instance. Package number k becomes `suite.example/s/p<k>`, its version number i
 * `v1.<i>.0`, so that the newest version is the most preferred; keys become CRDs. Every Crossplane
 * release reads commas and `
 *
 * ` in the same way.
 */
export function convert(instance: Instance): Converted {
  const names = Object.keys(instance.order);
  const repositories = new Map(names.map((name, k) => [name, `suite.example/s/p${k}`]));
  const crds = new Map<string, string>();
  const entries = (wants: Wants, needs: readonly string[]) => [
    ...Object.entries(wants).map(([name, ranges]) => ({
      provider: interned(repositories, name, (k) => `suite.example/s/missing${k}`),
      version: constraint(ranges),
    })),
    ...needs.map((key) => ({ crd: crdOf(key) })),
  ];
  const crdOf = (key: string) => interned(crds, key, (k) => `k${k}s.suite.example`);
  const packages: Record<string, IndexPackage> = {};
  for (const name of names) {
    const versions = instance.order[name]!.map((version, i) => {
      const wants = instance.packages[name]?.[version] ?? {};
      const dependsOn = entries(wants, instance.needs?.[name]?.[version] ?? []);
      const owned = instance.owns?.[name]?.[version];
      return [`v1.${i}.0`, { dependsOn, ...(owned && { crds: owned.map(crdOf) }) }] as const;
    });
    packages[repositories.get(name)!] = {
      kind: 'Provider',
      versions: Object.fromEntries(versions),
    };
  }
  const wanted = entries(instance.root, Object.values(instance.needs?.[''] ?? {}).flat());
  const spec = { crossplane: 'v2.3.4', packages: wanted };
  return {
    universe: { packages },
    request: requestFor({}, { roots: wanted.map(rootOf) }),
    packageSet: {
      apiVersion: 'xpkg-resolve.dev/v1alpha1',
      kind: 'PackageSet',
      metadata: { name: 'suite' },
      spec,
    },
    translate: (name, version) => ({
      repository: repositories.get(name)!,
      version: `v1.${instance.order[name]!.indexOf(version)}.0`,
    }),
    asInstance: (selected) =>
      Object.fromEntries(
        selected.map(({ repository, version }) => {
          const name = names[Number(/p(\d+)$/.exec(repository)![1])]!;
          return [name, instance.order[name]![Number(version.split('.')[1])]!];
        }),
      ),
  };
}

function rootOf(entry: { provider: string; version: string } | { crd: string }): Root {
  const origin = { file: 'xpkg.yaml' };
  if ('crd' in entry) return { root: 'crd', demand: entry, origin } satisfies CrdRoot;
  const [root] = requestFor({ [entry.provider]: entry.version }).roots as PackageRoot[];
  return { ...root!, kind: 'Provider', origin };
}

function constraint(ranges: Ranges): string {
  // Version 0.0.1 does not exist, so no version is allowed.
  if (ranges.length === 0) return '=v0.0.1';
  const spans = ranges.map(([low, high]) =>
    low === high ? `=v1.${low}.0` : `>=v1.${low}.0, <=v1.${high}.0`,
  );
  return spans.join(' || ');
}

function interned(names: Map<string, string>, key: string, make: (k: number) => string): string {
  const known = names.get(key);
  if (known !== undefined) return known;
  const made = make(names.size);
  names.set(key, made);
  return made;
}

/** Returns the errors in a selection; none if it is a minimal solution. */
export function flawsOf(instance: Instance, selected: Selection): string[] {
  const flaws: string[] = [];
  const reached = new Set<string>();
  const owners = new Map<string, string>();
  for (const [name, version] of Object.entries(selected)) {
    for (const key of instance.owns?.[name]?.[version] ?? []) {
      const owner = owners.get(key);
      if (owner !== undefined) flaws.push(`${owner} and ${name} both own ${key}`);
      owners.set(key, name);
    }
  }
  const visit = (by: string, wants: Wants, needs: readonly string[]): void => {
    for (const [name, ranges] of Object.entries(wants)) {
      const i = (instance.order[name] ?? []).indexOf(selected[name] ?? '');
      const met = i >= 0 && ranges.some(([low, high]) => low <= i && i <= high);
      if (!met) flaws.push(`${by} wants ${name}, selected is ${selected[name] ?? 'none'}`);
      walk(name);
    }
    for (const key of needs) {
      const owner = owners.get(key);
      if (owner === undefined) flaws.push(`${by} needs ${key}, which nobody owns`);
      else walk(owner);
    }
  };
  const walk = (name: string): void => {
    const version = selected[name];
    if (version === undefined || reached.has(name)) return;
    reached.add(name);
    const wants = instance.packages[name]?.[version] ?? {};
    visit(name, wants, instance.needs?.[name]?.[version] ?? []);
  };
  visit('the root', instance.root, Object.values(instance.needs?.[''] ?? {}).flat());
  const surplus = Object.keys(selected).filter((name) => !reached.has(name));
  return [...flaws, ...surplus.map((name) => `nobody asks for ${name}`)];
}
