import type { IndexPackage, IndexVersion } from '../../model/index-file.js';
import type { Definition } from '../../model/definition.js';
import type { JsonValue } from '../../text/json.js';
import type { MetaDocument, PackageContents, PackageObject } from '../../model/package-contents.js';

/** The package.yaml that an index entry stands for, as far as the entry tells. */
export function contentsOf(
  entry: IndexVersion,
  repository: string,
  held: Pick<IndexPackage, 'kind'>,
): PackageContents {
  return {
    metas: [metaOf(entry, entry.name ?? defaultName(repository), entry.kind ?? held.kind)],
    objects: commonObjects(entry, held) ?? objectsOf(entry),
    problems: (entry.problems ?? []).map((message) => ({ message })),
    warnings: [],
  };
}

/** `metadata.name` of a package for which the index gives none. */
export function defaultName(repository: string): string {
  return repository.slice(repository.lastIndexOf('/') + 1);
}

function metaOf(entry: IndexVersion, name: string, kind: string): MetaDocument {
  return {
    apiVersion: entry.apiVersion,
    kind,
    name,
    labels: entry.labels ?? {},
    annotations: {},
    crossplane: crossplaneOf(entry),
    dependsOn: entry.dependsOn ?? [],
    capabilities: entry.capabilities ?? [],
    decodeError: entry.decodeError,
  };
}

function crossplaneOf(entry: IndexVersion): JsonValue | undefined {
  if (entry.crossplaneAsWritten !== undefined) return entry.crossplaneAsWritten;
  return entry.crossplane === undefined ? undefined : { version: entry.crossplane };
}

/**
 * The objects of a version that tells of CRDs by name alone, as providers do: one list for all that follow one
 * another with the same, so that what is made of a list is made once. undefined: it tells more.
 */
function commonObjects(entry: IndexVersion, held: object): readonly PackageObject[] | undefined {
  const { crds = [], defines, xrds, compositions, objects: others } = entry;
  if (defines ?? xrds ?? compositions ?? others) return undefined;
  const before = lastLists.get(held);
  if (before !== undefined && isSameList(before.crds, crds)) return before.objects;
  const objects = objectsOf(entry);
  lastLists.set(held, { crds, objects });
  return objects;
}

/** The last list that was made of a package. */
const lastLists = new WeakMap<
  object,
  { readonly crds: readonly string[]; readonly objects: readonly PackageObject[] }
>();

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, i) => text === other[i]);
}

function objectsOf(entry: IndexVersion): PackageObject[] {
  const objects: PackageObject[] = [];
  for (const name of entry.crds ?? []) {
    const defines = definition(entry.defines, name);
    objects.push({ apiVersion: undefined, kind: 'CustomResourceDefinition', name, defines });
  }
  for (const { apiVersion, name, claim, claimKind, defines } of entry.xrds ?? []) {
    const kind = 'CompositeResourceDefinition';
    objects.push({ apiVersion, kind, name, claimCrd: claim, claimKind, defines });
  }
  for (const name of entry.compositions ?? []) {
    objects.push({ apiVersion: undefined, kind: 'Composition', name });
  }
  for (const { apiVersion, kind, name, claim, claimKind, defines } of entry.objects ?? []) {
    objects.push({ apiVersion, kind, name, claimCrd: claim, claimKind, defines });
  }
  return objects;
}

function definition(
  defines: Readonly<Record<string, Definition>> | undefined,
  crd: string,
): Definition | undefined {
  return defines !== undefined && Object.hasOwn(defines, crd) ? defines[crd] : undefined;
}
