import { bundleOf } from '../../project/manifests/bundle.js';
import { labelOf } from '../../project/manifests/object-names.js';
import type { Pin } from '../../project/manifests/package-object.js';
import type { Lockfile } from '../../project/lockfile/lockfile.js';
import { packagesWithoutDigest } from '../../project/lockfile/lock-graph.js';
import { isRenderedPin } from '../../crossplane/package-manager/image-config.js';
import type { ClusterDump } from '../../crossplane/package-manager/cluster-dump.js';
import { PACKAGE_KINDS } from '../../crossplane/packages/package.js';
import { targetFor } from '../../crossplane/releases/target.js';
import type { JsonObject } from '../../base/json.js';
import {
  type Difference,
  extraManifestDifferences,
  installedAs,
  packageDifferences,
  rowDifferences,
} from './differences.js';
import { clusterFindings } from './findings.js';
import {
  type ClusterFinding,
  installedCluster,
  type InstalledCluster,
  kubectlName,
} from './installed-cluster.js';
import { shellWord } from '../../base/escape.js';

export interface Drift {
  /** Grouped by kind, in lockfile order. */
  readonly differences: readonly Difference[];
  /** Problems of the cluster that do not depend on the lockfile. */
  readonly findings: readonly ClusterFinding[];
  readonly notes: readonly string[];
}

/** Whether the cluster differs from the lockfile or has a problem. Information is not a problem. */
export function hasDrifted({ differences, findings }: Drift): boolean {
  return differences.length > 0 || findings.some(({ severity }) => severity !== 'info');
}

/** Compares a cluster with its lockfile. */
export function findDrift(lockfile: Lockfile, dump: ClusterDump): Drift {
  const target = targetFor(lockfile.crossplane)!;
  const cluster = installedCluster(dump, target);
  const expected = expectedObjects(lockfile, cluster);
  return {
    differences: [
      ...otherRelease(lockfile, dump),
      ...lockfile.packages.flatMap((locked) =>
        packageDifferences(locked, expected.get(`${locked.kind} \`${locked.name}\``)!, cluster),
      ),
      ...unlocked(lockfile, cluster),
      ...rowDifferences(lockfile, cluster),
      ...extraManifestDifferences([...expected.values()], dump),
    ],
    findings: clusterFindings(cluster),
    notes: absentKinds(lockfile, dump),
  };
}

/** Renders the lockfile as the cluster was: with tags, with digests, or with pinning ImageConfigs. */
function expectedObjects(
  lockfile: Lockfile,
  { packages, target, dump }: InstalledCluster,
): ReadonlyMap<string, JsonObject> {
  const locked = new Map(lockfile.packages.map((each) => [each.repository, each]));
  const usesDigests =
    packages.every(({ repository, version }) => locked.get(repository)?.digest === version) &&
    packages.some(({ repository, version }) => locked.get(repository)?.version !== version);
  const hasPins =
    target.rules.imageConfig?.rewrite === true &&
    packagesWithoutDigest(lockfile).length === 0 &&
    dump.extraManifests.some(({ object }) => isRenderedPin(object));
  const pin: Pin = usesDigests ? 'digest' : hasPins ? 'locked' : 'tag';
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
      fix: `\`xpkg-resolve set crossplane ${shellWord(version)}\` locks for the release that runs`,
    },
  ];
}

/** Returns installed packages that the lockfile does not have. */
function unlocked({ packages }: Lockfile, cluster: InstalledCluster): Difference[] {
  return cluster.packages.flatMap((each) => {
    const { kind, name, repository, version, origin } = each;
    const locked = packages.find((one) => one.repository === repository);
    if (locked !== undefined && each === installedAs(locked, cluster)) return [];
    const removal = `\`kubectl delete ${kubectlName(each)}\``;
    return {
      kind: 'unlocked',
      repository,
      origin,
      text: `${kind} \`${name}\` (\`${each.reference}\`) is installed and not locked`,
      found: version,
      fix:
        locked === undefined
          ? `\`xpkg-resolve add ${shellWord(`${repository}@${version}`)}\` locks it; if it should not be there, ${removal}`
          : removal,
    };
  });
}

/** Returns notes on kinds of locked packages that the dump does not have at all. */
function absentKinds({ packages }: Lockfile, dump: ClusterDump): string[] {
  const absent = PACKAGE_KINDS.filter(
    (kind) =>
      packages.some((locked) => locked.kind === kind) &&
      !dump.packages.some((each) => each.kind === kind),
  );
  return absent.map((kind) => `the dump holds no ${kind}: was it left out of \`kubectl get\`?`);
}
