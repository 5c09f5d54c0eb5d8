import {
  type ClusterRule,
  clusterRule,
  type InstalledPackage,
  kubectlName,
  objectLabel,
  packageRule,
  skipsResolution,
} from './installed-cluster.js';
import { getOrCreate } from '../../base/collections.js';
import { isDigest } from '../../base/digest.js';
import { formatOrigin } from '../../base/errors.js';
import type { DumpedCondition } from '../../crossplane/package-manager/cluster-dump.js';
import { objectNameOf, objectNameProblem } from '../../crossplane/packages/object-names.js';
import type { Repository } from '../../crossplane/packages/package.js';
import { repositoryProblem, sameRepository } from '../../crossplane/packages/reference.js';
import type { Target } from '../../crossplane/releases/target.js';

const REFERENCE_FIX = 'write `REGISTRY/PATH:TAG`';

/** Rules about installed packages, their names and image references. */
export const PACKAGE_RULES: readonly ClusterRule[] = [
  // Crossplane resolves no package while several objects install the same repository.
  clusterRule('duplicate-source', 'error', ({ packages, target }) =>
    [...byRepository(packages)].flatMap(([repository, all]) => {
      if (all.length < 2) return [];
      const preferred = preferredPackage(all, repository, target);
      const others = all.filter((each) => each !== preferred);
      const places = all.map((each) => `${objectLabel(each)} (${formatOrigin(each.origin)})`);
      const deletions = others.map((each) => `\`kubectl delete ${kubectlName(each)}\``);
      const losses = others
        .filter((each) => ownedCount(each) > 0)
        .map(({ active }) => `; \`${active!.name}\` lists objects of its own, which go with it`);
      return {
        origin: others[0]!.origin,
        text: `\`${repository}\` is installed by ${places.join(' and ')}: the Lock cannot hold a source twice, so that the cluster resolves no package at all`,
        fix: `keep \`${preferred.name}\`: ${deletions.join(', ')}${losses.join('')}`,
      };
    }),
  ),

  // If only some packages skip resolution, the others report them missing in the Lock.
  clusterRule('skip-mixture', 'error', ({ packages }) => {
    const [first, ...more] = packages.filter(skipsResolution);
    const following = packages.find((each) => !skipsResolution(each));
    if (first === undefined || following === undefined) return [];
    const others = more.length === 0 ? '' : `, and ${more.length} more,`;
    const text = `${objectLabel(first)}${others} has \`skipDependencyResolution: true\`, and ${objectLabel(following)} (${formatOrigin(following.origin)}) has not: a package that skips is not in the Lock, so that whatever depends on it reports it missing`;
    const fix = 'set it on every package or on none; `xpkg-resolve render` writes it so';
    return [{ origin: first.origin, text, fix }];
  }),

  packageRule('unhealthy', 'warning', (each) => {
    const unmet = unmetConditions(each);
    // Conditions of the revision come last and are more specific.
    const condition = unmet.findLast(({ message }) => message !== '') ?? unmet[0];
    return (
      condition && {
        text: `${objectLabel(each)} is not installed and healthy: ${conditionText(condition)}`,
        fix: `\`kubectl describe ${kubectlName(each)}\` shows its events`,
      }
    );
  }),

  // Crossplane ignores changes of objects that are being deleted or paused.
  packageRule('being-deleted', 'warning', (each) => {
    if (!each.isBeingDeleted) return undefined;
    const text = `${objectLabel(each)} is being deleted, and has not gone`;
    const fix = `see what holds it with \`kubectl get ${kubectlName(each)} -o yaml\`: its finalizers`;
    return { text, fix };
  }),
  packageRule('paused', 'warning', (each) => {
    if (!each.isPaused || each.isBeingDeleted) return undefined;
    const text = `${objectLabel(each)} is paused: Crossplane does nothing about a change to it`;
    return { text, fix: `\`kubectl annotate ${kubectlName(each)} crossplane.io/paused-\`` };
  }),

  // Lockfiles do not record how many managed resources each activation policy activates.
  clusterRule('activation-policy', 'info', ({ dump, packages }) => {
    const defined = definedIn(packages);
    return dump.activations.map(({ name, origin, patterns, activated }) => {
      const on = defined.filter((each) => activated.includes(each) || matchesAny(patterns, each));
      const shown = patterns.map((each) => `\`${each}\``).join(', ') || 'no pattern';
      const text = `ManagedResourceActivationPolicy \`${name}\` activates ${on.length} of ${defined.length} managed resources of the cluster (${shown})`;
      const fix =
        'it is in no package and no lockfile: keep it in a file of its own, and apply that beside `rendered`';
      return { origin, text, fix };
    });
  }),
  clusterRule('idle-activation', 'warning', ({ dump, packages }) => {
    const defined = definedIn(packages);
    // Without dumped revisions, the managed resources are unknown.
    if (defined.length === 0) return [];
    return dump.activations.flatMap(({ name, origin, patterns }) =>
      patterns
        .filter((pattern) => !defined.some((each) => matchesAny([pattern], each)))
        .map((pattern) => ({
          origin,
          text: `\`${pattern}\` in ManagedResourceActivationPolicy \`${name}\` matches no managed resource of an installed provider`,
          fix: 'it names resources as `kubectl get managedresourcedefinitions` does; `*.` stands for the beginning of a name',
        })),
    );
  }),

  // Crossplane rejects some object names. If a package has another name than the derived one and
  // another package depends on its repository, Crossplane may install it a second time.
  packageRule('odd-name', 'warning', (each, { packages, target, requirers }) => {
    const { name, repository } = each;
    const problem = objectNameProblem(name);
    if (problem !== undefined) {
      const text = `the name of ${objectLabel(each)} ${problem}`;
      return { text, fix: 'give it a shorter name when it is installed anew' };
    }
    const derived = objectNameOf(repository, target);
    const [requirer] = requirers.get(repository) ?? [];
    if (requirer === undefined || packages.some((other) => other.name === derived)) {
      return undefined;
    }
    if (skipsResolution(each)) return undefined;
    return {
      text: `${objectLabel(each)} has another name than Crossplane gives \`${repository}\`, \`${derived}\`, and \`${requirer.from.source}\` depends on it: when both change at once, the cluster installs it again by that name, and then resolves no package at all`,
      fix: 'keep the name in xpkg.yaml, as `import` does, and apply dependencies before what depends on them, as `rendered` has them',
    };
  }),

  // Crossplane treats a repository that is spelled in two ways as two packages.
  clusterRule('spelled-twice', 'warning', ({ packages, target }) =>
    packages.flatMap((each, i) =>
      packages
        .slice(i + 1)
        .filter(({ repository }) => repository !== each.repository)
        .filter(({ repository }) => sameRepository(each.repository, repository, target))
        .map(({ repository, origin }) => ({
          origin,
          text: `\`${repository}\` and \`${each.repository}\` (${formatOrigin(each.origin)}) are one repository, spelled in two ways: the cluster takes them for two packages`,
          fix: 'keep one of them, and name it as what depends on it does; `replace` in xpkg.yaml does so for all',
        })),
    ),
  ),

  // For a reference `repo:tag@digest`, the Lock uses `repo:tag` as the source.
  packageRule('tag-and-digest', 'warning', (each, { requirers }) => {
    if (each.source === each.repository) return undefined;
    const [requirer] = requirers.get(each.repository) ?? [];
    const who =
      requirer === undefined ? 'whatever will depend on it' : `\`${requirer.from.source}\``;
    return {
      ...(requirer !== undefined && { severity: 'error' }),
      text: `${objectLabel(each)} is installed as \`${each.reference}\`: Crossplane takes the tag for a part of its source, so that ${who} does not find it`,
      fix: 'write the tag or the digest, not both; the lockfile keeps the digest of a tag',
    };
  }),

  // Crossplane cannot compare a digest with the range of a dependent package.
  packageRule('digest-and-range', 'error', (each, { requirers }) => {
    if (!isDigest(each.version) || each.source !== each.repository) return undefined;
    const range = requirers.get(each.repository)?.find(({ constraint }) => !isDigest(constraint));
    return (
      range && {
        text: `${objectLabel(each)} is installed by digest, and \`${range.from.source}\` depends on it as \`${range.constraint}\`, which Crossplane cannot compare`,
        fix: 'install it by its tag; the lockfile keeps the digest of that',
      }
    );
  }),

  // No release can pull such references; the next rule is about those that the target rejects.
  clusterRule('reference', 'error', ({ unreadable }) =>
    unreadable.map(({ origin, reference, ...object }) => {
      const text = `${objectLabel(object)} is passed over: \`${reference}\` is no image reference`;
      return { origin, text, fix: REFERENCE_FIX };
    }),
  ),
  packageRule('reference', 'warning', (each, { target }) => {
    const problem = repositoryProblem(each.repository, target);
    if (problem === undefined) return undefined;
    const text = `${objectLabel(each)} is installed as \`${each.reference}\`, and ${problem}`;
    return { text, fix: REFERENCE_FIX };
  }),
];

/** Returns packages grouped by repository, in the order of their first package. */
export function byRepository(
  packages: readonly InstalledPackage[],
): ReadonlyMap<Repository, readonly InstalledPackage[]> {
  const groups = new Map<Repository, InstalledPackage[]>();
  for (const each of packages) getOrCreate(groups, each.repository, () => []).push(each);
  return groups;
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
  return all.toSorted(
    (a, b) =>
      ownedCount(b) - ownedCount(a) ||
      Number(b.isUserCreated) - Number(a.isUserCreated) ||
      Number(b.name === derived) - Number(a.name === derived),
  )[0]!;
}

function ownedCount({ active }: InstalledPackage): number {
  return active?.objects.length ?? 0;
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

/** Returns the names of the managed resource definitions of active revisions. */
function definedIn(packages: readonly InstalledPackage[]): readonly string[] {
  const listed = packages.flatMap(({ active }) => active?.objects ?? []);
  return listed.filter(({ kind }) => kind === 'ManagedResourceDefinition').map(({ name }) => name);
}

function matchesAny(patterns: readonly string[], name: string): boolean {
  return patterns.some((pattern) =>
    pattern.startsWith('*') ? name.endsWith(pattern.slice(1)) : pattern === name,
  );
}
