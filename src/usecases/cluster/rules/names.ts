import { formatOrigin } from '../../../model/input-error.js';
import { objectNameOf, objectNameProblem } from '../../../model/name.js';
import { repositoryProblem, sameRepository } from '../../../model/reference.js';
import { isDigest } from '../../../text/digest.js';
import type { ClusterFinding } from '../cluster-finding.js';
import { skipsResolution, type InstalledCluster } from '../installed-cluster.js';

/** A name under which the cluster's resolver does not find what is there, and installs it again. */
export function oddNames({ packages, target, requirersOf }: InstalledCluster): ClusterFinding[] {
  const taken = new Set(packages.map(({ name }) => name));
  return packages.flatMap((each): ClusterFinding[] => {
    const { kind, name, repository, origin } = each;
    const problem = objectNameProblem(name);
    if (problem !== undefined) {
      const text = `the name of ${kind} \`${name}\` ${problem}`;
      const fix = 'give it a shorter name when it is installed anew';
      return [{ rule: 'odd-name', severity: 'warning', origin, text, fix }];
    }
    const derived = objectNameOf(repository, target);
    const [requirer] = requirersOf(repository);
    if (name === derived || requirer === undefined || taken.has(derived)) return [];
    if (skipsResolution(each)) return [];
    return [
      {
        rule: 'odd-name',
        severity: 'warning',
        origin,
        text: `${kind} \`${name}\` has another name than Crossplane gives \`${repository}\`, \`${derived}\`, and \`${requirer.from.source}\` depends on it: when both change at once, the cluster installs it again by that name, and then resolves no package at all`,
        fix: 'keep the name in xpkg.yaml, as `import` does, and apply dependencies before what depends on them, as `rendered` has them',
      },
    ];
  });
}

/** One repository under two names, which a cluster takes for two packages. */
export function twoSpellings({ packages, target }: InstalledCluster): ClusterFinding[] {
  return packages.flatMap((each, i) =>
    packages.slice(i + 1).flatMap((other): ClusterFinding[] => {
      if (each.repository === other.repository) return [];
      if (!sameRepository(each.repository, other.repository, target)) return [];
      return [
        {
          rule: 'spelled-twice',
          severity: 'warning',
          origin: other.origin,
          text: `\`${other.repository}\` and \`${each.repository}\` (${formatOrigin(each.origin)}) are one repository, spelled in two ways: the cluster takes them for two packages`,
          fix: 'keep one of them, and name it as what depends on it does; `replace` in xpkg.yaml does so for all',
        },
      ];
    }),
  );
}

/** `repo:tag@digest`: the tag becomes part of the name that the Lock knows the package by. */
export function twoTags({ packages, requirersOf }: InstalledCluster): ClusterFinding[] {
  return packages.flatMap((each): ClusterFinding[] => {
    if (each.source === each.repository) return [];
    const [requirer] = requirersOf(each.repository);
    const who =
      requirer === undefined ? 'whatever will depend on it' : `\`${requirer.from.source}\``;
    return [
      {
        rule: 'tag-and-digest',
        severity: requirer === undefined ? 'warning' : 'error',
        origin: each.origin,
        text: `${each.kind} \`${each.name}\` is installed as \`${each.reference}\`: Crossplane takes the tag for a part of its source, so that ${who} does not find it`,
        fix: 'write the tag or the digest, not both; the lockfile keeps the digest of a tag',
      },
    ];
  });
}

/** Crossplane compares a range with the installed version, and a digest is none. */
export function digestsAndRanges({ packages, requirersOf }: InstalledCluster): ClusterFinding[] {
  return packages.flatMap((each): ClusterFinding[] => {
    if (!isDigest(each.version) || each.source !== each.repository) return [];
    const ranged = requirersOf(each.repository).find(({ constraint }) => !isDigest(constraint));
    if (ranged === undefined) return [];
    return [
      {
        rule: 'digest-and-range',
        severity: 'error',
        origin: each.origin,
        text: `${each.kind} \`${each.name}\` is installed by digest, and \`${ranged.from.source}\` depends on it as \`${ranged.constraint}\`, which Crossplane cannot compare`,
        fix: 'install it by its tag; the lockfile keeps the digest of that',
      },
    ];
  });
}

/** What no release, or not this one, would pull. */
export function unreadableReferences(cluster: InstalledCluster): ClusterFinding[] {
  const { packages, unreadable, target } = cluster;
  const fix = 'write `REGISTRY/PATH:TAG`';
  const rule = 'reference';
  return [
    ...unreadable.map(({ kind, name, reference, origin }): ClusterFinding => {
      const text = `${kind} \`${name}\` is passed over: \`${reference}\` is no image reference`;
      return { rule, severity: 'error', origin, text, fix };
    }),
    ...packages.flatMap(({ kind, name, repository, reference, origin }): ClusterFinding[] => {
      const problem = repositoryProblem(repository, target);
      if (problem === undefined) return [];
      const text = `${kind} \`${name}\` is installed as \`${reference}\`, and ${problem}`;
      return [{ rule, severity: 'warning', origin, text, fix }];
    }),
  ];
}
