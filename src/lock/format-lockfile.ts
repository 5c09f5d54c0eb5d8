import { byCodePoint } from '../text/code-point-order.js';
import type { Requirement } from '../model/package-meta.js';
import { WRITTEN_MARK } from '../text/written-mark.js';
import {
  LOCKFILE_VERSION,
  type LockedPackage,
  type LockedSigner,
  type Lockfile,
  type ObjectTemplate,
} from './lockfile.js';
import { dependsOnEntry } from './depends-on-entry.js';
import { ownsByGroup } from './owns-by-group.js';
import { writeYaml, type Writable } from '../text/yaml/write-yaml.js';

const HEADER = `${WRITTEN_MARK}. Commit it; to change it, change what you ask for and resolve again.\n`;

/**
 * `xpkg.lock.yaml`, byte for byte the same for the same answer.
 *
 * The last key is always written, so that a file cut short is missing something.
 */
export function formatLockfile(lockfile: Lockfile): string {
  const packages = [...lockfile.packages].sort((a, b) => byCodePoint(a.repository, b.repository));
  return (
    HEADER +
    writeYaml({
      version: LOCKFILE_VERSION,
      crossplane: lockfile.crossplane,
      packages: packages.map(packageBlock),
      objects: lockfile.objects,
      indexes: unlessEmpty(
        (lockfile.indexes ?? []).map(({ from: index, digest }) => ({ index, digest })),
      ),
      skipDependencyResolution: lockfile.skipDependencyResolution,
    })
  );
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

function objectBlock({ apiVersion, metadata, spec }: ObjectTemplate): Writable | undefined {
  const block = {
    apiVersion,
    metadata: Object.keys(metadata).length === 0 ? undefined : metadata,
    spec: Object.keys(spec).length === 0 ? undefined : spec,
  };
  return Object.values(block).every((part) => part === undefined) ? undefined : block;
}

function unlessEmpty(list: readonly Writable[]): readonly Writable[] | undefined {
  return list.length === 0 ? undefined : list;
}
