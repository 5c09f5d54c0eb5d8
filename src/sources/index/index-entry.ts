import { byCodePoint } from '../../text/code-point-order.js';
import type { IndexVersion, IndexXrd } from '../../model/index-file.js';
import type { Definition } from '../../model/definition.js';
import { mappingOf, type JsonValue } from '../../text/json.js';
import type { MetaDocument, PackageContents, PackageObject } from '../../model/package-contents.js';
import type { FetchedPackage } from '../../model/package-source.js';
import { defaultName } from './index-contents.js';

const CRD_VERSIONS = ['apiextensions.k8s.io/v1', 'apiextensions.k8s.io/v1beta1'];
const XRD_VERSION = 'apiextensions.crossplane.io/v1';
const META_VERSION = 'meta.pkg.crossplane.io/v1';

/**
 * What an index says of a package: as little as gives every target the same answer. An apiVersion
 * is left out where all targets take it.
 */
export function indexEntry(
  found: FetchedPackage,
  repository: string,
  packageKind: string,
): IndexVersion {
  const { contents, digest, manifest, baseLayer, packageYaml } = found;
  const meta = onlyMeta(contents);
  return withoutAbsent({
    ...(meta && metaFields(meta, repository, packageKind)),
    ...objectFields(contents.objects),
    problems: unlessEmpty(problemsOf(contents)),
    digest,
    manifest,
    baseLayer,
    packageYaml,
  });
}

/** The meta document of a package; undefined: it has none, or several. */
export function onlyMeta({ metas }: PackageContents): MetaDocument | undefined {
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
    name: meta.name === defaultName(repository) ? undefined : meta.name,
    labels: unlessBare(meta.labels),
    capabilities: unlessEmpty(meta.capabilities),
    ...crossplaneFields(meta.crossplane),
    decodeError: meta.decodeError,
    dependsOn: unlessEmpty(meta.dependsOn),
  };
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
  const rest = sorted.filter(
    (object) => !isCrd(object) && !isXrd(object) && !isComposition(object),
  );
  return {
    crds: unlessEmpty(crds.map(({ name }) => name)),
    defines: unlessBare(definitionsOf(crds)),
    xrds: unlessEmpty(sorted.filter(isXrd).map(xrdEntry)),
    compositions: unlessEmpty(sorted.filter(isComposition).map(({ name }) => name)),
    objects: unlessEmpty(rest.map((object) => ({ ...xrdEntry(object), kind: object.kind }))),
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
  return withoutAbsent({
    name,
    claim: claimCrd,
    claimKind,
    apiVersion: isXrd(object) && apiVersion === XRD_VERSION ? undefined : apiVersion,
    defines: defines && definition(defines),
  });
}

function definitionsOf(crds: readonly PackageObject[]): Readonly<Record<string, Definition>> {
  return Object.fromEntries(
    crds.flatMap(({ name, defines }) => (defines ? [[name, definition(defines)]] : [])),
  );
}

function definition({ group, kind, versions, shortNames }: Definition): Definition {
  return { group, kind, versions, ...(shortNames !== undefined && { shortNames }) };
}

function unlessEmpty<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length === 0 ? undefined : list;
}

function unlessBare<T>(map: Readonly<Record<string, T>>): Readonly<Record<string, T>> | undefined {
  return Object.keys(map).length === 0 ? undefined : map;
}

/** Leaves out the keys whose value is undefined. */
function withoutAbsent<T extends object>(value: T): T {
  const present = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(present) as T; // every key that T lets be undefined is optional
}
