import { expect, type TestContext } from 'vitest';
import { runWith } from '../support/known-images.js';
import {
  EMPTY_CLUSTER,
  type WantedObject,
  wantedObject,
} from '../../src/crossplane/package-manager/cluster-state.js';
import { imagePins } from '../../src/crossplane/package-manager/image-config.js';
import type { MoveFlags } from '../../src/crossplane/package-manager/reconcile-lock.js';
import { reconcileCluster } from '../../src/crossplane/package-manager/reconcile-cluster.js';
import type { Lockfile } from '../../src/project/lockfile/lockfile.js';
import type { IndexFile } from '../../src/sources/index/index-file.js';
import type { Request } from '../../src/project/inputs/request.js';
import { targetFor } from '../../src/crossplane/releases/target.js';
import { memorySource } from '../../src/sources/memory-source.js';
import type { JsonObject } from '../../src/base/json.js';
import type { Rendering } from '../../src/project/manifests/render.js';
import { resolve } from '../../src/resolver/resolve/resolve.js';
import { type ResolveOptions } from '../../src/resolver/resolve/to-problem.js';
import type { DockerRegistry } from '../conformance/docker-registry.js';
import { imagesOf } from '../support/clusters.js';
import { digestOf } from '../support/lockfiles.js';
import { moveScenario, type MovedScenario } from './moved-scenario.js';
import { predictedEnd, renderedEnd, type ObservedEnd } from './observed-end.js';
import type { Rig } from './rig.js';
import { applyObjects, isAmong, settled, withoutLock } from './rig-run.js';

/** Gives every version a digest; equal digests mean equal bytes. */
export function digested({ packages }: IndexFile): IndexFile {
  const held = Object.entries(packages).map(([repository, { kind, versions }]) => {
    const entries = Object.entries(versions).map(([tag, entry]) => {
      return [tag, { digest: digestOf(`${repository}:${tag}`), ...entry }] as const;
    });
    return [repository, { kind, versions: Object.fromEntries(entries) }] as const;
  });
  return { packages: Object.fromEntries(held) };
}

/** Publishes a handwritten universe under unique names. */
export async function published(
  registry: DockerRegistry,
  id: string,
  universe: IndexFile,
  request: Request,
  host = registry.host,
): Promise<MovedScenario> {
  const moved = await moveScenario(
    { universe: digested(universe), request, options: {} },
    id,
    host,
  );
  await moved.publish(registry);
  return moved;
}

export async function locked(
  { universe, request }: MovedScenario,
  release: string,
  { longerTags }: Pick<ResolveOptions, 'longerTags'> = {},
): Promise<Lockfile> {
  const source = memorySource(universe);
  const answer = await resolve(request, { source, crossplane: release, longerTags });
  if (answer.status !== 'solved') throw new Error(`${answer.status}, on ${release}`);
  return answer.lockfile;
}

/**
 * Expects that an applied rendering is healthy, has no other packages with its id, and has our
 * Lock.
 */
export async function accepted(rig: Rig, id: string, rendering: Rendering): Promise<void> {
  await applyObjects(rig.api, rendering.bundle.objects);
  await endsIn(rig, id, [renderedEnd(rendering)]);
}

/**
 * Expects that packages of an id and their rows reach one of some states; others may share the
 * Lock.
 */
export async function endsIn(rig: Rig, id: string, ends: readonly ObservedEnd[]): Promise<void> {
  const wanted = withoutLock(ends);
  const end = (await settled(rig.api, [{ id, objects: [], ends: wanted }])).get(id)!;
  expect(isAmong(wanted, end) ? wanted[0] : withoutLock([end])[0]).toEqual(wanted[0]);
}

export function seen(
  { task }: TestContext,
  scenario: string,
  release: string,
  text = 'as expected',
) {
  task.meta.rigFigure = { scenario, release, seen: text };
}

/** Returns the state that the model predicts for objects in an initial state. */
export function modelled(
  { universe }: MovedScenario,
  release: string,
  acts: readonly (readonly WantedObject[])[],
  { flags, pins = [] }: { flags?: MoveFlags; pins?: readonly JsonObject[] } = {},
): ObservedEnd {
  const target = targetFor(release)!;
  const kept = pins.map((object) => ({ object, origin: { file: 'rig' } }));
  const images = imagesOf(universe, target);
  let state = { ...EMPTY_CLUSTER, pins: imagePins(kept, target) };
  let end: ObservedEnd = { packages: [], rows: [] };
  for (const objects of acts) {
    const work = reconcileCluster(
      state,
      objects.map((apply) => ({ apply })),
      { target, flags },
    );
    const done = runWith(work, images);
    state = { ...done.state, pins: state.pins };
    end = predictedEnd(done, target);
  }
  return end;
}

/** Returns a repository of a universe by the suffix of its name. */
export function nameIn({ universe }: MovedScenario, name: string): string {
  return Object.keys(universe.packages).find((each) => each.endsWith(`/${name}`))!;
}

/** Returns the object of a package by the suffix of its name. */
export function one(rendering: Rendering, name: string): WantedObject {
  return packagesIn(rendering).find(({ reference }) => reference.includes(`/acme/${name}:`))!;
}

/** The account of a registry with authentication. */
export const ACCOUNT = { user: 'u', password: 'p' } as const;

/** Creates the pull secret for a registry. */
export async function createPullSecret(
  rig: Rig,
  name: string,
  { host }: DockerRegistry,
): Promise<void> {
  const auths = { [host]: { username: ACCOUNT.user, password: ACCOUNT.password } };
  await rig.api.create(
    { at: '/api/v1', plural: 'namespaces/crossplane-system/secrets' },
    {
      metadata: { name },
      type: 'kubernetes.io/dockerconfigjson',
      stringData: { '.dockerconfigjson': JSON.stringify({ auths }) },
    },
  );
}

/** Returns the packages that a rendering installs. */
export function packagesIn({ bundle }: Rendering): WantedObject[] {
  return bundle.objects.map(wantedObject).filter((object) => object !== undefined);
}
