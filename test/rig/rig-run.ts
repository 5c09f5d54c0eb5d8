import type { WantedObject } from '../../src/cluster/cluster-state.js';
import { stringOf, type JsonObject } from '../../src/text/json.js';
import type { KubeApi, Resource } from './kube-api.js';
import { observedEnds, PACKAGE_RESOURCES, type ObservedEnd } from './observed-end.js';

/** v1 tries again after ever longer waits, and a loaded machine takes its time. */
const SECONDS_TO_SETTLE = Number(process.env['XPKG_RIG_SECONDS'] ?? '900');
/** An end that lasts so long is taken to be one. */
const QUIET_SECONDS = 5;
/** Where nothing changes for longer than the longest wait of a controller, no more will. */
const STILL_SECONDS = 130;

/** What is applied, and all ends that will do. */
export interface RigCase {
  /** Part of every name in it. */
  readonly id: string;
  readonly objects: readonly WantedObject[];
  readonly ends: readonly ObservedEnd[];
}

export async function applyWanted(api: KubeApi, objects: readonly WantedObject[]): Promise<void> {
  for (const object of objects) {
    const { kind, name, reference, skipDependencyResolution, ignoreCrossplaneConstraints } = object;
    await api.apply(PACKAGE_RESOURCES[kind]!, name, {
      apiVersion: 'pkg.crossplane.io/v1',
      kind,
      metadata: { name },
      spec: { package: reference, skipDependencyResolution, ignoreCrossplaneConstraints },
    });
  }
}

/** Where objects other than packages are served. */
const OTHER_RESOURCES: Readonly<Record<string, Resource>> = {
  ImageConfig: { at: '/apis/pkg.crossplane.io/v1beta1', plural: 'imageconfigs' },
  DeploymentRuntimeConfig: {
    at: '/apis/pkg.crossplane.io/v1beta1',
    plural: 'deploymentruntimeconfigs',
  },
};

/** Applies what was rendered, as it is and in its order. */
export async function applyObjects(api: KubeApi, objects: readonly JsonObject[]): Promise<void> {
  for (const object of objects) {
    const kind = stringOf(object['kind']) ?? '';
    const resource = PACKAGE_RESOURCES[kind] ?? OTHER_RESOURCES[kind];
    if (resource === undefined) throw new Error(`the rig knows no ${kind}`);
    await api.apply(resource, nameIn(object), object);
  }
}

/** What each case comes to, once all are as foretold and stay so, or nothing changes any more. */
export async function settled(
  api: KubeApi,
  cases: readonly RigCase[],
): Promise<ReadonlyMap<string, ObservedEnd>> {
  const limit = Date.now() + SECONDS_TO_SETTLE * 1000;
  let [foretoldSince, stillSince, last] = [Date.now(), Date.now(), ''];
  for (;;) {
    const seen = await observedEnds(
      api,
      cases.map(({ id }) => id),
    );
    const now = Date.now();
    const text = JSON.stringify([...seen]);
    if (text !== last) stillSince = now;
    last = text;
    if (!cases.every(({ id, ends }) => isAmong(ends, seen.get(id)!))) foretoldSince = now;
    const isForetold = now - foretoldSince > QUIET_SECONDS * 1000;
    if (isForetold || now - stillSince > STILL_SECONDS * 1000 || now > limit) return seen;
    await new Promise((next) => setTimeout(next, 1000));
  }
}

export function isAmong(ends: readonly ObservedEnd[], seen: ObservedEnd): boolean {
  return ends.some((end) => JSON.stringify(end) === JSON.stringify(seen));
}

/**
 * Takes away what a case left, so that the next finds an empty Lock. Objects that packages installed
 * stay: their names are of one case alone.
 */
export async function cleanUp(api: KubeApi, id: string): Promise<void> {
  const isOurs = (object: JsonObject) => JSON.stringify(object['spec'] ?? {}).includes(`/${id}/`);
  const limit = Date.now() + SECONDS_TO_SETTLE * 1000;
  for (;;) {
    let left = 0;
    for (const { at, plural } of Object.values(PACKAGE_RESOURCES)) {
      const revisions = `${plural.slice(0, -1)}revisions`;
      for (const resource of [
        { at, plural },
        { at, plural: revisions },
      ]) {
        const found = (await api.list(resource)).filter(isOurs);
        left += found.length;
        for (const object of found) await api.remove(resource, nameIn(object));
      }
    }
    const { rows } = (await observedEnds(api, [id])).get(id)!;
    if (left + rows.length === 0) return;
    if (Date.now() > limit)
      throw new Error(`${id} does not go: ${left} objects, ${rows.length} rows`);
    await new Promise((next) => setTimeout(next, 500));
  }
}

function nameIn(object: JsonObject): string {
  return (object['metadata'] as { readonly name: string }).name; // every object has one
}
