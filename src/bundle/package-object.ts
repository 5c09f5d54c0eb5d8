import type { LockedPackage } from '../lock/lockfile.js';
import { InputError } from '../model/input-error.js';
import type { PackageKind } from '../model/package.js';
import type { JsonObject } from '../text/json.js';
import { joinReference } from '../model/reference.js';
import type { Target } from '../model/target/target.js';
import { ownMetadata } from './object-template.js';
import { fitSpec, isMappingOfStrings } from './spec-fields.js';

/** How versions are named: by tag, by digest, or by a tag that ImageConfigs pin to the locked digest. */
export const PINS = ['tag', 'digest', 'locked'] as const;
export type Pin = (typeof PINS)[number];

interface PackageObjectOptions {
  readonly pin: Pin;
  /** On this object and, by the same token, on every other. */
  readonly skipDependencyResolution: boolean;
}

interface RenderedObject {
  readonly object: JsonObject;
  readonly warnings: readonly string[];
}

/** The `pkg.crossplane.io` object that installs a package. */
export function packageObject(
  locked: LockedPackage,
  target: Target,
  options: PackageObjectOptions,
): RenderedObject {
  const { kind, name, object } = locked;
  const { spec, warnings } = fitSpec(object.spec, { kind, name }, target);
  refuseBadMetadata(locked);
  return {
    object: {
      apiVersion: servedVersion(kind, object.apiVersion, target),
      kind,
      metadata: { name, ...ownMetadata(object.metadata) },
      spec: {
        package: joinReference(locked.repository, installedVersion(locked, options.pin)),
        ...spec,
        ...(options.skipDependencyResolution && { skipDependencyResolution: true }),
      },
    },
    warnings,
  };
}

/** What stands after the repository in `spec.package`: never a tag and a digest at once. */
export function installedVersion(locked: LockedPackage, pin: Pin): string {
  if (pin !== 'digest') return locked.version;
  if (locked.digest !== undefined) return locked.digest;
  throw new InputError(
    `\`${locked.repository}\` cannot be pinned: the lockfile has no digest of it`,
    { hint: 'resolve again from a source that knows digests, or render with `--pin tag`' },
  );
}

/** The user's own apiVersion where the target serves it; only Functions leave a choice. */
function servedVersion(kind: PackageKind, asked: string | undefined, target: Target): string {
  if (kind !== 'Function') return 'pkg.crossplane.io/v1';
  return asked === 'pkg.crossplane.io/v1beta1' ? asked : target.rules.functionApiVersion;
}

function refuseBadMetadata({ kind, name, object }: LockedPackage): void {
  for (const field of ['labels', 'annotations']) {
    const value = object.metadata[field];
    if (value === undefined || isMappingOfStrings(value)) continue;
    throw new InputError(`${kind} \`${name}\`: \`metadata.${field}\` must be a mapping of strings`);
  }
}
