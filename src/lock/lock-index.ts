import type { IndexFile, IndexVersion, IndexXrd } from '../model/index-file.js';
import { groupOf, objectTypeOf, type OwnedKind, type OwnedObject } from '../model/owned-object.js';
import { dependsOnEntry } from './depends-on-entry.js';
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
    objects: owns
      .filter(({ kind }) => !HAS_LIST.has(kind))
      .map(({ kind, name }) => ({ kind: objectTypeOf(kind).kind, name })),
  };
}

/** What an index has lists of its own for; a claim stands with its XRD. */
const HAS_LIST: ReadonlySet<OwnedKind> = new Set(['CRD', 'XRD', 'claim', 'Composition']);

/** A claim comes from an XRD of its group; which of them does not matter to who owns what. */
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
