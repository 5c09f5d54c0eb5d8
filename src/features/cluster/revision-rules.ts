import { formatOrigin } from '../../base/errors.js';
import { ownershipKey } from '../../crossplane/packages/owned-objects.js';
import { byCodePoint, getOrCreate } from '../../base/collections.js';
import {
  type ClusterFinding,
  type ClusterRule,
  type InstalledCluster,
  installedObjects,
  type InstalledPackage,
  kubectlName,
} from './installed-cluster.js';

/** Rules about package revisions. */
export const REVISION_RULES: readonly ClusterRule[] = [
  inactivePackages,
  pendingRevisions,
  multipleActiveRevisions,
  orphanedRevisions,
  objectsWithTwoOwners,
];

/** Reports packages without an active revision. */
function inactivePackages({ packages }: InstalledCluster): ClusterFinding[] {
  return packages.flatMap((each) => {
    const newest = newestOf(each);
    if (each.active !== undefined || newest === undefined) return [];
    return {
      rule: 'inactive',
      severity: 'warning',
      origin: newest.origin,
      text: `${each.kind} \`${each.name}\` has no active revision: nothing of it runs`,
      fix: desiredState(each, newest.name, 'Active'),
    };
  });
}

/** Reports newer revisions that are not active, as with `Manual` activation. */
function pendingRevisions({ packages }: InstalledCluster): ClusterFinding[] {
  return packages.flatMap((each) => {
    const newest = newestOf(each);
    if (each.active === undefined || newest === undefined) return [];
    if (newest.number <= each.active.number) return [];
    return {
      rule: 'waiting-revision',
      severity: 'warning',
      origin: newest.origin,
      text: `${each.kind} \`${each.name}\` runs \`${each.active.image}\`, and its newer revision \`${newest.name}\` (\`${newest.image}\`) is not active`,
      fix: desiredState(each, newest.name, 'Active'),
    };
  });
}

function multipleActiveRevisions({ packages }: InstalledCluster): ClusterFinding[] {
  return packages.flatMap((each) => {
    const active = each.revisions.filter(({ isActive }) => isActive);
    if (active.length < 2) return [];
    const names = active.map(({ name }) => `\`${name}\``).sort(byCodePoint);
    return {
      rule: 'several-active',
      severity: 'error',
      origin: active[1]!.origin,
      text: `${each.kind} \`${each.name}\` has ${active.length} active revisions, ${names.join(' and ')}, which claim the same objects`,
      fix: `leave the one active that \`spec.package\` asks for: ${desiredState(each, 'NAME', 'Inactive')}`,
    };
  });
}

/** Reports revisions whose package is not in the dump. */
function orphanedRevisions({ dump, packages }: InstalledCluster): ClusterFinding[] {
  const owned = new Set(packages.flatMap(({ revisions }) => revisions));
  const kinds = new Set(dump.packages.map(({ kind }) => kind));
  return dump.revisions.flatMap((revision) => {
    // A kind without any package in the dump was probably not dumped.
    if (owned.has(revision) || !kinds.has(revision.kind)) return [];
    const { kind, name, origin } = revision;
    const owner = revision.packageName === undefined ? '' : ` \`${revision.packageName}\``;
    return {
      rule: 'orphaned-revision',
      severity: 'warning',
      origin,
      text: `${kind}Revision \`${name}\` belongs to a ${kind}${owner} that is not there`,
      fix: `\`kubectl delete ${kubectlName({ kind: `${kind}Revision`, name })}\`, once nothing needs its ${revision.objects.length} objects`,
    };
  });
}

/** Objects that the active revisions of two packages list. */
interface SharedObjects {
  readonly first: InstalledPackage;
  readonly second: InstalledPackage;
  readonly labels: string[];
}

/** Reports objects that two active revisions list: only one of them can control an object. */
function objectsWithTwoOwners({ packages }: InstalledCluster): ClusterFinding[] {
  const owners = new Map<string, InstalledPackage>();
  const shared = new Map<string, SharedObjects>();
  for (const second of packages) {
    for (const owned of installedObjects(second)) {
      const first = getOrCreate(owners, ownershipKey(owned), () => second);
      if (first.repository === second.repository) continue;
      const key = JSON.stringify([first.repository, second.repository]);
      const { labels } = getOrCreate(shared, key, () => ({ first, second, labels: [] }));
      labels.push(`${owned.kind} \`${owned.name}\``);
    }
  }
  return [...shared.values()].map(({ first, second, labels }) => {
    const more = labels.length === 1 ? '' : ` and ${labels.length - 1} more`;
    return {
      rule: 'two-owners',
      severity: 'error',
      origin: second.active!.origin,
      text: `${labels[0]}${more} is owned by ${first.kind} \`${first.name}\` (${formatOrigin(first.active!.origin)}) and by ${second.kind} \`${second.name}\`: one of them never becomes healthy`,
      fix: 'decide which of them is to stay; `xpkg-resolve resolve` finds versions that do not clash',
    };
  });
}

function newestOf({ revisions }: InstalledPackage) {
  return [...revisions].sort((a, b) => b.number - a.number || byCodePoint(a.name, b.name))[0];
}

/** Returns the command that activates or deactivates a revision. */
function desiredState({ kind }: InstalledPackage, name: string, state: string): string {
  return `\`kubectl patch ${kubectlName({ kind: `${kind}Revision`, name })} --type=merge -p '{"spec":{"desiredState":"${state}"}}'\``;
}
