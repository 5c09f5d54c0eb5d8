import {
  type LockedPackage,
  type LockedSigner,
  type Lockfile,
  LOCKFILE_VERSION,
  type ObjectTemplate,
} from './lockfile.js';
import { byCodePoint } from '../../base/collections.js';
import type { JsonObject, JsonValue } from '../../base/json.js';
import { type Writable, writeYaml, WRITTEN_MARK } from '../../base/yaml/write-yaml.js';
import {
  byKindAndName,
  groupOf,
  objectTypeOf,
  type OwnedKind,
  type OwnedObject,
} from '../../crossplane/packages/owned-objects.js';
import type { Requirement } from '../../crossplane/packages/package-meta.js';
import type { IndexFile, IndexVersion, IndexXrd } from '../../sources/index/index-file.js';

const HEADER = `${WRITTEN_MARK}. Commit it; to change it, change what you ask for and resolve again.\n`;

/**
 * Formats a lockfile as `xpkg.lock.yaml`. Equal lockfiles have equal bytes.
 *
 * The last key is always written, so that a truncated file can be recognized.
 */
export function formatLockfile(lockfile: Lockfile): string {
  const packages = [...lockfile.packages].sort((a, b) => byCodePoint(a.repository, b.repository));
  const { crossplane, inputs, objects, indexes = [], skipDependencyResolution } = lockfile;
  const document = {
    version: LOCKFILE_VERSION,
    crossplane,
    inputs: inputs && { name: inputs.name, files: inputs.files },
    packages: packages.map(packageBlock),
    objects,
    indexes: unlessEmpty(indexes.map(({ from: index, digest }) => ({ index, digest }))),
    skipDependencyResolution,
  };
  return HEADER + writeYaml(document);
}

/** Returns whether a text is the formatted lockfile. Old versions wrote the release without `v`. */
export function isFormatted(text: string, lockfile: Lockfile): boolean {
  return text.replace(/^crossplane: (?=\d)/m, 'crossplane: v') === formatLockfile(lockfile);
}

function packageBlock(locked: LockedPackage): Writable {
  return {
    source: locked.repository,
    version: locked.version,
    digest: locked.digest,
    manifest: locked.manifest,
    baseLayer: locked.baseLayer,
    packageYaml: locked.packageYaml,
    signature: locked.signature && signatureBlock(locked.signature),
    longerTags: locked.longerTags,
    kind: locked.kind,
    name: locked.name,
    direct: locked.direct,
    crossplane: locked.crossplane,
    dependsOn: unlessEmpty(locked.requirements.map(requirementBlock)),
    owns: locked.owns.length === 0 ? undefined : ownsByGroup(locked.owns),
    object: objectBlock(locked.object),
  };
}

function signatureBlock(signer: LockedSigner): Writable {
  const { policy, authority, key, subject, issuer, predicateType, digest } = signer;
  return { policy, authority, key, subject, issuer, predicateType, digest };
}

function requirementBlock(requirement: Requirement): Writable {
  if (requirement.requires === 'package') return dependsOnEntry(requirement);
  const { demand, text } = requirement;
  if ('crd' in demand && demand.crd === text) return { crd: text };
  return { crd: text, demand: { ...demand } };
}

function objectBlock({
  apiVersion,
  metadata,
  spec,
  untagged,
}: ObjectTemplate): Writable | undefined {
  const block = {
    apiVersion,
    metadata: Object.keys(metadata).length === 0 ? undefined : metadata,
    spec: Object.keys(spec).length === 0 ? undefined : spec,
    untagged: untagged === true ? true : undefined,
  };
  return Object.values(block).every((part) => part === undefined) ? undefined : block;
}

function unlessEmpty(list: readonly Writable[]): readonly Writable[] | undefined {
  return list.length === 0 ? undefined : list;
}

/** Returns the `dependsOn` entry of a package.yaml for a requirement. */
function dependsOnEntry(requirement: Requirement): JsonObject {
  if (requirement.requires === 'crd') return { crd: crdAsWritten(requirement.text) };
  const { apiVersion, kind, repository, constraint } = requirement;
  return apiVersion === undefined
    ? { [kind.toLowerCase()]: repository, version: constraint }
    : { apiVersion, kind, package: repository, version: constraint };
}

/** The text of a mapping is its JSON. No CRD name begins with `{`. */
function crdAsWritten(text: string): JsonValue {
  return text.startsWith('{') ? (JSON.parse(text) as JsonValue) : text; // written as JSON
}

/** Returns names by group and kind, in code-point order. */
export function ownsByGroup(
  owns: readonly OwnedObject[],
): Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> {
  const groups: Record<string, Record<string, string[]>> = Object.create(null);
  for (const owned of [...owns].sort(byKindAndName)) {
    const kinds = (groups[groupOf(owned)] ??= Object.create(null) as Record<string, string[]>);
    (kinds[owned.kind] ??= []).push(owned.name);
  }
  return Object.fromEntries(Object.entries(groups).sort(([a], [b]) => byCodePoint(a, b)));
}

/** Returns an index that knows the locked versions and no others. */
export function lockIndex({ packages }: Lockfile): IndexFile {
  return {
    packages: Object.fromEntries(
      packages.map((locked) => [
        locked.repository,
        { kind: locked.kind, versions: { [locked.version]: entryOf(locked) } },
      ]),
    ),
  };
}

function entryOf(locked: LockedPackage): IndexVersion {
  const { digest, manifest, baseLayer, packageYaml, crossplane, owns } = locked;
  const named = (kind: OwnedKind) =>
    owns.filter((owned) => owned.kind === kind).map(({ name }) => name);
  return {
    digest,
    manifest,
    baseLayer,
    packageYaml,
    crossplane,
    dependsOn: locked.requirements.map(dependsOnEntry),
    crds: named('CRD'),
    xrds: xrdsOf(owns),
    compositions: named('Composition'),
    objects: owns
      .filter(({ kind }) => !KINDS_WITH_LIST.has(kind))
      .map(({ kind, name }) => ({ kind: objectTypeOf(kind).kind, name })),
  };
}

/** Kinds with a list of their own in an index. A claim belongs to its XRD. */
const KINDS_WITH_LIST: ReadonlySet<OwnedKind> = new Set(['CRD', 'XRD', 'claim', 'Composition']);

/** Assigns each claim to an XRD of its group. Which one does not matter for ownership. */
function xrdsOf(owns: readonly OwnedObject[]): readonly IndexXrd[] {
  const claims = owns.filter(({ kind }) => kind === 'claim');
  return owns
    .filter(({ kind }) => kind === 'XRD')
    .map((xrd) => {
      const at = claims.findIndex((claim) => groupOf(claim) === groupOf(xrd));
      const [claim] = at < 0 ? [] : claims.splice(at, 1);
      return claim === undefined ? { name: xrd.name } : { name: xrd.name, claim: claim.name };
    });
}
