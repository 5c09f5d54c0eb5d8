import { createHash } from 'node:crypto';
import type { LockedPackage, Lockfile } from '../../src/project/lockfile/lockfile.js';
import { objectNameOf } from '../../src/crossplane/packages/object-names.js';
import type { PackageRequirement } from '../../src/crossplane/packages/package-meta.js';
import type { PackageKind } from '../../src/crossplane/packages/package.js';
import type { Digest } from '../../src/base/digest.js';
import type { JsonObject } from '../../src/base/json.js';

/** Returns a digest derived from a text. */
export function digestOf(text: string): Digest {
  return `sha256:${createHash('sha256').update(text).digest('hex')}` as Digest;
}

/** `[kind] repository constraint`; the default kind is Provider. */
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

/**
 * Returns a locked package; `reference` is its repository and version, `parts` are other fields.
 */
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

/** Returns the part of a locked package that sets the `spec` of its object. */
export function withSpec(spec: JsonObject): Pick<LockedPackage, 'object'> {
  return { object: { apiVersion: undefined, metadata: {}, spec } };
}

/** Returns a lockfile with these packages. */
export function lockfileOf(
  packages: readonly LockedPackage[],
  parts: Partial<Lockfile> = {},
): Lockfile {
  return { crossplane: 'v2.3.4', packages, objects: [], skipDependencyResolution: [], ...parts };
}
