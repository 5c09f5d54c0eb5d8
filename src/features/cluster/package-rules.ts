import {
  type ClusterFinding,
  type ClusterRule,
  type InstalledCluster,
  type InstalledPackage,
  kubectlName,
  skipsResolution,
} from './installed-cluster.js';
import { getOrCreate } from '../../base/collections.js';
import { formatOrigin } from '../../base/errors.js';
import type {
  DumpedActivation,
  DumpedCondition,
} from '../../crossplane/package-manager/cluster-dump.js';
import { objectNameOf } from '../../crossplane/packages/object-names.js';
import type { Repository } from '../../crossplane/packages/package.js';
import type { Target } from '../../crossplane/releases/target.js';

/** Rules about installed packages. */
export const PACKAGE_RULES: readonly ClusterRule[] = [
  duplicateSources,
  mixedSkipResolution,
  unhealthyPackages,
  pausedObjects,
  activationPolicies,
  unmatchedPatterns,
];

/** Returns packages grouped by repository, in the order of their first package. */
export function byRepository(
  packages: readonly InstalledPackage[],
): ReadonlyMap<Repository, readonly InstalledPackage[]> {
  const groups = new Map<Repository, InstalledPackage[]>();
  for (const each of packages) getOrCreate(groups, each.repository, () => []).push(each);
  return groups;
}

/** Reports repositories that several objects install: Crossplane then resolves no package. */
function duplicateSources({ packages, target }: InstalledCluster): ClusterFinding[] {
  return [...byRepository(packages)].flatMap(([repository, all]) => {
    if (all.length < 2) return [];
    const keep = preferredPackage(all, repository, target);
    const others = all.filter((each) => each !== keep);
    const places = all.map(
      (each) => `${each.kind} \`${each.name}\` (${formatOrigin(each.origin)})`,
    );
    const owning = others.filter((each) => ownedCount(each) > 0);
    return {
      rule: 'duplicate-source',
      severity: 'error',
      origin: others[0]!.origin,
      text: `\`${repository}\` is installed by ${places.join(' and ')}: the Lock cannot hold a source twice, so that the cluster resolves no package at all`,
      fix:
        `keep \`${keep.name}\`: ${others.map((each) => `\`kubectl delete ${kubectlName(each)}\``).join(', ')}` +
        owning
          .map((each) => `; \`${each.active!.name}\` lists objects of its own, which go with it`)
          .join(''),
    };
  });
}

/**
 * Returns the object to keep of those that install one repository: the one with the most objects,
 * then one that a user created, then one with the name that Crossplane derives.
 */
export function preferredPackage(
  all: readonly InstalledPackage[],
  repository: Repository,
  target: Target,
): InstalledPackage {
  const derived = objectNameOf(repository, target);
  return [...all].sort(
    (a, b) =>
      ownedCount(b) - ownedCount(a) ||
      Number(b.isUserCreated) - Number(a.isUserCreated) ||
      Number(b.name === derived) - Number(a.name === derived),
  )[0]!;
}

function ownedCount({ active }: InstalledPackage): number {
  return active?.objects.length ?? 0;
}

