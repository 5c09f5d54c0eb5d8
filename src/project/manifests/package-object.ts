import type { LockedPackage } from '../lockfile/lockfile.js';
import { InputError } from '../../base/errors.js';
import type { PackageKind } from '../../crossplane/packages/package.js';
import type { JsonObject } from '../../base/json.js';
import { joinReference } from '../../crossplane/packages/reference.js';
import type { Target } from '../../crossplane/releases/target.js';
import { specForTarget, isMappingOfStrings, ownMetadata } from './object-template.js';

/** How versions are rendered: as tag, as digest, or as tag that ImageConfigs pin to a digest. */
export const PINS = ['tag', 'digest', 'locked'] as const;
export type Pin = (typeof PINS)[number];

/** Renders the `pkg.crossplane.io` object that installs a package. */
export function packageObject(
  locked: LockedPackage,
  target: Target,
  options: { readonly pin: Pin; readonly skipDependencyResolution: boolean },
): { readonly object: JsonObject; readonly warnings: readonly string[] } {
  const { kind, name, object } = locked;
  const { spec, warnings } = specForTarget(object.spec, { kind, name }, target);
  refuseBadMetadata(locked);
  return {
    object: {
      apiVersion: servedVersion(kind, object.apiVersion, target),
      kind,
      metadata: { name, ...ownMetadata(object.metadata) },
      spec: {
        package: renderedReference(locked, options.pin),
        ...spec,
        ...(options.skipDependencyResolution && { skipDependencyResolution: true }),
      },
    },
    warnings,
  };
}

/** Returns `spec.package` of the rendered object. */
export function renderedReference(locked: LockedPackage, pin: Pin): string {
  if (pin !== 'digest' && locked.object.untagged === true) return locked.repository;
  return joinReference(locked.repository, installedVersion(locked, pin));
}

/** Returns the tag or digest in `spec.package`. Throws an `InputError` if the digest is unknown. */
export function installedVersion(locked: LockedPackage, pin: Pin): string {
  if (pin !== 'digest') return locked.version;
  if (locked.digest !== undefined) return locked.digest;
  throw new InputError(
    `\`${locked.repository}\` cannot be pinned: the lockfile has no digest of it`,
    { hint: 'resolve again from a source that knows digests, or render with `--pin tag`' },
  );
}

/** Returns the `apiVersion` of the user if the target serves it. Only Functions have several. */
function servedVersion(kind: PackageKind, requested: string | undefined, target: Target): string {
  if (kind !== 'Function') return 'pkg.crossplane.io/v1';
  return requested === 'pkg.crossplane.io/v1beta1' ? requested : target.rules.functionApiVersion;
}

function refuseBadMetadata({ kind, name, object }: LockedPackage): void {
  for (const field of ['labels', 'annotations']) {
    const value = object.metadata[field];
    if (value === undefined || isMappingOfStrings(value)) continue;
    throw new InputError(`${kind} \`${name}\`: \`metadata.${field}\` must be a mapping of strings`);
  }
}
