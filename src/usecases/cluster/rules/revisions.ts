import { formatOrigin } from '../../../model/input-error.js';
import { ownershipKey } from '../../../model/owned-object.js';
import { byCodePoint } from '../../../text/code-point-order.js';
import type { ClusterFinding } from '../cluster-finding.js';
import { kubectlName, type InstalledCluster, type InstalledPackage } from '../installed-cluster.js';
import { installedObjects } from '../installed-objects.js';

/** A package of which nothing runs. */
export function inactivePackages({ packages }: InstalledCluster): ClusterFinding[] {
  return packages.flatMap((each): ClusterFinding[] => {
    const newest = newestOf(each);
    if (each.active !== undefined || newest === undefined) return [];
    return [
      {
        rule: 'inactive',
        severity: 'warning',
        origin: newest.origin,
        text: `${each.kind} \`${each.name}\` has no active revision: nothing of it runs`,
        fix: activate(each, newest.name),
      },
    ];
  });
}

/** A newer revision that is not active: with `Manual` activation, a person has to say so. */
export function waitingRevisions({ packages }: InstalledCluster): ClusterFinding[] {
  return packages.flatMap((each): ClusterFinding[] => {
    const newest = newestOf(each);
    if (each.active === undefined || newest === undefined || newest === each.active) return [];
    if (newest.number <= each.active.number) return [];
    return [
      {
        rule: 'waiting-revision',
        severity: 'warning',
        origin: newest.origin,
        text: `${each.kind} \`${each.name}\` runs \`${each.active.image}\`, and its newer revision \`${newest.name}\` (\`${newest.image}\`) is not active`,
        fix: activate(each, newest.name),
      },
    ];
  });
}

export function severalActive({ packages }: InstalledCluster): ClusterFinding[] {
  return packages.flatMap((each): ClusterFinding[] => {
    const active = each.revisions.filter(({ isActive }) => isActive);
    if (active.length < 2) return [];
    const names = active.map(({ name }) => `\`${name}\``).sort(byCodePoint);
    return [
      {
        rule: 'several-active',
        severity: 'error',
        origin: active[1]!.origin,
        text: `${each.kind} \`${each.name}\` has ${active.length} active revisions, ${names.join(' and ')}, which claim the same objects`,
        fix: `leave the one active that \`spec.package\` asks for: ${deactivate(each)}`,
      },
    ];
  });
}

/** A revision that no package of the dump has. */
export function orphanedRevisions({ dump, packages }: InstalledCluster): ClusterFinding[] {
  const owned = new Set(packages.flatMap(({ revisions }) => revisions));
  const kinds = new Set(dump.packages.map(({ kind }) => kind));
  return dump.revisions.flatMap((revision): ClusterFinding[] => {
    // Without its packages in the dump, nothing can be told about a kind.
    if (owned.has(revision) || !kinds.has(revision.kind)) return [];
    const { kind, name, origin } = revision;
    const whose = revision.packageName === undefined ? '' : ` \`${revision.packageName}\``;
    return [
      {
        rule: 'orphaned-revision',
        severity: 'warning',
        origin,
        text: `${kind}Revision \`${name}\` belongs to a ${kind}${whose} that is not there`,
        fix: `\`kubectl delete ${kubectlName({ kind: `${kind}Revision`, name })}\`, once nothing needs its ${revision.objects.length} objects`,
      },
    ];
  });
}

/** An object that two active revisions list: only one of them can control it. */
export function twoOwners({ packages }: InstalledCluster): ClusterFinding[] {
  const owners = new Map<string, { readonly by: InstalledPackage; readonly label: string }>();
  const shared = new Map<
    string,
    { readonly pair: readonly InstalledPackage[]; labels: string[] }
  >();
  for (const by of packages) {
    for (const owned of installedObjects(by)) {
      const label = `${owned.kind} \`${owned.name}\``;
      const first = owners.get(ownershipKey(owned))?.by;
      if (first === undefined) owners.set(ownershipKey(owned), { by, label });
      else if (first.repository !== by.repository) {
        const key = JSON.stringify([first.repository, by.repository]);
        const known = shared.get(key) ?? { pair: [first, by], labels: [] };
        shared.set(key, known);
        known.labels.push(label);
      }
    }
  }
  return [...shared.values()].map(({ pair: [first, second], labels }): ClusterFinding => {
    const more = labels.length === 1 ? '' : ` and ${labels.length - 1} more`;
    return {
      rule: 'two-owners',
      severity: 'error',
      origin: second!.active!.origin,
      text: `${labels[0]}${more} is owned by ${first!.kind} \`${first!.name}\` (${formatOrigin(first!.active!.origin)}) and by ${second!.kind} \`${second!.name}\`: one of them never becomes healthy`,
      fix: 'decide which of them is to stay; `xpkg-resolve resolve` finds versions that do not clash',
    };
  });
}

function newestOf({ revisions }: InstalledPackage) {
  return [...revisions].sort((a, b) => b.number - a.number || byCodePoint(a.name, b.name))[0];
}

function activate({ kind }: InstalledPackage, name: string): string {
  return `\`kubectl patch ${kubectlName({ kind: `${kind}Revision`, name })} --type=merge -p '{"spec":{"desiredState":"Active"}}'\``;
}

function deactivate({ kind }: InstalledPackage): string {
  return `\`kubectl patch ${kubectlName({ kind: `${kind}Revision`, name: 'NAME' })} --type=merge -p '{"spec":{"desiredState":"Inactive"}}'\``;
}
