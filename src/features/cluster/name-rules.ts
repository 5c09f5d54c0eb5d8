import { formatOrigin } from '../../base/errors.js';
import { objectNameOf, objectNameProblem } from '../../crossplane/packages/object-names.js';
import { repositoryProblem, sameRepository } from '../../crossplane/packages/reference.js';
import { isDigest } from '../../base/digest.js';
import {
  type ClusterFinding,
  type ClusterRule,
  type InstalledCluster,
  skipsResolution,
} from './installed-cluster.js';

/** Rules about object names and image references. */
export const NAME_RULES: readonly ClusterRule[] = [
  unexpectedNames,
  duplicateSpellings,
  tagsWithDigests,
  digestsAndRanges,
  unreadableReferences,
];

/**
 * Reports object names that Crossplane rejects, or that differ from the derived name although
 * another package depends on the repository: Crossplane may then install it a second time.
 */
function unexpectedNames({ packages, target, requirersOf }: InstalledCluster): ClusterFinding[] {
  const taken = new Set(packages.map(({ name }) => name));
  return packages.flatMap((each) => {
    const { kind, name, repository, origin } = each;
    const problem = objectNameProblem(name);
    if (problem !== undefined) {
      const text = `the name of ${kind} \`${name}\` ${problem}`;
      const fix = 'give it a shorter name when it is installed anew';
      return { rule: 'odd-name', severity: 'warning', origin, text, fix };
    }
    const derived = objectNameOf(repository, target);
    const [requirer] = requirersOf(repository);
    if (name === derived || requirer === undefined || taken.has(derived)) return [];
    if (skipsResolution(each)) return [];
    return {
      rule: 'odd-name',
      severity: 'warning',
      origin,
      text: `${kind} \`${name}\` has another name than Crossplane gives \`${repository}\`, \`${derived}\`, and \`${requirer.from.source}\` depends on it: when both change at once, the cluster installs it again by that name, and then resolves no package at all`,
      fix: 'keep the name in xpkg.yaml, as `import` does, and apply dependencies before what depends on them, as `rendered` has them',
    };
  });
}

/** Reports one repository that is spelled in two ways, which Crossplane treats as two packages. */
function duplicateSpellings({ packages, target }: InstalledCluster): ClusterFinding[] {
  return packages.flatMap((each, i) =>
    packages.slice(i + 1).flatMap((other): ClusterFinding | [] => {
      if (each.repository === other.repository) return [];
      if (!sameRepository(each.repository, other.repository, target)) return [];
      return {
        rule: 'spelled-twice',
        severity: 'warning',
        origin: other.origin,
        text: `\`${other.repository}\` and \`${each.repository}\` (${formatOrigin(each.origin)}) are one repository, spelled in two ways: the cluster takes them for two packages`,
        fix: 'keep one of them, and name it as what depends on it does; `replace` in xpkg.yaml does so for all',
      };
    }),
  );
}

/** Reports `repo:tag@digest` references, for which the Lock uses `repo:tag` as the source. */
function tagsWithDigests({ packages, requirersOf }: InstalledCluster): ClusterFinding[] {
  return packages.flatMap((each) => {
    if (each.source === each.repository) return [];
    const [requirer] = requirersOf(each.repository);
    const who =
      requirer === undefined ? 'whatever will depend on it' : `\`${requirer.from.source}\``;
    return {
      rule: 'tag-and-digest',
      severity: requirer === undefined ? 'warning' : 'error',
      origin: each.origin,
      text: `${each.kind} \`${each.name}\` is installed as \`${each.reference}\`: Crossplane takes the tag for a part of its source, so that ${who} does not find it`,
      fix: 'write the tag or the digest, not both; the lockfile keeps the digest of a tag',
    };
  });
}

/** Reports packages installed by digest on which a range depends: Crossplane cannot compare them. */
function digestsAndRanges({ packages, requirersOf }: InstalledCluster): ClusterFinding[] {
  return packages.flatMap((each) => {
    if (!isDigest(each.version) || each.source !== each.repository) return [];
    const range = requirersOf(each.repository).find(({ constraint }) => !isDigest(constraint));
    if (range === undefined) return [];
    return {
      rule: 'digest-and-range',
      severity: 'error',
      origin: each.origin,
      text: `${each.kind} \`${each.name}\` is installed by digest, and \`${range.from.source}\` depends on it as \`${range.constraint}\`, which Crossplane cannot compare`,
      fix: 'install it by its tag; the lockfile keeps the digest of that',
    };
  });
}

/** Reports references that no release can pull, or that the target release rejects. */
function unreadableReferences(cluster: InstalledCluster): ClusterFinding[] {
  const { packages, unreadable, target } = cluster;
  const fix = 'write `REGISTRY/PATH:TAG`';
  const rule = 'reference';
  return [
    ...unreadable.map(({ kind, name, reference, origin }): ClusterFinding => {
      const text = `${kind} \`${name}\` is passed over: \`${reference}\` is no image reference`;
      return { rule, severity: 'error', origin, text, fix };
    }),
    ...packages.flatMap(({ kind, name, repository, reference, origin }): ClusterFinding | [] => {
      const problem = repositoryProblem(repository, target);
      if (problem === undefined) return [];
      const text = `${kind} \`${name}\` is installed as \`${reference}\`, and ${problem}`;
      return { rule, severity: 'warning', origin, text, fix };
    }),
  ];
}
