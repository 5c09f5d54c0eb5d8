import { formatMapping } from './format.js';
import { byCodePoint, getOrCreate } from '../../base/collections.js';
import { fieldsOf, listOf, parseJson } from '../../base/json.js';
import {
  definesResources,
  type PackageObject,
} from '../../crossplane/packages/package-contents.js';
import type { Repository } from '../../crossplane/packages/package.js';
import { indexedContents } from '../index/index-entry.js';
import type { IndexPackage } from '../index/index-file.js';

/** The APIs of a package in one API group, in any of its versions. */
interface GroupApis {
  /** Names of CRDs, including claims. */
  readonly crds: ReadonlySet<string>;
  /** Kinds, including claims, if the package states what its CRDs define. */
  readonly kinds: ReadonlySet<string>;
}

/** The search terms of a package, apart from its name. */
export interface PackageApis {
  readonly groups: ReadonlyMap<string, GroupApis>;
  /** Kinds, plurals and names of other objects, in lower case. */
  readonly words: ReadonlySet<string>;
}

export const NO_APIS: PackageApis = { groups: new Map(), words: new Set() };

/** Collects the APIs of all versions. Callers check what applies to a target. */
export function collectApis(repository: string, indexed: IndexPackage): PackageApis {
  const groups = new Map<string, { crds: Set<string>; kinds: Set<string> }>();
  const words = new Set<string>();
  const groupAt = (group: string) => {
    return getOrCreate(groups, group, () => ({ crds: new Set(), kinds: new Set() }));
  };
  for (const entry of Object.values(indexed.versions)) {
    for (const object of indexedContents(entry, repository, indexed).objects) {
      for (const word of searchWords(object)) words.add(word);
      if (!definesResources(object.kind)) continue;
      for (const name of crdNames(object)) groupAt(crdGroup(name)).crds.add(name);
      const { defines, claimKind } = object;
      if (defines === undefined) continue;
      const { kinds } = groupAt(defines.group);
      kinds.add(defines.kind);
      if (claimKind !== undefined) kinds.add(claimKind);
    }
  }
  return { groups, words };
}

/** Returns `s3.example.org` for `buckets.s3.example.org`. */
export function crdGroup(crd: string): string {
  return crd.slice(crd.indexOf('.') + 1);
}

function crdNames({ name, claimCrd }: PackageObject): string[] {
  return claimCrd === undefined ? [name] : [name, claimCrd];
}

/** The full name and the group of a CRD or XRD need no word: the group part has them. */
function searchWords(object: PackageObject): string[] {
  const words = [object.defines?.kind, object.claimKind].flatMap((kind) => kind ?? []);
  for (const name of crdNames(object)) {
    words.push(name.slice(0, `${name}.`.indexOf('.')));
    if (!definesResources(object.kind) || name !== name.toLowerCase()) {
      words.push(name, crdGroup(name));
    }
  }
  return words.map((word) => word.toLowerCase());
}

/** The packages that may own the CRDs of an API group or define its kinds. */
export class GroupPart {
  readonly group: string;
  readonly #crds: Map<string, Set<Repository>>;
  readonly #kinds: Map<string, Set<Repository>>;

  constructor(
    group: string,
    crds: Map<string, Set<Repository>> = new Map(),
    kinds: Map<string, Set<Repository>> = new Map(),
  ) {
    this.group = group;
    this.#crds = crds;
    this.#kinds = kinds;
  }

  /** Returns undefined if the bytes are not the part of this group. */
  static from(bytes: Uint8Array, group: string): GroupPart | undefined {
    const fields = fieldsOf(parseJson(bytes)?.value);
    const [crds, kinds] = [ownersFrom(fields?.get('crds')), ownersFrom(fields?.get('kinds'))];
    if (fields?.get('group') !== group || crds === undefined || kinds === undefined) {
      return undefined;
    }
    return new GroupPart(group, crds, kinds);
  }

  get isEmpty(): boolean {
    return this.#crds.size + this.#kinds.size === 0;
  }

  /** Returns the packages that may own a CRD, in any order. */
  byCrd(name: string): readonly Repository[] {
    return [...(this.#crds.get(name) ?? [])];
  }

  byKind(kind: string): readonly Repository[] {
    return [...(this.#kinds.get(kind) ?? [])];
  }

  all(): readonly Repository[] {
    return [...this.#crds.values(), ...this.#kinds.values()].flatMap((owners) => [...owners]);
  }

  remove(repository: Repository, apis: GroupApis): void {
    for (const [owners, names] of this.#ownersOf(apis)) {
      for (const name of names) {
        owners.get(name)?.delete(repository);
        if (owners.get(name)?.size === 0) owners.delete(name);
      }
    }
  }

  add(repository: Repository, apis: GroupApis): void {
    for (const [owners, names] of this.#ownersOf(apis)) {
      for (const name of names) getOrCreate(owners, name, () => new Set()).add(repository);
    }
  }

  #ownersOf({ crds, kinds }: GroupApis) {
    return [[this.#crds, crds] as const, [this.#kinds, kinds] as const];
  }

  format(): string {
    const group = JSON.stringify(this.group);
    return `{"group":${group},"crds":${formatOwners(this.#crds)},"kinds":${formatOwners(this.#kinds)}}\n`;
  }
}

function formatOwners(owners: ReadonlyMap<string, ReadonlySet<Repository>>): string {
  return formatMapping([...owners].map(([name, by]) => [name, [...by].sort(byCodePoint)]));
}

function ownersFrom(value: unknown): Map<string, Set<Repository>> | undefined {
  const fields = fieldsOf(value);
  if (fields === undefined) return undefined;
  const owners = new Map<string, Set<Repository>>();
  for (const [name, listed] of fields) {
    const repositories = parseStrings(listed);
    if (repositories === undefined) return undefined;
    owners.set(name, new Set(repositories));
  }
  return owners;
}

/** Returns undefined if the value is not a list of strings. */
export function parseStrings(value: unknown): readonly string[] | undefined {
  const list = listOf(value);
  return list?.every((item) => typeof item === 'string') === true ? list : undefined;
}
