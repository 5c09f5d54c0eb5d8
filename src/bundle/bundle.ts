import type { LockedPackage, Lockfile } from '../lock/lockfile.js';
import { inApplyOrder } from '../lock/order.js';
import { InputError } from '../model/input-error.js';
import { objectNameOf } from '../model/name.js';
import type { Repository } from '../model/package.js';
import type { JsonObject } from '../text/json.js';
import type { Target } from '../model/target/target.js';
import { pinImages } from './image-pins.js';
import { keptForTarget } from './kept-object.js';
import { labelOf } from './object-label.js';
import { packageObject, type Pin } from './package-object.js';

/** What is applied, by what it is. */
export interface BundleObjects {
  /** ImageConfigs, runtime configs and activation policies of the user, and pins. */
  readonly kept: readonly JsonObject[];
  /** Objects of packages, dependencies first. */
  readonly packages: ReadonlyMap<Repository, JsonObject>;
}

export interface Bundle extends BundleObjects {
  /** All of these, in the order to apply them. */
  readonly objects: readonly JsonObject[];
  /** Why every package carries `skipDependencyResolution: true`; empty: none does. */
  readonly skips: readonly string[];
  readonly warnings: readonly string[];
}

/** Everything to apply, in the order to apply it. */
export function bundleOf(lockfile: Lockfile, target: Target, pin: Pin): Bundle {
  const skips = skipReasons(lockfile, pin);
  const kept = lockfile.objects.map((object) => keptForTarget(object, target));
  const inOrder = inApplyOrder(lockfile.packages);
  const packages = inOrder.map((locked) =>
    packageObject(locked, target, { pin, skipDependencyResolution: skips.length > 0 }),
  );
  const given = kept.flatMap(({ object }) => (object ? [object] : []));
  const pinned =
    pin === 'locked' ? pinImages(inOrder, given, target) : { kept: given, pins: [], warnings: [] };
  const bundle = {
    kept: [...pinned.kept, ...pinned.pins],
    packages: new Map(packages.map(({ object }, n) => [inOrder[n]!.repository, object])),
  };
  const objects = [...bundle.kept, ...bundle.packages.values()];
  refuseTwins(objects);
  return {
    ...bundle,
    objects,
    skips,
    warnings: [
      ...[...kept, pinned, ...packages].flatMap(({ warnings }) => warnings),
      ...(skips.length > 0 ? [] : nameWarnings(lockfile, target)),
    ],
  };
}

/** The bundle with other objects in the place of its own, in the same order. */
export function withObjects(bundle: Bundle, change: (object: JsonObject) => JsonObject): Bundle {
  const kept = bundle.kept.map(change);
  const packages = new Map(Array.from(bundle.packages, ([name, each]) => [name, change(each)]));
  return { ...bundle, kept, packages, objects: [...kept, ...packages.values()] };
}

/**
 * All or none: a package that skips is not in the cluster's Lock, so that a dependent which does
 * not skip would find it missing.
 */
function skipReasons(lockfile: Lockfile, pin: Pin): readonly string[] {
  const pinned = pin === 'digest' ? ['packages are pinned by digest, which no range admits'] : [];
  const reasons = [...lockfile.skipDependencyResolution, ...pinned];
  const asking = lockfile.packages.filter(skips);
  if (reasons.length > 0 || asking.length === 0) return reasons;
  const other = lockfile.packages.find((each) => !skips(each));
  if (other === undefined) return ['every package was given with it'];
  throw new InputError(
    `\`${asking[0]!.repository}\` has \`skipDependencyResolution: true\` and \`${other.repository}\` ` +
      'has not; a package that skips is missing to all that do not',
    { hint: 'set it on every package, or on none' },
  );
}

function skips({ object }: LockedPackage): boolean {
  return object.spec['skipDependencyResolution'] === true;
}

function refuseTwins(objects: readonly JsonObject[]): void {
  const seen = new Set<string>();
  for (const object of objects) {
    const id = labelOf(object);
    if (seen.has(id)) throw new InputError(`${id} is given twice`, { hint: 'keep one of them' });
    seen.add(id);
  }
}

/** About names under which a cluster's own resolver would not find a dependency that is there. */
function nameWarnings({ packages }: Lockfile, target: Target): readonly string[] {
  const taken = new Set(packages.map(({ name }) => name));
  return packages.flatMap(({ repository, name }) => {
    const own = objectNameOf(repository, target);
    const dependent = packages.find(({ requirements }) =>
      requirements.some((each) => each.requires === 'package' && each.repository === repository),
    );
    if (taken.has(own) || dependent === undefined) return [];
    return [
      `\`${repository}\` is named \`${name}\`, and \`${dependent.repository}\` depends on it: a ` +
        `cluster that meets the dependent first installs it again as \`${own}\`, and can then ` +
        'resolve no package at all',
    ];
  });
}
