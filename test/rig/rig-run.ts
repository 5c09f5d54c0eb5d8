import type { WantedObject } from '../../src/crossplane/package-manager/cluster-state.js';
import { stringOf, type JsonObject } from '../../src/base/json.js';
import { LOCK, type KubeApi, type Resource } from './kube-api.js';
import { observedEnds, PACKAGE_RESOURCES, type ObservedEnd } from './observed-end.js';

/** A loaded machine is slow. */
const SECONDS_TO_SETTLE = Number(process.env['XPKG_RIG_SECONDS'] ?? '900');
/** A final state must be stable for this time after the controllers were triggered again. */
const QUIET_SECONDS = 4;
const TURN_MS = 1000;
/**
 * Cases that differ from the expected state and are unchanged for this time are triggered again.
 */
const SECONDS_TO_WAKE = 4;
/** Cases that are unchanged for this time do not change any more. */
const STILL_SECONDS = 120;

/** The applied objects and all accepted final states. */
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

/** API paths of objects other than packages. */
const OTHER_RESOURCES: Readonly<Record<string, Resource>> = {
  ImageConfig: { at: '/apis/pkg.crossplane.io/v1beta1', plural: 'imageconfigs' },
  DeploymentRuntimeConfig: {
    at: '/apis/pkg.crossplane.io/v1beta1',
    plural: 'deploymentruntimeconfigs',
  },
};

/** Applies rendered objects unchanged and in order. */
export async function applyObjects(api: KubeApi, objects: readonly JsonObject[]): Promise<void> {
  for (const object of objects) {
    const kind = stringOf(object['kind']) ?? '';
    const resource = PACKAGE_RESOURCES[kind] ?? OTHER_RESOURCES[kind];
    if (resource === undefined) throw new Error(`the rig knows no ${kind}`);
    await api.apply(resource, nameIn(object), object);
  }
}

/**
 * Returns the state of each case, once all are stable in an accepted state or nothing changes any
 * more.
 */
export async function settled(
  api: KubeApi,
  cases: readonly RigCase[],
): Promise<ReadonlyMap<string, ObservedEnd>> {
  const ids = cases.map(({ id }) => id);
  const limit = Date.now() + SECONDS_TO_SETTLE * 1000;
  let [stillSince, last] = [Date.now(), ''];
  let idleSince = Date.now();
  let foretoldSince: number | undefined;
  for (;;) {
    const seen = await observedEnds(api, ids);
    const now = Date.now();
    const text = JSON.stringify([...seen]);
    if (text !== last) stillSince = idleSince = now;
    last = text;
    const others = cases.filter(({ id, ends }) => !isAmong(ends, seen.get(id)!));
    if (others.length > 0) foretoldSince = undefined;
    else if (foretoldSince === undefined) {
      // Triggers all controllers once more: a case that is still changing continues.
      await wake(api, ids);
      foretoldSince = Date.now();
    }
    const isForetold = foretoldSince !== undefined && now - foretoldSince > QUIET_SECONDS * 1000;
    if (isForetold || now - stillSince > STILL_SECONDS * 1000 || now > limit) return seen;
    if (others.length > 0 && now - idleSince > SECONDS_TO_WAKE * 1000) {
      await wake(
        api,
        others.map(({ id }) => id),
      );
      idleSince = Date.now();
    }
    await new Promise((next) => setTimeout(next, TURN_MS));
  }
}

/**
 * Whether a state is accepted; the whole Lock is compared only if the accepted state contains it.
 */
export function isAmong(ends: readonly ObservedEnd[], seen: ObservedEnd): boolean {
  return ends.some(
    ({ packages, rows, resolved = seen.resolved }) =>
      resolved === seen.resolved &&
      JSON.stringify([packages, rows]) === JSON.stringify([seen.packages, seen.rows]),
  );
}

const CONTESTED = 'cannot establish control of object';

/**
 * Whether a state is accepted except for the controllers of objects: two revisions that take
 * control at the same time may each get some objects; in the model, they take turns.
 */
export function isPartedControl(ends: readonly ObservedEnd[], seen: ObservedEnd): boolean {
  return ends.some((end) => {
    const contested = [...end.packages, ...seen.packages].filter((line) =>
      line.includes(CONTESTED),
    );
    const names = new Set(contested.map(objectIn));
    const others = ({ packages }: ObservedEnd) =>
      packages.filter((line) => !names.has(objectIn(line)));
    const objects = ({ packages }: ObservedEnd) => packages.map(objectIn);
    const isContested = [end, seen].every(({ packages }) =>
      packages.some((line) => line.includes(CONTESTED)),
    );
    return (
      isContested &&
      JSON.stringify([objects(end), others(end), end.rows]) ===
        JSON.stringify([objects(seen), others(seen), seen.rows])
    );
  });
}

