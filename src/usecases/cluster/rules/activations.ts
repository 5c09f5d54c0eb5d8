import type { DumpedActivation } from '../../../model/cluster/cluster-dump.js';
import type { ClusterFinding } from '../cluster-finding.js';
import type { InstalledCluster } from '../installed-cluster.js';

const MRD = 'ManagedResourceDefinition';

/** Which managed resources are switched on: a state of the cluster that no lockfile holds. */
export function activationPolicies({ dump, packages }: InstalledCluster): ClusterFinding[] {
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

/** A pattern that nothing matches: mistyped, or of a provider that is not installed. */
export function idlePatterns({ dump, packages }: InstalledCluster): ClusterFinding[] {
  const defined = definedIn(packages);
  // Where no revision was dumped, nothing is known to match.
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

function definedIn(packages: InstalledCluster['packages']): readonly string[] {
  const listed = packages.flatMap(({ active }) => active?.objects ?? []);
  return listed.filter(({ kind }) => kind === MRD).map(({ name }) => name);
}

function activates({ patterns, activated }: DumpedActivation, name: string): boolean {
  return activated.includes(name) || patterns.some((pattern) => matches(pattern, name));
}

function matches(pattern: string, name: string): boolean {
  return pattern.startsWith('*') ? name.endsWith(pattern.slice(1)) : pattern === name;
}
