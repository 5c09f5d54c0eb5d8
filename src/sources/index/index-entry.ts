import type { IndexObject, IndexPackage, IndexVersion, IndexXrd } from './index-file.js';
import { byCodePoint } from '../../base/collections.js';
import { type JsonValue, mappingOf } from '../../base/json.js';
import type {
  Definition,
  MetaDocument,
  PackageContents,
  PackageObject,
} from '../../crossplane/packages/package-contents.js';
import { packageName } from '../../crossplane/packages/repository-names.js';
import type { FetchedPackage } from '../package-source.js';

/** Returns the package contents that an index entry describes. */
export function indexedContents(
  entry: IndexVersion,
  repository: string,
  indexed: Pick<IndexPackage, 'kind'>,
): PackageContents {
  return {
    metas: [metaOf(entry, entry.name ?? packageName(repository), entry.kind ?? indexed.kind)],
    objects: commonObjects(entry, indexed) ?? objectsOf(entry),
    problems: (entry.problems ?? []).map((message) => ({ message })),
    warnings: [],
  };
}

function metaOf(entry: IndexVersion, name: string, kind: string): MetaDocument {
  return {
    apiVersion: entry.apiVersion,
    kind,
    name,
    labels: entry.labels ?? {},
    ...(entry.labels === undefined && { hasUnknownLabels: true }),
    annotations: {},
    crossplane:
      entry.crossplaneAsWritten ??
      (entry.crossplane === undefined ? undefined : { version: entry.crossplane }),
    dependsOn: entry.dependsOn ?? [],
    capabilities: entry.capabilities ?? [],
    decodeError: entry.decodeError,
  };
}

/**
 * Consecutive versions with only the same CRD names share one list, so that what is derived from it
 * is computed once. Returns undefined for other versions.
 */
function commonObjects(entry: IndexVersion, indexed: object): readonly PackageObject[] | undefined {
  const { crds = [], defines, xrds, compositions, objects: others } = entry;
  if (defines ?? xrds ?? compositions ?? others) return undefined;
  const before = lastObjects.get(indexed);
  if (before !== undefined && isSameList(before.crds, crds)) return before.objects;
  const objects = objectsOf(entry);
  lastObjects.set(indexed, { crds, objects });
  return objects;
}

/** The last list of each package. */
const lastObjects = new WeakMap<
  object,
  { readonly crds: readonly string[]; readonly objects: readonly PackageObject[] }
>();

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, i) => text === other[i]);
}

function objectsOf(entry: IndexVersion): PackageObject[] {
  const { crds = [], xrds = [], compositions = [], objects = [] } = entry;
  return [
    ...crds.map((name) => ({
      apiVersion: undefined,
      kind: 'CustomResourceDefinition',
      name,
      defines: factFor(entry.defines, name),
    })),
    ...xrds.map((xrd) => withClaimCrd({ ...xrd, kind: 'CompositeResourceDefinition' })),
    ...compositions.map((name) => ({
      apiVersion: undefined,
      kind: 'Composition',
      name,
      composition: factFor(entry.compositionSpecs, name),
    })),
    ...objects.map(withClaimCrd),
  ];
}

function withClaimCrd(object: IndexObject): PackageObject {
  const { apiVersion, kind, name, claim, claimKind, defines } = object;
  return { apiVersion, kind, name, claimCrd: claim, claimKind, defines };
}

function factFor<T>(facts: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return facts !== undefined && Object.hasOwn(facts, name) ? facts[name] : undefined;
}

const CRD_VERSIONS = ['apiextensions.k8s.io/v1', 'apiextensions.k8s.io/v1beta1'];
const XRD_VERSION = 'apiextensions.crossplane.io/v1';
const META_VERSION = 'meta.pkg.crossplane.io/v1';

/** Builds an index entry without what every target assumes, such as a common apiVersion. */
export function toIndexEntry(
  found: FetchedPackage,
  repository: string,
  packageKind: string,
): IndexVersion {
  const { contents, digest, manifest, baseLayer, packageYaml } = found;
  const meta = singleMeta(contents);
  return {
    ...(meta && metaFields(meta, repository, packageKind)),
    ...objectFields(contents.objects),
    problems: unlessEmpty(problemsOf(contents)),
    digest,
    manifest,
    baseLayer,
    packageYaml,
  };
}

