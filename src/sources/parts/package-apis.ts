import { definesResources } from '../../model/definition.js';
import type { IndexPackage } from '../../model/index-file.js';
import type { PackageObject } from '../../model/package-contents.js';
import { contentsOf } from '../index/index-contents.js';

/** What a package brings of one API group, in any of its versions. */
export interface GroupApis {
  /** Names of CRDs, those of claims included. */
  readonly crds: ReadonlySet<string>;
  /** Kinds, those of claims included, where the package says what a CRD defines. */
  readonly kinds: ReadonlySet<string>;
}

/** What a package can be found by, beside its name. */
export interface PackageApis {
  readonly groups: ReadonlyMap<string, GroupApis>;
  /** In lower case: kinds, plurals, and names of objects that define nothing. */
  readonly words: ReadonlySet<string>;
}

export const NO_APIS: PackageApis = { groups: new Map(), words: new Set() };

/** Reads every version; what a target makes of them is for those to say who look a package up. */
export function apisOf(repository: string, held: IndexPackage): PackageApis {
  const groups = new Map<string, { crds: Set<string>; kinds: Set<string> }>();
  const words = new Set<string>();
  const groupAt = (group: string) => {
    const known = groups.get(group) ?? { crds: new Set(), kinds: new Set() };
    groups.set(group, known);
    return known;
  };
  for (const entry of Object.values(held.versions)) {
    for (const object of contentsOf(entry, repository, held).objects) {
      for (const word of wordsFor(object)) words.add(word);
      if (!definesResources(object.kind)) continue;
      for (const name of namesOf(object)) groupAt(groupOfCrd(name)).crds.add(name);
      const { defines, claimKind } = object;
      if (defines === undefined) continue;
      const { kinds } = groupAt(defines.group);
      kinds.add(defines.kind);
      if (claimKind !== undefined) kinds.add(claimKind);
    }
  }
  return { groups, words };
}

/** `s3.example.org` of `buckets.s3.example.org`. */
export function groupOfCrd(crd: string): string {
  return crd.slice(crd.indexOf('.') + 1);
}

function namesOf({ name, claimCrd }: PackageObject): string[] {
  return claimCrd === undefined ? [name] : [name, claimCrd];
}

/** By its whole name and by its group an object that defines resources is found in that group. */
function wordsFor(object: PackageObject): string[] {
  const words = [object.defines?.kind, object.claimKind].flatMap((kind) => kind ?? []);
  for (const name of namesOf(object)) {
    words.push(name.slice(0, `${name}.`.indexOf('.')));
    if (!definesResources(object.kind) || name !== name.toLowerCase()) {
      words.push(name, groupOfCrd(name));
    }
  }
  return words.map((word) => word.toLowerCase());
}
