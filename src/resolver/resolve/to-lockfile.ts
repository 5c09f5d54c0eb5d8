import { byCodePoint } from '../../base/collections.js';
import { selectorOf } from '../../crossplane/constraints/constraint.js';
import { satisfies } from '../../crossplane/constraints/installable-versions.js';
import type { Repository } from '../../crossplane/packages/package.js';
import type { Target } from '../../crossplane/releases/target.js';
import { replacedRepository, type Request } from '../../project/inputs/request.js';
import {
  byRepository,
  type LockedPackage,
  type LockedSigner,
  type Lockfile,
} from '../../project/lockfile/lockfile.js';
import { checkKindIsServed } from '../../project/manifests/extra-manifests.js';
import { assignNames, spellingWarnings } from '../../project/manifests/object-names.js';
import { objectTemplate, withoutClusterState } from '../../project/manifests/object-template.js';
import type { IndexState } from '../../sources/package-source.js';
import type { CheckedPackage } from '../driver/source-reader.js';
import type { SelectedPackage } from '../solver/search-result.js';

/** A selected package with what the source returned for it. */
export interface ChosenPackage extends SelectedPackage {
  readonly fetched: CheckedPackage;
}

/** A selected package with the parts that a lockfile records. */
interface LockablePackage extends SelectedPackage {
  readonly fetched: Pick<CheckedPackage, 'digest' | 'manifest' | 'baseLayer' | 'packageYaml'>;
}

/** Creates a lockfile. `chosen` is in the order of decision. */
export function toLockfile(
  chosen: readonly LockablePackage[],
  request: Request,
  context: {
    readonly target: Target;
    readonly previous: Lockfile | undefined;
    readonly indexes?: readonly IndexState[] | undefined;
    readonly signerOf?: SignerOf | undefined;
  },
): { readonly lockfile: Lockfile; readonly warnings: readonly string[] } {
  const { target, previous, indexes = [], signerOf } = context;
  const packageRoots = request.roots.filter((root) => root.root === 'package');
  const roots = new Map(
    packageRoots.map((root) => [replacedRepository(request, root.repository), root]),
  );
  const locked = byRepository(previous?.packages);
  const { names, warnings } = assignNames(
    chosen.map(({ repository }) => ({
      repository,
      given: roots.get(repository)?.name,
      locked: locked.get(repository)?.name,
      origin: roots.get(repository)?.origin,
    })),
    target,
  );
  const packages = chosen.map((one): LockedPackage => {
    const { repository, version, meta, fetched } = one;
    const root = roots.get(repository);
    const { digest } = fetched;
    const before = locked.get(repository);
    const isSameVersion = before?.version === version;
    const recorded = isSameVersion && before.digest === digest ? before.signature : undefined;
    const signature = signerOf ? signerOf({ repository, version, digest }, target) : recorded;
    const longerTags = isSameVersion ? before.longerTags : undefined;
    return {
      repository,
      version,
      digest,
      manifest: fetched.manifest,
      baseLayer: fetched.baseLayer,
      packageYaml: fetched.packageYaml,
      ...(signature !== undefined && { signature }),
      ...(longerTags !== undefined && { longerTags }),
      kind: meta.kind,
      name: names.get(repository)!,
      direct: root !== undefined,
      crossplane: meta.crossplane,
      requirements: meta.requirements,
      owns: meta.owns,
      object: objectTemplate({
        kind: meta.kind,
        defaults: request.defaults,
        spec: root?.spec ?? {},
        object: root?.object,
      }),
    };
  });
  for (const { object, origin } of request.kept) checkKindIsServed(object, target, origin);
  const lockfile: Lockfile = {
    crossplane: target.version,
    packages: packages.sort((a, b) => byCodePoint(a.repository, b.repository)),
    objects: request.kept.map(({ object }) => withoutClusterState(object)),
    ...(indexes.length > 0 && { indexes }),
    skipDependencyResolution: skipReasons(chosen, request, target),
  };
  const spellings = spellingWarnings([...names.keys()], target);
  return { lockfile, warnings: [...warnings, ...spellings] };
}

/** Returns who signed a package; undefined if no policy requires a signature. */
export type SignerOf = (
  locked: Pick<LockedPackage, 'repository' | 'version' | 'digest'>,
  target: Target,
) => LockedSigner | undefined;

/** The reason to skip dependency resolution if an input object requires it. */
export const SET_IN_INPUTS = 'the input objects say so';

/** Returns why every object gets `skipDependencyResolution: true`; empty if none does. */
export function skipReasons(
  chosen: readonly SelectedPackage[],
  request: Request,
  target: Target,
): string[] {
  const isSetInInputs = request.roots.some(
    (r) => r.root === 'package' && r.skipDependencyResolution,
  );
  return isSetInInputs ? [SET_IN_INPUTS] : clusterRefusals(chosen, target);
}

/**
 * Returns what the dependency checks of the cluster would refuse in a selection; empty if nothing.
 * Only decisions of the user lead to such refusals: overrides, replacements, prereleases that a range
 * does not name, and cycles.
 */
export function clusterRefusals(selected: readonly SelectedPackage[], target: Target): string[] {
  const installed = byRepository(selected);
  const reasons: string[] = [];
  for (const { repository, version, meta } of selected) {
    for (const requirement of meta.requirements) {
      if (requirement.requires !== 'package') continue;
      const on = installed.get(requirement.repository);
      const who = `${repository} ${version} asks for ${requirement.repository} \`${requirement.constraint}\``;
      if (on === undefined) reasons.push(`${who}, which is replaced`);
      else if (!satisfies(on.version, selectorOf(requirement.constraint), target, 'named')) {
        reasons.push(`${who}, and ${on.version} is installed`);
      }
    }
  }
  const cycle = firstCycle(selected);
  if (cycle !== undefined) reasons.push(`a cycle: ${cycle.join(' → ')}`);
  return reasons;
}

function firstCycle(selected: readonly SelectedPackage[]): Repository[] | undefined {
  const required = new Map(selected.map((one) => [one.repository, one.meta.requirements]));
  const visitedRepositories = new Set<Repository>();
  const cycleFrom = (from: Repository, path: readonly Repository[]): Repository[] | undefined => {
    if (path.includes(from)) return [...path.slice(path.indexOf(from)), from];
    if (visitedRepositories.has(from)) return undefined;
    for (const next of required.get(from) ?? []) {
      const cycle = next.requires === 'package' && cycleFrom(next.repository, [...path, from]);
      if (cycle) return cycle;
    }
    visitedRepositories.add(from);
    return undefined;
  };
  for (const { repository } of selected) {
    const cycle = cycleFrom(repository, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}