/** Returns the only meta document of a package, or undefined if there is none or several. */
export function singleMeta({ metas }: PackageContents): MetaDocument | undefined {
  return metas.length === 1 ? metas[0] : undefined;
}

function problemsOf(contents: PackageContents): string[] {
  const problems = contents.problems.map(({ message }) => message);
  if (contents.metas.length !== 1) problems.push('not exactly one package meta type');
  return problems;
}

function metaFields(meta: MetaDocument, repository: string, packageKind: string): IndexVersion {
  const everywhere = meta.kind !== 'Function' && meta.apiVersion === META_VERSION;
  return {
    kind: meta.kind === packageKind ? undefined : meta.kind,
    apiVersion: everywhere ? undefined : meta.apiVersion,
    name: meta.name === packageName(repository) ? undefined : meta.name,
    labels: labelsOf(meta),
    capabilities: unlessEmpty(meta.capabilities),
    ...crossplaneFields(meta.crossplane),
    decodeError: meta.decodeError,
    dependsOn: unlessEmpty(meta.dependsOn),
  };
}

/** Providers also store empty labels, because the family label is read from them. */
function labelsOf(meta: MetaDocument): MetaDocument['labels'] | undefined {
  const { kind, labels, hasUnknownLabels } = meta;
  if (hasUnknownLabels) return undefined;
  return kind === 'Provider' ? labels : unlessNoKeys(labels);
}

function crossplaneFields(written: JsonValue | undefined): IndexVersion {
  if (written === undefined) return {};
  const { version, ...rest } = mappingOf(written) ?? {};
  return typeof version === 'string' && Object.keys(rest).length === 0
    ? { crossplane: version }
    : { crossplaneAsWritten: written };
}

function objectFields(objects: readonly PackageObject[]): IndexVersion {
  const sorted = objects.toSorted((a, b) => byCodePoint(a.name, b.name));
  const crds = sorted.filter(isCrd);
  const compositions = sorted.filter(isComposition);
  const others = sorted.filter(
    (object) => !isCrd(object) && !isXrd(object) && !isComposition(object),
  );
  return {
    crds: unlessEmpty(crds.map(({ name }) => name)),
    defines: unlessNoKeys(factsByName(crds, ({ defines }) => defines && definition(defines))),
    xrds: unlessEmpty(sorted.filter(isXrd).map(xrdEntry)),
    compositions: unlessEmpty(compositions.map(({ name }) => name)),
    compositionSpecs: unlessNoKeys(factsByName(compositions, ({ composition }) => composition)),
    objects: unlessEmpty(others.map((object) => ({ ...xrdEntry(object), kind: object.kind }))),
  };
}

function isCrd({ kind, apiVersion }: PackageObject): boolean {
  return (
    kind === 'CustomResourceDefinition' && CRD_VERSIONS.includes(apiVersion ?? CRD_VERSIONS[0]!)
  );
}

function isXrd({ kind }: PackageObject): boolean {
  return kind === 'CompositeResourceDefinition';
}

function isComposition({ kind, apiVersion }: PackageObject): boolean {
  return kind === 'Composition' && (apiVersion ?? XRD_VERSION) === XRD_VERSION;
}

function xrdEntry(object: PackageObject): IndexXrd {
  const { name, apiVersion, claimCrd, claimKind, defines } = object;
  return {
    name,
    claim: claimCrd,
    claimKind,
    apiVersion: isXrd(object) && apiVersion === XRD_VERSION ? undefined : apiVersion,
    defines: defines && definition(defines),
  };
}

function factsByName<T>(
  objects: readonly PackageObject[],
  factOf: (object: PackageObject) => T | undefined,
): Readonly<Record<string, T>> {
  const facts = objects.map((object) => [object.name, factOf(object)] as const);
  return Object.fromEntries(
    facts.flatMap(([name, fact]) => (fact === undefined ? [] : [[name, fact]])),
  );
}

/** Omits which versions are served and stored: only `lint` uses that. */
function definition({ group, kind, versions, shortNames }: Definition): Definition {
  return { group, kind, versions, ...(shortNames !== undefined && { shortNames }) };
}

function unlessEmpty<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length === 0 ? undefined : list;
}

function unlessNoKeys<T>(
  map: Readonly<Record<string, T>>,
): Readonly<Record<string, T>> | undefined {
  return Object.keys(map).length === 0 ? undefined : map;
}
