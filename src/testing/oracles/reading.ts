// Independent of the admission rules on purpose, so that a mistake in either one shows.
import { parseConstraint } from '../../crossplane/constraints/constraint.js';
import type { IndexFile, IndexVersion } from '../../sources/index/index-file.js';
import { PACKAGE_KINDS, type PackageKind } from '../../crossplane/packages/package.js';
import { isDigest } from '../../base/digest.js';
import { type JsonValue, mappingOf, stringOf } from '../../base/json.js';
import type { PackageObject } from '../../crossplane/packages/package-contents.js';
import { repositoryProblem } from '../../crossplane/packages/reference.js';
import type { Target } from '../../crossplane/releases/target.js';

/** A package version as the target reads it, for the oracles only. */
export interface OracleReading {
  readonly kind: PackageKind;
  readonly crossplane: string | undefined;
  readonly dependencies: readonly ReadDependency[];
  readonly installs: readonly PackageObject[];
}

/** A `dependsOn` entry as the target reads it. */
export interface ReadDependency {
  readonly repository: string;
  readonly kind: string;
  readonly constraint: string;
}

/** Reads a version. Returns undefined if it is missing or the target rejects it. */
export function readVersion(
  universe: IndexFile,
  candidate: { readonly repository: string; readonly version: string },
  target: Target,
): OracleReading | undefined {
  const found = findVersion(universe, candidate);
  if (found === undefined || isBroken(found.version)) return undefined;
  const kind = PACKAGE_KINDS.find((known) => known === found.kind);
  if (kind === undefined || !isMetaVersion(found.version.apiVersion, kind, target))
    return undefined;
  const { crossplane, dependsOn = [] } = found.version;
  if (crossplane !== undefined && !isConstraint(crossplane, target)) return undefined;
  const dependencies = dependsOn.map((entry) => readEntry(entry, target));
  if (!dependencies.every((dependency) => dependency !== undefined)) return undefined;
  const objects = objectsOf(found.version);
  if (target.rules.lintBlocks && !objects.every((object) => isAllowed(object, kind, target)))
    return undefined;
  const installs = objects.filter((object) => isInstalled(object, kind, target));
  if (installs.some((object) => isRefusedByApi(object, target))) return undefined;
  return { kind, crossplane, dependencies, installs };
}

function findVersion(
  { packages }: IndexFile,
  { repository, version }: { readonly repository: string; readonly version: string },
): { kind: string; version: IndexVersion } | undefined {
  if (!Object.hasOwn(packages, repository)) return undefined;
  const { kind, versions } = packages[repository]!;
  const named = Object.entries(versions).find(
    ([tag, { digest }]) => tag === version || digest === version,
  );
  return named && { kind: named[1].kind ?? kind, version: named[1] };
}

function isBroken({ problems = [], decodeError, crossplaneAsWritten }: IndexVersion): boolean {
  return problems.length > 0 || decodeError !== undefined || crossplaneAsWritten !== undefined;
}

function isMetaVersion(apiVersion: string | undefined, kind: PackageKind, target: Target): boolean {
  if (apiVersion === undefined) return true;
  return target.rules.metaVersions[kind].some(
    (version) => apiVersion === `meta.pkg.crossplane.io/${version}`,
  );
}

function isConstraint(text: string, target: Target): boolean {
  return !parseConstraint(text, target.rules.dialect).invalid;
}

/** Reads a `dependsOn` entry. Returns undefined if the target rejects it. */
export function readEntry(entry: JsonValue, target: Target): ReadDependency | undefined {
  const text = (key: string) => stringOf(mappingOf(entry)?.[key]);
  const constraint = text('version');
  const named = namedBy(text, target);
  if (constraint === undefined || named === undefined) return undefined;
  const byDigest = target.rules.digestDependencies && isDigest(constraint);
  if (!byDigest && !isConstraint(constraint, target)) return undefined;
  if (repositoryProblem(named.repository, target) !== undefined) return undefined;
  return { ...named, constraint };
}

function namedBy(
  text: (key: string) => string | undefined,
  target: Target,
): Omit<ReadDependency, 'constraint'> | undefined {
  const [kind, repository] = [text('kind'), text('package')];
  if (target.rules.explicitDependencies && text('apiVersion') && kind && repository)
    return { kind, repository };
  for (const key of ['Configuration', 'Provider', 'Function']) {
    const sugared = text(key.toLowerCase());
    if (sugared) return { kind: key, repository: sugared };
  }
  return undefined;
}

/** Returns all objects of a version, whether or not the target installs them. */
export function objectsOf({
  crds = [],
  xrds = [],
  compositions = [],
  compositionSpecs = {},
  objects = [],
  defines = {},
}: IndexVersion): PackageObject[] {
  return [
    ...crds.map((name) => ({
      apiVersion: undefined,
      kind: 'CustomResourceDefinition',
      name,
      defines: Object.hasOwn(defines, name) ? defines[name] : undefined,
    })),
    ...xrds.map((xrd) => ({
      apiVersion: xrd.apiVersion,
      kind: 'CompositeResourceDefinition',
      name: xrd.name,
      claimCrd: xrd.claim,
      defines: xrd.defines,
    })),
    ...compositions.map((name) => ({
      apiVersion: undefined,
      kind: 'Composition',
      name,
      composition: Object.hasOwn(compositionSpecs, name) ? compositionSpecs[name] : undefined,
    })),
    ...objects.map(({ apiVersion, kind, name, claim, defines: defined }) => ({
      apiVersion,
      kind,
      name,
      claimCrd: claim,
      defines: defined,
    })),
  ];
}

/** The API of Crossplane v2 requires pipelines. A Composition without a known spec is accepted. */
function isRefusedByApi({ composition }: PackageObject, { rules }: Target): boolean {
  if (!rules.pipelineCompositionsOnly || composition === undefined) return false;
  return !composition.pipeline || ![undefined, 'Pipeline'].includes(composition.mode);
}

function isAllowed({ kind }: PackageObject, of: PackageKind, target: Target): boolean {
  const allowed = target.rules.allowedObjects[of];
  return allowed === undefined || allowed.includes(kind);
}

function isInstalled(object: PackageObject, of: PackageKind, target: Target): boolean {
  if (of === 'Function' && !target.rules.functionObjectsInstalled) return false;
  return isAllowed(object, of, target);
}

const WEBHOOKS = ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'];
const DEFINE_CRDS = [
  'CustomResourceDefinition',
  'CompositeResourceDefinition',
  'ManagedResourceDefinition',
];

/** Returns names that no other object may have; none for webhooks, which are renamed. */
export function ownedNames({ kind, name, claimCrd }: PackageObject): string[] {
  if (WEBHOOKS.includes(kind)) return [];
  if (!DEFINE_CRDS.includes(kind)) return [`${kind} ${name}`];
  return [name, ...(claimCrd === undefined ? [] : [claimCrd])].map((crd) => `CRD ${crd}`);
}
