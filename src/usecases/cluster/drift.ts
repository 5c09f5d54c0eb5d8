import { bundleOf } from '../../bundle/bundle.js';
import { labelOf } from '../../bundle/object-label.js';
import type { Pin } from '../../bundle/package-object.js';
import type { LockedPackage, Lockfile } from '../../lock/lockfile.js';
import { undigested } from '../../lock/lock-manifest.js';
import { isRenderedPin } from '../../model/cluster/image-config.js';
import type { ClusterDump } from '../../model/cluster/cluster-dump.js';
import { PACKAGE_KINDS, type PackageKind } from '../../model/package.js';
import { targetFor } from '../../model/target/target.js';
import type { JsonObject } from '../../text/json.js';
import type { ClusterFinding } from './cluster-finding.js';
import { clusterFindings } from './cluster-findings.js';
import type { Difference } from './differences/difference.js';
import { keptDifferences } from './differences/kept.js';
import { packageDifferences } from './differences/packages.js';
import { rowDifferences } from './differences/rows.js';
import { installedCluster, kubectlName, type InstalledCluster } from './installed-cluster.js';

export interface Drift {
  /** By package, then in a fixed order. */
  readonly differences: readonly Difference[];
  /** What is wrong with the cluster by itself. */
  readonly findings: readonly ClusterFinding[];
  readonly notes: readonly string[];
}

/** Holds a cluster against the lockfile that it was, or should have been, made from. */
export function driftOf(lockfile: Lockfile, dump: ClusterDump): Drift {
  const target = targetFor(lockfile.crossplane)!;
  const cluster = installedCluster(dump, target);
  const expected = expectedObjects(lockfile, cluster, dump);
  return {
    differences: [
      ...otherRelease(lockfile, dump),
      ...lockfile.packages.flatMap((locked) =>
        packageDifferences(locked, {
          cluster,
          object: expected.get(`${locked.kind} \`${locked.name}\``)!,
        }),
      ),
      ...unlocked(lockfile, cluster),
      ...rowDifferences(lockfile, cluster),
      ...keptDifferences([...expected.values()], dump),
    ],
    findings: clusterFindings(cluster),
    notes: absentKinds(lockfile, dump),
  };
}

/** The objects that rendering gives: by digest, or pinned, where the cluster has packages so. */
function expectedObjects(
  lockfile: Lockfile,
  { packages, target }: InstalledCluster,
  { kept }: ClusterDump,
): ReadonlyMap<string, JsonObject> {
  const locked = new Map(lockfile.packages.map((each) => [each.repository, each]));
  const isPinned =
    packages.every(({ repository, version }) => locked.get(repository)?.digest === version) &&
    packages.some(({ repository, version }) => locked.get(repository)?.version !== version);
  const hasPins =
    target.rules.imageConfig?.rewrite === true &&
    undigested(lockfile).length === 0 &&
    kept.some(({ object }) => isRenderedPin(object));
  const pin: Pin = isPinned ? 'digest' : hasPins ? 'locked' : 'tag';
  return new Map(
    bundleOf(lockfile, target, pin).objects.map((object) => [labelOf(object), object]),
  );
}

function otherRelease({ crossplane }: Lockfile, dump: ClusterDump): Difference[] {
  const { version, origin } = dump.crossplane ?? {};
  if (version === undefined || version === crossplane) return [];
  return [
    {
      kind: 'crossplane',
      origin,
      text: `the cluster runs Crossplane ${version}, and the lockfile is for ${crossplane}`,
      locked: crossplane,
      found: version,
      fix: `\`xpkg-resolve set crossplane ${version}\` locks for the release that runs`,
    },
  ];
}

/** Objects of the cluster that the lockfile does not have. */
function unlocked({ packages }: Lockfile, cluster: InstalledCluster): Difference[] {
  const locked = new Map(packages.map((each) => [each.repository, each]));
  const taken = new Set<LockedPackage>();
  return cluster.packages.flatMap((each): Difference[] => {
    const own = locked.get(each.repository);
    // Of two objects of one repository, one is the locked one.
    if (own !== undefined && !taken.has(own) && isTheOne(own, each.name, cluster)) {
      taken.add(own);
      return [];
    }
    return [
      {
        kind: 'unlocked',
        repository: each.repository,
        origin: each.origin,
        text: `${each.kind} \`${each.name}\` (\`${each.reference}\`) is installed and not locked`,
        found: each.version,
        fix:
          own === undefined
            ? `\`xpkg-resolve add ${each.repository}@${each.version}\` locks it; if it should not be there, \`kubectl delete ${kubectlName(each)}\``
            : `\`kubectl delete ${kubectlName(each)}\``,
      },
    ];
  });
}

function isTheOne(locked: LockedPackage, name: string, { packages }: InstalledCluster): boolean {
  const all = packages.filter(({ repository }) => repository === locked.repository);
  return all.length === 1 || name === locked.name || !all.some((each) => each.name === locked.name);
}

/** A kind of which the dump has nothing was probably not asked for. */
function absentKinds({ packages }: Lockfile, dump: ClusterDump): string[] {
  const absent = PACKAGE_KINDS.filter(
    (kind: PackageKind) =>
      packages.some((locked) => locked.kind === kind) &&
      !dump.packages.some((each) => each.kind === kind),
  );
  return absent.map((kind) => `the dump holds no ${kind}: was it left out of \`kubectl get\`?`);
}