/** Reports that only some packages skip resolution: to the others they are missing in the Lock. */
function mixedSkipResolution({ packages }: InstalledCluster): ClusterFinding[] {
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

/** Reports packages with a condition that is not true. */
function unhealthyPackages({ packages }: InstalledCluster): ClusterFinding[] {
  return packages.flatMap((each) => {
    const unmet = unmetConditions(each);
    if (unmet.length === 0) return [];
    // Conditions of the revision come last and are more specific.
    const condition = unmet.findLast(({ message }) => message !== '') ?? unmet[0]!;
    return {
      rule: 'unhealthy',
      severity: 'warning',
      origin: each.origin,
      text: `${each.kind} \`${each.name}\` is not installed and healthy: ${conditionText(condition)}`,
      fix: `\`kubectl describe ${kubectlName(each)}\` shows its events`,
    };
  });
}

export function isInstalledAndHealthy(installed: InstalledPackage): boolean {
  return unmetConditions(installed).length === 0;
}

function unmetConditions({ conditions, active }: InstalledPackage): readonly DumpedCondition[] {
  return [...conditions, ...(active?.conditions ?? [])].filter(({ status }) => status !== 'True');
}

const MAX_MESSAGE_CHARS = 300;

/** Formats a condition as one line: `Healthy=False (UnhealthyPackageRevision): message`. */
export function conditionText({ type, status, reason, message }: DumpedCondition): string {
  const line = message.replaceAll(/\s+/g, ' ').trim();
  const shown = line.length > MAX_MESSAGE_CHARS ? `${line.slice(0, MAX_MESSAGE_CHARS)}…` : line;
  return `${type}=${status}${reason === '' ? '' : ` (${reason})`}${shown === '' ? '' : `: ${shown}`}`;
}

/** Reports objects that are paused or being deleted: Crossplane ignores changes to them. */
function pausedObjects({ packages }: InstalledCluster): ClusterFinding[] {
  return packages.flatMap((each) => {
    const subject = `${each.kind} \`${each.name}\``;
    const { origin } = each;
    if (each.isBeingDeleted) {
      const text = `${subject} is being deleted, and has not gone`;
      const fix = `see what holds it with \`kubectl get ${kubectlName(each)} -o yaml\`: its finalizers`;
      return { rule: 'being-deleted', severity: 'warning', origin, text, fix };
    }
    if (!each.isPaused) return [];
    const text = `${subject} is paused: Crossplane does nothing about a change to it`;
    const fix = `\`kubectl annotate ${kubectlName(each)} crossplane.io/paused-\``;
    return { rule: 'paused', severity: 'warning', origin, text, fix };
  });
}

/** Reports how many managed resources each activation policy activates. Lockfiles do not record it. */
function activationPolicies({ dump, packages }: InstalledCluster): ClusterFinding[] {
  const defined = definedIn(packages);
  return dump.activations.map((policy): ClusterFinding => {
    const on = defined.filter((name) => activates(policy, name)).length;
    return {
      rule: 'activation-policy',
      severity: 'info',
      origin: policy.origin,
      text: `ManagedResourceActivationPolicy \`${policy.name}\` activates ${on} of ${defined.length} managed resources of the cluster (${policy.patterns.map((each) => `\`${each}\``).join(', ') || 'no pattern'})`,
      fix: 'it is in no package and no lockfile: keep it in a file of its own, and apply that beside `rendered`',
    };
  });
}

/** Reports activation patterns that match no managed resource of an installed provider. */
function unmatchedPatterns({ dump, packages }: InstalledCluster): ClusterFinding[] {
  const defined = definedIn(packages);
  // Without dumped revisions, the managed resources are unknown.
  if (defined.length === 0) return [];
  return dump.activations.flatMap((policy) =>
    policy.patterns
      .filter((pattern) => !defined.some((name) => matches(pattern, name)))
      .map((pattern): ClusterFinding => ({
        rule: 'idle-activation',
        severity: 'warning',
        origin: policy.origin,
        text: `\`${pattern}\` in ManagedResourceActivationPolicy \`${policy.name}\` matches no managed resource of an installed provider`,
        fix: 'it names resources as `kubectl get managedresourcedefinitions` does; `*.` stands for the beginning of a name',
      })),
  );
}

/** Returns the names of the managed resource definitions of active revisions. */
function definedIn(packages: readonly InstalledPackage[]): readonly string[] {
  const listed = packages.flatMap(({ active }) => active?.objects ?? []);
  return listed.filter(({ kind }) => kind === 'ManagedResourceDefinition').map(({ name }) => name);
}

function activates({ patterns, activated }: DumpedActivation, name: string): boolean {
  return activated.includes(name) || patterns.some((pattern) => matches(pattern, name));
}

function matches(pattern: string, name: string): boolean {
  return pattern.startsWith('*') ? name.endsWith(pattern.slice(1)) : pattern === name;
}
