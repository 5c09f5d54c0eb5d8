import { expect, type TestContext } from 'vitest';
import type { Lockfile } from '../../src/lock/lockfile.js';
import type { IndexFile } from '../../src/model/index-file.js';
import type { Request } from '../../src/model/request.js';
import { memorySource } from '../../src/sources/memory-source.js';
import type { Rendering } from '../../src/usecases/render.js';
import { resolve } from '../../src/usecases/resolve/resolve.js';
import type { DockerRegistry } from '../conformance/docker-registry.js';
import { digestOf } from '../support/lockfiles.js';
import { moveScenario, type MovedScenario } from './moved-scenario.js';
import { renderedEnd, type ObservedEnd } from './observed-end.js';
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
): Promise<Lockfile> {
  const answer = await resolve(request, { source: memorySource(universe), crossplane: release });
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
