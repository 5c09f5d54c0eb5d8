import { isDeepStrictEqual } from 'node:util';
import { isRejection, judge } from '../../admission/judge.js';
import { assignNames } from '../../bundle/object-name.js';
import { checkedPackage } from '../../driver/checked-package.js';
import type { LockedPackage, Lockfile, ObjectTemplate } from '../../lock/lockfile.js';
import { objectNameOf } from '../../model/name.js';
import type { Candidate, PackageKind, Repository } from '../../model/package.js';
import type { PackageSource } from '../../model/package-source.js';
import { targetFor } from '../../model/target/target.js';

/** The lockfiles at both ends of a plan. */
export interface PlanEnds {
  readonly from: Lockfile;
  readonly to: Lockfile;
}

/**
 * A version as it would be locked on the way: with the object that a lockfile has for its package or,
 * if it is in neither, with what all objects of its kind have in common.
 * undefined: there is none, or the release does not take it.
 */
export async function lockedAt(
  candidate: Candidate,
  ends: PlanEnds,
  source: PackageSource,
): Promise<LockedPackage | undefined> {
  const target = targetFor(ends.to.crossplane)!;
  const fetched = await source.fetch(candidate, target);
  if (fetched === undefined) return undefined;
  const { digest, manifest, baseLayer, packageYaml, contents } = checkedPackage(fetched, candidate);
  const meta = judge(contents, target);
  if (isRejection(meta)) return undefined;
  const { repository, version } = candidate;
  const { kind, crossplane, requirements, owns } = meta;
  const like = lockedIn(ends.to, repository) ?? lockedIn(ends.from, repository);
  const { name, direct, object } = like ?? {
    name: objectNameOf(repository, target),
    direct: false,
    object: usualObject(kind, ends.to),
  };
  const bytes = { digest, manifest, baseLayer, packageYaml };
  const said = { kind, crossplane, requirements, owns };
  return { repository, version, name, direct, object, ...bytes, ...said };
}

export function lockedIn({ packages }: Lockfile, wanted: Repository): LockedPackage | undefined {
  return packages.find(({ repository }) => repository === wanted);
}

/** Pull secrets and the like, which are set on all packages. */
function usualObject(kind: PackageKind, { packages }: Lockfile): ObjectTemplate {
  const specs = packages.filter((each) => each.kind === kind).map(({ object }) => object.spec);
  const [first = {}, ...others] = specs;
  const common = Object.entries(first).filter(([key, value]) =>
    others.every((spec) => isDeepStrictEqual(spec[key], value)),
  );
  return { apiVersion: undefined, metadata: {}, spec: Object.fromEntries(common) };
}

/** Packages of neither lockfile by names that no other package has at either end. */
export function withFreeNames(
  packages: readonly LockedPackage[],
  { from, to }: PlanEnds,
): readonly LockedPackage[] {
  const known = [...to.packages, ...from.packages];
  const held = new Set(known.map(({ repository }) => repository));
  const fresh = packages.filter(({ repository }) => !held.has(repository));
  if (fresh.length === 0) return packages;
  const { names } = assignNames(
    [
      ...known.map(({ repository, name }) => ({ repository, locked: name })),
      ...fresh.map(({ repository }) => ({ repository })),
    ],
    targetFor(to.crossplane),
  );
  return packages.map((each) =>
    held.has(each.repository) ? each : { ...each, name: names.get(each.repository)! },
  );
}
