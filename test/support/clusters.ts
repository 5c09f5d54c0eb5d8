import { clusterImage } from '../../src/cluster/cluster-image.js';
import { runOn, type KnownImages } from '../../src/cluster/cluster-question.js';
import { EMPTY_CLUSTER, type WantedObject } from '../../src/cluster/cluster-state.js';
import type { MoveFlags } from '../../src/cluster/reconcile/reconcile-lock.js';
import {
  settleCluster,
  type ClusterStep,
  type Settled,
  type UserAct,
} from '../../src/cluster/settle-cluster.js';
import type { IndexFile } from '../../src/model/index-file.js';
import { objectNameOf } from '../../src/model/name.js';
import type { PackageKind } from '../../src/model/package.js';
import { splitPackageReference } from '../../src/model/reference.js';
import { targetFor, type Target } from '../../src/model/target/target.js';
import { contentsOf } from '../../src/sources/index/index-contents.js';
import { isDigest } from '../../src/text/digest.js';
import { digestOf } from './lockfiles.js';

/** The registries that a universe stands for; a version without a digest is given one. */
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
      return clusterImage(contentsOf(held.versions[tag]!, repository, held), digest, target);
    },
  };
}

/** `[kind] reference [as name] [skipping]`; kind is Provider unless said. */
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
  };
}

interface Tried extends Partial<Settled> {
  readonly crossplane?: string;
  readonly flags?: MoveFlags;
  readonly next?: (waiting: number) => number;
}

/** What becomes of a cluster that some objects are applied to, all packages of a universe at hand. */
export function settled(
  universe: IndexFile,
  objects: readonly string[],
  { crossplane = 'v2.3.4', flags, next, state = EMPTY_CLUSTER }: Tried = {},
): Settled {
  const target = targetFor(crossplane)!;
  const acts = objects.map((text): UserAct => ({ apply: wanted(text) }));
  return runOn(settleCluster(state, acts, { target, flags, next }), imagesOf(universe, target));
}

/** The Lock in short: `source@version`, in the order of rows. */
export function rowsOf({ state }: Settled): string[] {
  return state.rows.map(({ source, version }) => `${source}@${version}`);
}

/** Steps in short, repositories by their last part: what was done, to what, and for which package. */
export function stepsOf({ steps }: Pick<Settled, 'steps'>): string[] {
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

/** Failures in the order in which they were told. */
export function failuresOf({ steps }: Pick<Settled, 'steps'>): (ClusterStep['message'] | string)[] {
  return steps.filter(({ did }) => did === 'fail').map(({ message }) => message);
}
