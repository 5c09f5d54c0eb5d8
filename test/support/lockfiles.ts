import { createHash } from 'node:crypto';
import type { LockedPackage, Lockfile } from '../../src/lock/lockfile.js';
import { objectNameOf } from '../../src/model/name.js';
import type { PackageRequirement } from '../../src/model/package-meta.js';
import type { PackageKind } from '../../src/model/package.js';
import type { Digest } from '../../src/text/digest.js';

/** A digest that any text stands for. */
export function digestOf(text: string): Digest {
  return `sha256:${createHash('sha256').update(text).digest('hex')}` as Digest;
}

/** `[kind] repository constraint`; kind is Provider unless said. */
export function needs(text: string): PackageRequirement {
  const words = text.split(' ');
  const kinds: readonly string[] = ['Provider', 'Configuration', 'Function'];
  const kind = kinds.includes(words[0]!) ? (words.shift() as PackageKind) : 'Provider';
  return {
    requires: 'package',
    repository: words[0]!,
    kind,
    apiVersion: undefined,
    constraint: words.slice(1).join(' '),
    line: undefined,
  };
}

/** A locked package, of which `reference` says repository and version, and `parts` the rest. */
export function locked(reference: string, parts: Partial<LockedPackage> = {}): LockedPackage {
  const at = reference.indexOf('@');
  const colon = at >= 0 ? at : reference.lastIndexOf(':');
  const repository = reference.slice(0, colon);
  const version = reference.slice(colon + 1);
  const digest = at >= 0 ? (version as Digest) : digestOf(reference);
  return {
    repository,
    version,
    digest,
    manifest: undefined,
    baseLayer: undefined,
    packageYaml: undefined,
    kind: 'Provider',
    name: objectNameOf(repository),
    direct: false,
    crossplane: undefined,
    requirements: [],
    owns: [],
    object: { apiVersion: undefined, metadata: {}, spec: {} },
    ...parts,
  };
}

/** A lockfile of these packages. */
export function lockfileOf(
  packages: readonly LockedPackage[],
  parts: Partial<Lockfile> = {},
): Lockfile {
  return { crossplane: 'v2.3.4', packages, objects: [], skipDependencyResolution: [], ...parts };
}
