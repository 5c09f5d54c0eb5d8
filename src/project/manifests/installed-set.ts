import type { LockedPackage, Lockfile } from '../lockfile/lockfile.js';
import { PACKAGE_KINDS, type Repository } from '../../crossplane/packages/package.js';
import { type JsonObject, mappingOf, stringOf } from '../../base/json.js';
import type { PackageRequirement } from '../../crossplane/packages/package-meta.js';
import { splitPackageReference } from '../../crossplane/packages/reference.js';
import type { Target } from '../../crossplane/releases/target.js';
import { nameOf } from './object-names.js';

/** The objects to apply, and the lockfile they were rendered from. */
export interface Output {
  readonly lockfile: Lockfile;
  readonly target: Target;
  /** Objects in the order of applying them. */
  readonly objects: readonly JsonObject[];
  /** The Lock manifest, if there is one. */
  readonly lock?: JsonObject | undefined;
  /** Whether every tag must be pulled by digest. */
  readonly pinned?: boolean | undefined;
  /** Names that an earlier lockfile assigned and that are kept. */
  readonly keptNames?: ReadonlySet<string> | undefined;
}

/** A package object as the cluster reads it. */
export interface Installed {
  readonly kind: string;
  readonly name: string;
  readonly spec: JsonObject;
  /** `spec.package`. */
  readonly reference: string;
  /** Source and version of the row in the Lock. */
  readonly source: Repository;
  readonly version: string;
  /** Index among all objects. */
  readonly position: number;
  readonly locked: LockedPackage | undefined;
}

export interface InstalledSet extends Output {
  readonly installed: readonly Installed[];
  readonly bySource: ReadonlyMap<Repository, Installed>;
  /** Whether all packages skip dependency resolution. */
  readonly skips: boolean;
}

export function installedSet(output: Output): InstalledSet {
  const locked = new Map(output.lockfile.packages.map((each) => [each.repository, each]));
  const installed = output.objects.flatMap((object, position): Installed[] => {
    const { kind } = object;
    if (typeof kind !== 'string' || !PACKAGE_KINDS.some((each) => each === kind)) return [];
    const spec = mappingOf(object['spec']) ?? {};
    const reference = stringOf(spec['package']) ?? '';
    const split = splitPackageReference(reference) ?? { source: '', version: '' };
    const name = nameOf(object);
    return [{ kind, name, spec, reference, ...split, position, locked: locked.get(split.source) }];
  });
  return {
    ...output,
    installed,
    bySource: new Map(installed.map((each) => [each.source, each])),
    skips: installed.length > 0 && installed.every(skipsResolution),
  };
}

export function skipsResolution({ spec }: Installed): boolean {
  return spec['skipDependencyResolution'] === true;
}

/** A requirement of one package on another. */
export interface InstalledEdge {
  readonly parent: Installed;
  readonly requirement: PackageRequirement;
  /** The required package; undefined if no repository with this exact spelling is installed. */
  readonly child: Installed | undefined;
}

export function requirementEdges(set: InstalledSet): readonly InstalledEdge[] {
  return set.installed.flatMap((parent) =>
    (parent.locked?.requirements ?? []).flatMap((requirement) =>
      requirement.requires === 'package'
        ? [{ parent, requirement, child: set.bySource.get(requirement.repository) }]
        : [],
    ),
  );
}
