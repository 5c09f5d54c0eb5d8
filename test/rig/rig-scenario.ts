import { expect, type TestContext } from 'vitest';
import { runOn } from '../../src/cluster/cluster-question.js';
import { EMPTY_CLUSTER, type WantedObject } from '../../src/cluster/cluster-state.js';
import { imagePins } from '../../src/cluster/image-pin.js';
import type { MoveFlags } from '../../src/cluster/reconcile/reconcile-lock.js';
import { settleCluster } from '../../src/cluster/settle-cluster.js';
import { wantedObject } from '../../src/cluster/wanted-object.js';
import type { Lockfile } from '../../src/lock/lockfile.js';
import type { IndexFile } from '../../src/model/index-file.js';
import type { Request } from '../../src/model/request.js';
import { targetFor } from '../../src/model/target/target.js';
import { memorySource } from '../../src/sources/memory-source.js';
import type { JsonObject } from '../../src/text/json.js';
import type { Rendering } from '../../src/usecases/render.js';
import { resolve, type ResolveOptions } from '../../src/usecases/resolve/resolve.js';
import type { DockerRegistry } from '../conformance/docker-registry.js';
import { imagesOf } from '../support/clusters.js';
import { digestOf } from '../support/lockfiles.js';
import { moveScenario, type MovedScenario } from './moved-scenario.js';
import { foretoldEnd, renderedEnd, type ObservedEnd } from './observed-end.js';
import type { Rig } from './rig.js';
import { applyObjects, isAmong, settled, withoutLock } from './rig-run.js';

/** Every version with a digest: those that have the same have the same bytes. */
export function digested({ packages }: IndexFile): IndexFile {
  const held = Object.entries(packages).map(([repository, { kind, versions }]) => {
    const entries = Object.entries(versions).map(([tag, entry]) => {
      return [tag, { digest: digestOf(`${repository}:${tag}`), ...entry }] as const;
    });
    return [repository, { kind, versions: Object.fromEntries(entries) }] as const;
  });
  return { packages: Object.fromEntries(held) };
}

/** A universe written by hand, published under names of its own. */
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

/** Expects a rendering, once applied, to be healthy, alone of its id, and to have our Lock. */
export async function accepted(rig: Rig, id: string, rendering: Rendering): Promise<void> {
  await applyObjects(rig.api, rendering.bundle.objects);
  await endsIn(rig, id, [renderedEnd(rendering)]);
}

/** Expects packages of an id, and their rows, to come to one of some ends; others may share the Lock. */
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

/** The end that the model foretells of objects, over what others have led to. */
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
    const work = settleCluster(
      state,
      objects.map((apply) => ({ apply })),
      { target, flags },
    );
    const done = runOn(work, images);
    state = { ...done.state, pins: state.pins };
    end = foretoldEnd(done, target);
  }
  return end;
}

/** A repository of a universe, by the end of its name. */
export function nameIn({ universe }: MovedScenario, name: string): string {
  return Object.keys(universe.packages).find((each) => each.endsWith(`/${name}`))!;
}

/** The object of a package, by the end of its name. */
export function one(rendering: Rendering, name: string): WantedObject {
  return packagesIn(rendering).find(({ reference }) => reference.includes(`/acme/${name}:`))!;
}

/** The account of a registry that asks for one. */
export const ACCOUNT = { user: 'u', password: 'p' } as const;

/** A Secret by which images are pulled from a registry. */
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

/** The packages that a rendering installs. */
export function packagesIn({ bundle }: Rendering): WantedObject[] {
  return bundle.objects.map(wantedObject).filter((object) => object !== undefined);
}
