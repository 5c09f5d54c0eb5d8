import type { IndexFile, IndexVersion, IndexXrd } from '../model/index-file.js';
import type { JsonObject, JsonValue } from '../text/json.js';
import type { Requirement } from '../model/package-meta.js';
import type { OwnedKind, OwnedObject } from '../model/owned-object.js';
import type { LockedPackage, Lockfile } from './lockfile.js';

/** The locked packages as an index: a source that knows these versions and no other. */
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
    objects: owns.flatMap(({ kind, name }) => {
      const object = OTHER_KINDS.get(kind);
      return object === undefined ? [] : [{ kind: object, name }];
    }),
  };
}

const OTHER_KINDS: ReadonlyMap<OwnedKind, string> = new Map([
  ['MRD', 'ManagedResourceDefinition'],
  ['MRAP', 'ManagedResourceActivationPolicy'],
  ['Operation', 'Operation'],
  ['CronOperation', 'CronOperation'],
  ['WatchOperation', 'WatchOperation'],
]);

/** A claim comes from an XRD of its group; which of them does not matter to who owns what. */
function xrdsOf(owns: readonly OwnedObject[]): readonly IndexXrd[] {
  const claims = owns.filter(({ kind }) => kind === 'claim').map(({ name }) => name);
  return owns
    .filter(({ kind }) => kind === 'XRD')
    .map(({ name }) => {
      const at = claims.findIndex((claim) => groupOf(claim) === groupOf(name));
      return at < 0 ? { name } : { name, claim: claims.splice(at, 1)[0] };
    });
}

function groupOf(name: string): string {
  return name.slice(name.indexOf('.') + 1);
}

function dependsOnEntry(requirement: Requirement): JsonObject {
  if (requirement.requires === 'crd') return { crd: crdAsWritten(requirement.text) };
  const { apiVersion, kind, repository, constraint } = requirement;
  return apiVersion === undefined
    ? { [kind.toLowerCase()]: repository, version: constraint }
    : { apiVersion, kind, package: repository, version: constraint };
}

/** A mapping is kept as its JSON, which no name of a CRD begins like. */
function crdAsWritten(text: string): JsonValue {
  return text.startsWith('{') ? (JSON.parse(text) as JsonValue) : text; // JSON is what was kept
}