/** Returns kind, name and image in a line about a package. */
function objectIn(line: string): string {
  return line.slice(0, line.indexOf(' Installed='));
}

/** Returns the states without the Lock, for cases that share a cluster. */
export function withoutLock(ends: readonly ObservedEnd[]): ObservedEnd[] {
  return ends.map(({ packages, rows }) => ({ packages, rows }));
}

/**
 * Triggers the controllers of packages, revisions and Lock: after a failure they wait longer and
 * longer before they retry.
 */
async function wake(api: KubeApi, ids: readonly string[]): Promise<void> {
  const found = await objectsOf(api, ids);
  const woken = [...found, { resource: LOCK, name: 'lock' }];
  const mark = { metadata: { annotations: { 'rig/woken': String(Date.now()) } } };
  await Promise.all(woken.map(({ resource, name }) => api.merge(resource, name, mark)));
}

interface Found {
  readonly resource: Resource;
  readonly name: string;
}

/** Returns the packages and revisions of cases. */
async function objectsOf(api: KubeApi, ids: readonly string[]): Promise<Found[]> {
  const resources = Object.values(PACKAGE_RESOURCES).flatMap(({ at, plural }) => [
    { at, plural },
    { at, plural: `${plural.slice(0, -1)}revisions` },
  ]);
  const found = await Promise.all(
    resources.map(async (resource) => {
      const objects = await api.list(resource);
      return objects
        .filter(({ spec }) => ids.some((id) => JSON.stringify(spec ?? {}).includes(`/${id}/`)))
        .map((object) => ({ resource, name: nameIn(object) }));
    }),
  );
  return found.flat();
}

/** Other objects that cases leave behind, by the suffix of their names. */
const LEFT: readonly Resource[] = [
  { at: '/apis/apiextensions.crossplane.io/v1', plural: 'compositeresourcedefinitions' },
  { at: '/apis/apiextensions.crossplane.io/v1', plural: 'compositions' },
  { at: '/apis/apiextensions.crossplane.io/v1alpha1', plural: 'managedresourcedefinitions' },
  { at: '/apis/apiextensions.k8s.io/v1', plural: 'customresourcedefinitions' },
];

/**
 * Removes all packages and their remains, so that the next cases find an empty Lock. It does not
 * wait for Crossplane to remove revisions and rows one by one.
 */
export async function cleanUp(api: KubeApi, ids: readonly string[]): Promise<void> {
  const limit = Date.now() + SECONDS_TO_SETTLE * 1000;
  for (;;) {
    const found = await objectsOf(api, ids);
    await Promise.all(
      found.map(async ({ resource, name }) => {
        await api.merge(resource, name, { metadata: { finalizers: null } });
        await api.remove(resource, name);
      }),
    );
    const ends = await observedEnds(api, ids);
    const rows = [...ends.values()].flatMap((end) => end.rows).length;
    if (found.length + rows === 0) break;
    if (rows > 0) await api.merge(LOCK, 'lock', { packages: [] });
    if (Date.now() > limit) throw new Error(`${found.length} objects and ${rows} rows do not go`);
    await new Promise((next) => setTimeout(next, TURN_MS));
  }
  const endings = ids.flatMap((id) => [`.${id}`, `-${id}`]);
  for (const resource of LEFT) {
    const objects = await api.list(resource).catch(() => []);
    const names = objects.map(nameIn).filter((name) => endings.some((end) => name.endsWith(end)));
    await Promise.all(names.map((name) => api.remove(resource, name)));
  }
  // For an empty Lock the resolver sets no condition, so the previous one would remain.
  const lock = `${LOCK.at}/${LOCK.plural}/lock`;
  if ((await api.get(lock))?.['status'] !== undefined) {
    await api.setStatus(lock, { conditions: null });
  }
  const namespace = '/namespaces/crossplane-system';
  await api.removeAll({ at: `/apis/apps/v1${namespace}`, plural: 'deployments' });
}

function nameIn(object: JsonObject): string {
  return (object['metadata'] as { readonly name: string }).name; // every object has one
}
