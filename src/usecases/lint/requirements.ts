import type { LockedPackage } from '../../lock/lockfile.js';
import { formatOrigin } from '../../model/input-error.js';
import { objectNameOf } from '../../model/name.js';
import { repositoryProblem } from '../../model/reference.js';
import { knownReleases, targetFor } from '../../model/target/target.js';
import { parseConstraint } from '../../semver/constraint.js';
import { parseVersion } from '../../semver/version.js';
import type { LintedSet, SetFinding } from './linted-set.js';

/** A root without its registry means another one release by release, and v2 refuses it. */
export function unqualifiedRoots({ request, target }: LintedSet): SetFinding[] {
  const newest = targetFor(knownReleases().at(-1)!)!;
  if (target.rules.strictReferences) return [];
  return request.roots.flatMap((root): SetFinding[] => {
    if (root.root !== 'package') return [];
    const problem = repositoryProblem(root.repository, newest);
    if (problem === undefined) return [];
    const registry = target.rules.defaultRegistry ?? 'docker.io';
    return [
      {
        rule: 'unqualified-source',
        severity: 'warning',
        origin: root.origin,
        text: `\`${root.repository}\` cannot be installed on Crossplane ${newest.version}: ${problem}`,
        fix: `write \`${registry}/${root.repository}\``,
      },
    ];
  });
}

/** The resolver of a cluster sees packages that do not skip it, and those alone. */
export function skipMixtures({ request }: LintedSet): SetFinding[] {
  const packages = request.roots.filter((root) => root.root === 'package');
  const follows = packages.find((root) => !root.skipDependencyResolution);
  if (follows === undefined) return [];
  return packages
    .filter((root) => root.skipDependencyResolution)
    .map(({ repository, origin }) => ({
      rule: 'skip-mixture',
      severity: 'error',
      origin,
      text: `${repository} has \`skipDependencyResolution: true\` and ${follows.repository} (${formatOrigin(follows.origin)}) has not: a package that skips is not in the Lock, so whatever depends on it reports it missing`,
      fix: 'leave it out here, or set it for all: `spec.defaults.spec.skipDependencyResolution: true`',
    }));
}

/** One finding for all: builds such as `v1.20.0-up.1` are prereleases, which ranges leave out. */
export function patchedCrossplanes(set: LintedSet): SetFinding[] {
  const { lockfile, target, originOf } = set;
  const { dialect } = target.rules;
  const release = /^v?\d+\.\d+\.\d+$/.exec(target.version)?.[0];
  const plain = release === undefined ? undefined : parseVersion(release, dialect);
  const build = release === undefined ? undefined : parseVersion(`${release}-up.1`, dialect);
  if (plain === undefined || build === undefined) return [];
  const strict = lockfile.packages.filter(({ crossplane }) => {
    if (crossplane === undefined) return false;
    const constraint = parseConstraint(crossplane, dialect);
    return !constraint.invalid && constraint.admits(plain) && !constraint.admits(build);
  });
  const [first, ...more] = strict;
  if (first === undefined) return [];
  const others = more.length === 0 ? '' : ` and ${more.length} more`;
  return [
    {
      rule: 'patched-crossplane',
      severity: 'info',
      origin: originOf(first.repository),
      text: `${first.repository} (\`${first.crossplane}\`)${others} would be refused by a patched build such as ${release}-up.1, which is a prerelease to them`,
      fix: 'their authors would write `>=v1.14.0-0`; for one of your objects, `ignoreCrossplaneConstraints: true`',
    },
  ];
}

/** The same package twice in one dependsOn: the cluster's resolver takes one of them. */
export function duplicateRequirements({ lockfile, originOf }: LintedSet): SetFinding[] {
  return lockfile.packages.flatMap((locked) =>
    duplicatesIn(locked).map((repository): SetFinding => ({
      rule: 'duplicate-dependency',
      severity: 'warning',
      origin: originOf(locked.repository),
      text: `${locked.repository} ${locked.version} names ${repository} more than once in \`dependsOn\`; a cluster looks at one of the entries`,
      fix: 'tell its authors; resolving here honours them all',
    })),
  );
}

function duplicatesIn({ requirements }: LockedPackage): string[] {
  const named = requirements.flatMap((each) =>
    each.requires === 'package' ? [each.repository] : [],
  );
  return [...new Set(named.filter((repository, i) => named.indexOf(repository) !== i))];
}

/** Crossplane names what it installs by itself after the repository; another name is a second object. */
export function otherNames({ lockfile, graph, originOf, target }: LintedSet): SetFinding[] {
  if (lockfile.skipDependencyResolution.length > 0) return [];
  return lockfile.packages.flatMap(({ repository, name }): SetFinding[] => {
    const derived = objectNameOf(repository, target);
    if (name === derived || graph.requirersOf(repository).length === 0) return [];
    return [
      {
        rule: 'object-name',
        severity: 'warning',
        origin: originOf(repository),
        text: `${repository} is named \`${name}\`, and ${graph.requirersOf(repository)[0]!.from.repository} requires it: if that comes first, Crossplane installs a second object \`${derived}\`, and two objects of one source stop every package of the cluster`,
        fix: `leave \`name\` out, or apply this object before what requires it`,
      },
    ];
  });
}
