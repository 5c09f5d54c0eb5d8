// Written twice on purpose: output is judged here by rules of its own, so that a mistake in bundle or lock shows.
import type { LockedPackage, Lockfile } from '../../lock/lockfile.js';
import { PACKAGE_KINDS, type Repository } from '../../model/package.js';
import { mappingOf, type JsonObject } from '../../text/json.js';
import type { PackageRequirement } from '../../model/package-meta.js';
import { splitPackageReference } from '../../model/reference.js';
import type { Target } from '../../model/target/target.js';
import { nameOf } from '../object-label.js';

/** What is about to be applied, and what it was made from. */
export interface Output {
  readonly lockfile: Lockfile;
  readonly target: Target;
  /** In the order they are applied. */
  readonly objects: readonly JsonObject[];
  /** The Lock manifest, where there is one. */
  readonly lock?: JsonObject | undefined;
  /** Every tag is to be pulled by its digest. */
  readonly pinned?: boolean | undefined;
  /** Names that an earlier lockfile had already given out, and which are therefore kept. */
  readonly keptNames?: ReadonlySet<string> | undefined;
}

/** A package object as a cluster reads it, read from nothing but the object itself. */
export interface Installed {
  readonly kind: string;
  readonly name: string;
  readonly spec: JsonObject;
  /** `spec.package`. */
  readonly reference: string;
  /** As a Lock row would have them. */
  readonly source: Repository;
  readonly version: string;
  /** Place among all objects. */
  readonly position: number;
  readonly locked: LockedPackage | undefined;
}

export interface InstalledSet extends Output {
  readonly installed: readonly Installed[];
  readonly bySource: ReadonlyMap<Repository, Installed>;
  /** No package checks its dependencies. */
  readonly skips: boolean;
}

export function installedSet(output: Output): InstalledSet {
  const locked = new Map(output.lockfile.packages.map((each) => [each.repository, each]));
  const installed = output.objects.flatMap((object, position): Installed[] => {
    const { kind } = object;
    if (typeof kind !== 'string' || !PACKAGE_KINDS.some((each) => each === kind)) return [];
    const spec = mappingOf(object['spec']) ?? {};
    const reference = typeof spec['package'] === 'string' ? spec['package'] : '';
    const split = splitPackageReference(reference) ?? { source: '', version: '' };
    const name = nameOf(object);
    return [{ kind, name, spec, reference, ...split, position, locked: locked.get(split.source) }];
  });
  return {
    ...output,
    installed,
    bySource: new Map(installed.map((each) => [each.source, each])),
    skips: installed.length > 0 && installed.every(skips),
  };
}

export function skips({ spec }: Installed): boolean {
  return spec['skipDependencyResolution'] === true;
}

/** Who asks for what, package by package. */
export interface InstalledEdge {
  readonly parent: Installed;
  readonly requirement: PackageRequirement;
  /** undefined: nothing of that very spelling is installed. */
  readonly child: Installed | undefined;
}

export function edgesOf(set: InstalledSet): readonly InstalledEdge[] {
  return set.installed.flatMap((parent) =>
    (parent.locked?.requirements ?? []).flatMap((requirement) =>
      requirement.requires === 'package'
        ? [{ parent, requirement, child: set.bySource.get(requirement.repository) }]
        : [],
    ),
  );
}
