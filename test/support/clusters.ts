import { clusterImage } from '../../src/crossplane/package-manager/cluster-image.js';
import {
  type ClusterStep,
  EMPTY_CLUSTER,
  type WantedObject,
} from '../../src/crossplane/package-manager/cluster-state.js';
import type { MoveFlags } from '../../src/crossplane/package-manager/reconcile-lock.js';
import {
  reconcileCluster,
  type ReconciledCluster,
  type UserChange,
} from '../../src/crossplane/package-manager/reconcile-cluster.js';
import type { IndexFile } from '../../src/sources/index/index-file.js';
import { objectNameOf } from '../../src/crossplane/packages/object-names.js';
import type { PackageKind } from '../../src/crossplane/packages/package.js';
import { splitPackageReference } from '../../src/crossplane/packages/reference.js';
import { targetFor, type Target } from '../../src/crossplane/releases/target.js';
import { indexedContents } from '../../src/sources/index/index-entry.js';
import { isDigest } from '../../src/base/digest.js';
import { runWith, type KnownImages } from './known-images.js';
import { digestOf } from './lockfiles.js';

/** Returns the registries of a universe; a version without a digest gets one. */
export function imagesOf({ packages }: IndexFile, target: Target): KnownImages {
  const known = (repository: string) =>
    Object.hasOwn(packages, repository) ? packages[repository] : undefined;
  const digestIn = (repository: string, version: string) =>
    known(repository)?.versions[version]?.digest ?? digestOf(`${repository}:${version}`);
  return {
    tags(repository) {
      const versions = known(repository)?.versions;
      return versions && Object.keys(versions).filter((version) => !isDigest(version));
    },
    image({ repository, version }) {
      const held = known(repository);
      const tag = Object.keys(held?.versions ?? {}).find(
        (each) => each === version || digestIn(repository, each) === version,
      );
      if (held === undefined || tag === undefined) return undefined;
      const digest = isDigest(tag) ? tag : digestIn(repository, tag);
      return clusterImage(indexedContents(held.versions[tag]!, repository, held), digest, target);
    },
  };
}

/** `[kind] reference [as name] [skipping]`; the default kind is Provider. */
export function wanted(text: string): WantedObject {
  const [, kind = 'Provider', reference = '', name, skipping] =
    /^(?:(Provider|Configuration|Function) )?(\S+)(?: as (\S+))?( skipping)?$/.exec(text)!;
  return {
    kind: kind as PackageKind,
    name: name ?? objectNameOf(splitPackageReference(reference)?.source ?? reference),
    reference,
    skipDependencyResolution: skipping !== undefined,
    ignoreCrossplaneConstraints: false,
    manual: false,
    settings: JSON.stringify(skipping === undefined ? {} : { skipDependencyResolution: true }),
  };
}

interface Tried extends Partial<ReconciledCluster> {
  readonly crossplane?: string;
  readonly flags?: MoveFlags;
  readonly next?: (waiting: number) => number;
}

/**
 * Returns the final state of a cluster after some objects were applied; all packages are available.
 */
export function settled(
  universe: IndexFile,
  objects: readonly string[],
  { crossplane = 'v2.3.4', flags, next, state = EMPTY_CLUSTER }: Tried = {},
): ReconciledCluster {
  const target = targetFor(crossplane)!;
  const acts = objects.map((text): UserChange => ({ apply: wanted(text) }));
  return runWith(
    reconcileCluster(state, acts, { target, flags, next }),
    imagesOf(universe, target),
  );
}

/** Returns the rows of the Lock as `source@version`, in order. */
export function rowsOf({ state }: ReconciledCluster): string[] {
  return state.rows.map(({ source, version }) => `${source}@${version}`);
}

/** Returns the steps as text: action, object and package, with the last part of repositories. */
export function stepsOf({ steps }: Pick<ReconciledCluster, 'steps'>): string[] {
  return steps.map(({ did, source, version, implied, message }) => {
    const by = implied && `for ${last(implied.by.source)} ${implied.dependency.constraint}`;
    return [did, source && last(source), version, by, message && `(${message})`]
      .filter(Boolean)
      .join(' ');
  });
}

function last(repository: string): string {
  return repository.slice(repository.lastIndexOf('/') + 1);
}

/** Returns the failures in order. */
export function failuresOf({
  steps,
}: Pick<ReconciledCluster, 'steps'>): (ClusterStep['message'] | string)[] {
  return steps.filter(({ did }) => did === 'fail').map(({ message }) => message);
}
