import { formatOrigin } from '../../../model/input-error.js';
import type { DumpedCondition } from '../../../model/cluster/cluster-dump.js';
import type { Repository } from '../../../model/package.js';
import type { ClusterFinding } from '../cluster-finding.js';
import {
  kubectlName,
  skipsResolution,
  type InstalledCluster,
  type InstalledPackage,
} from '../installed-cluster.js';
import { objectNameOf } from '../../../model/name.js';

/** Two objects of one repository: the Lock cannot hold it twice, and resolves nothing any more. */
export function duplicateSources({ packages, target }: InstalledCluster): ClusterFinding[] {
  const groups = new Map<Repository, InstalledPackage[]>();
  for (const each of packages) {
    groups.set(each.repository, [...(groups.get(each.repository) ?? []), each]);
  }
  return [...groups].flatMap(([repository, all]) => {
    if (all.length < 2) return [];
    const keep = worthKeeping(all, objectNameOf(repository, target));
    const others = all.filter((each) => each !== keep);
    const places = all.map(
      (each) => `${each.kind} \`${each.name}\` (${formatOrigin(each.origin)})`,
    );
    const owning = others.filter(({ active }) => (active?.objects.length ?? 0) > 0);
    return [
      {
        rule: 'duplicate-source',
        severity: 'error',
        origin: others[0]!.origin,
        text: `\`${repository}\` is installed by ${places.join(' and ')}: the Lock cannot hold a source twice, so that the cluster resolves no package at all`,
        fix:
          `keep \`${keep.name}\`: ${others.map((each) => `\`kubectl delete ${kubectlName(each)}\``).join(', ')}` +
          owning
            .map((each) => `; \`${each.active!.name}\` lists objects of its own, which go with it`)
            .join(''),
      },
    ];
  });
}

/** The one whose revision holds most objects; then the one that a person made, or that is well named. */
export function worthKeeping(all: readonly InstalledPackage[], derived: string): InstalledPackage {
  const worth = ({ active, isUsers, name }: InstalledPackage) => [
    active?.objects.length ?? 0,
    Number(isUsers),
    Number(name === derived),
  ];
  return [...all].sort((a, b) => {
    const [own, other] = [worth(a), worth(b)];
    const differing = own.findIndex((value, i) => value !== other[i]);
    return differing < 0 ? 0 : other[differing]! - own[differing]!;
  })[0]!;
}

/** A package that skips is in no Lock: to all that do not skip it is missing. */
export function skipMixture({ packages }: InstalledCluster): ClusterFinding[] {
  const skipping = packages.filter(skipsResolution);
  const [following] = packages.filter((each) => !skipsResolution(each));
  if (skipping.length === 0 || following === undefined) return [];
  const [first, ...more] = skipping;
  const others = more.length === 0 ? '' : `, and ${more.length} more,`;
  return [
    {
      rule: 'skip-mixture',
      severity: 'error',
      origin: first!.origin,
      text: `${first!.kind} \`${first!.name}\`${others} has \`skipDependencyResolution: true\`, and ${following.kind} \`${following.name}\` (${formatOrigin(following.origin)}) has not: a package that skips is not in the Lock, so that whatever depends on it reports it missing`,
      fix: 'set it on every package or on none; `xpkg-resolve render` writes it so',
    },
  ];
}

/** Installed and healthy is what a package says where all is well. */
export function unhealthyPackages({ packages }: InstalledCluster): ClusterFinding[] {
  return packages.flatMap((each) => {
    const told = unmetConditions(each);
    if (told.length === 0) return [];
    // A revision says more than its package does.
    const says = told.findLast(({ message }) => message !== '') ?? told[0]!;
    return [
      {
        rule: 'unhealthy',
        severity: 'warning',
        origin: each.origin,
        text: `${each.kind} \`${each.name}\` is not installed and healthy: ${conditionText(says)}`,
        fix: `\`kubectl describe ${kubectlName(each)}\` shows its events`,
      },
    ];
  });
}

export function isInstalledWell(installed: InstalledPackage): boolean {
  return unmetConditions(installed).length === 0;
}

function unmetConditions({ conditions, active }: InstalledPackage): readonly DumpedCondition[] {
  return [...conditions, ...(active?.conditions ?? [])].filter(({ status }) => status !== 'True');
}

const MAX_MESSAGE_CHARS = 300;

/** A condition in one line: `Healthy=False (UnhealthyPackageRevision): why`. */
export function conditionText({ type, status, reason, message }: DumpedCondition): string {
  const line = message.replaceAll(/\s+/g, ' ').trim();
  const shown = line.length > MAX_MESSAGE_CHARS ? `${line.slice(0, MAX_MESSAGE_CHARS)}…` : line;
  return `${type}=${status}${reason === '' ? '' : ` (${reason})`}${shown === '' ? '' : `: ${shown}`}`;
}

/** Nothing becomes of changes to an object that is paused, or on its way out. */
export function pausedObjects({ packages }: InstalledCluster): ClusterFinding[] {
  return packages.flatMap((each): ClusterFinding[] => {
    const subject = `${each.kind} \`${each.name}\``;
    const { origin } = each;
    if (each.isBeingDeleted) {
      const text = `${subject} is being deleted, and has not gone`;
      const fix = `see what holds it with \`kubectl get ${kubectlName(each)} -o yaml\`: its finalizers`;
      return [{ rule: 'being-deleted', severity: 'warning', origin, text, fix }];
    }
    if (!each.isPaused) return [];
    const text = `${subject} is paused: Crossplane does nothing about a change to it`;
    const fix = `\`kubectl annotate ${kubectlName(each)} crossplane.io/paused-\``;
    return [{ rule: 'paused', severity: 'warning', origin, text, fix }];
  });
}
