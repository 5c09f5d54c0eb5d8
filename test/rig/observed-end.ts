import {
  HEALTHY,
  type ClusterCondition,
  packageConditions,
  wantedObject,
} from '../../src/crossplane/package-manager/cluster-state.js';
import type { ReconciledCluster } from '../../src/crossplane/package-manager/reconcile-cluster.js';
import { lockRowManifest } from '../../src/crossplane/package-manager/dependency-graph.js';
import type { Target } from '../../src/crossplane/releases/target.js';
import type { Rendering } from '../../src/project/manifests/render.js';
import { isMapping, listOf, mappingOf, stringOf, type JsonObject } from '../../src/base/json.js';
import { LOCK, type KubeApi, type Resource } from './kube-api.js';

/** The parts of a cluster state that are compared with the model, as text. */
export interface ObservedEnd {
  /** Each package object with its conditions. */
  readonly packages: readonly string[];
  /** Each row of the Lock, without its name. */
  readonly rows: readonly string[];
  /** The condition of the Lock; undefined: ignored, because other packages have rows, too. */
  readonly resolved?: string | undefined;
  /** All failures with their full messages. */
  readonly failures?: readonly Failure[] | undefined;
}

/** A message of an unhealthy package or of the Lock. */
export interface Failure {
  /** `spec.package`; undefined: the Lock. */
  readonly reference: string | undefined;
  readonly message: string;
}

export const PACKAGE_RESOURCES: Readonly<Record<string, Resource>> = {
  Provider: { at: '/apis/pkg.crossplane.io/v1', plural: 'providers' },
  Configuration: { at: '/apis/pkg.crossplane.io/v1', plural: 'configurations' },
  Function: { at: '/apis/pkg.crossplane.io/v1', plural: 'functions' },
};

/** Returns the cluster states of scenarios, by the id in their names. */
export async function observedEnds(
  api: KubeApi,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ObservedEnd>> {
  const objects = await Promise.all(Object.values(PACKAGE_RESOURCES).map((each) => api.list(each)));
  const lock = await api.get(`${LOCK.at}/${LOCK.plural}/lock`);
  const rows = (listOf(lock?.['packages']) ?? []).filter(isMapping);
  const resolved = conditionOf(lock, 'Resolved');
  const packages = objects.flat().map((object) => {
    const name = stringOf(mappingOf(object['metadata'])?.['name']) ?? '';
    const reference = stringOf(mappingOf(object['spec'])?.['package']) ?? '';
    const conditions = CONDITIONS.map((type) => conditionOf(object, type) ?? UNKNOWN);
    const line = packageLine(`${stringOf(object['kind'])} ${name}`, reference, conditions);
    return { reference, conditions, line };
  });
  return new Map(
    ids.map((id) => {
      const own = packages.filter(({ reference }) => reference.includes(`/${id}/`));
      const end = {
        packages: own.map(({ line }) => line).sort(),
        rows: rows
          .filter(({ source }) => stringOf(source)?.includes(`/${id}/`))
          .map(written)
          .sort(),
        resolved: lockLine(resolved),
        failures: failuresOf(own, resolved),
      };
      return [id, end];
    }),
  );
}

const CONDITIONS = ['Installed', 'Healthy'] as const;
const UNKNOWN: Condition = { status: 'Unknown', message: undefined };

type Condition = Pick<ClusterCondition, 'status'> & { readonly message?: string | undefined };

interface Conditioned {
  readonly reference: string;
  readonly conditions: readonly Condition[];
}

function failuresOf(packages: readonly Conditioned[], resolved: Condition | undefined): Failure[] {
  const told: { reference: string | undefined; condition: Condition }[] = packages.flatMap(
    ({ reference, conditions }) => conditions.map((condition) => ({ reference, condition })),
  );
  if (resolved !== undefined) told.push({ reference: undefined, condition: resolved });
  return told.flatMap(({ reference, condition: { status, message } }) =>
    status === 'True' ? [] : [{ reference, message: message ?? '' }],
  );
}

/**
 * Returns the expected state of a rendering: all packages healthy, and exactly the rows of its
 * Lock.
 */
export function renderedEnd({ bundle, lock }: Rendering): ObservedEnd {
  return {
    packages: bundle.objects
      .map(wantedObject)
      .filter((object) => object !== undefined)
      .map(({ kind, name, reference }) =>
        packageLine(`${kind} ${name}`, reference, [HEALTHY, HEALTHY]),
      )
      .sort(),
    rows: (listOf(lock?.['packages']) ?? []).filter(isMapping).map(written).sort(),
  };
}

/** Returns the state that the model predicts. */
export function predictedEnd({ state }: ReconciledCluster, target: Target): ObservedEnd {
  const packages = packageConditions(state, target).map((each) => {
    const { kind, name, reference, installed, healthy } = each;
    const conditions = [installed, healthy];
    const line = packageLine(`${kind} ${name}`, reference, conditions);
    return { reference, conditions, line };
  });
  return {
    packages: packages.map(({ line }) => line).sort(),
    rows: state.rows.map((row) => written(lockRowManifest(row, target.rules))).sort(),
    resolved: lockLine(state.resolved),
    failures: failuresOf(packages, state.resolved),
  };
}

function packageLine(name: string, reference: string, conditions: readonly Condition[]): string {
  const [installed, healthy] = conditions.map(conditionText);
  return `${name} ${reference} Installed=${installed} Healthy=${healthy}`;
}

function lockLine(resolved: Condition | undefined): string {
  return `Resolved=${resolved === undefined ? 'none' : conditionText(resolved)}`;
}

function conditionText({ status, message = '' }: Condition): string {
  return `${status} ${withoutChance(message)}`.trim();
}

function conditionOf(object: JsonObject | undefined, type: string): Condition | undefined {
  const conditions = listOf(mappingOf(object?.['status'])?.['conditions']) ?? [];
  const found = conditions.map(mappingOf).find((each) => each?.['type'] === type);
  if (found === undefined) return undefined;
  const status = stringOf(found['status']) as Condition['status']; // a status of the API
  return { status, message: stringOf(found['message']) };
}

/** Removes parts of a message that differ between runs: uids, registry messages, and order. */
function withoutChance(message: string): string {
  return message
    .replace(
      /\S+ is already controlled by (\w+) \S+ \(UID .*?\)/,
      'one is already controlled by $1',
    )
    .replace(/cannot unpack package: .*/s, 'cannot unpack package')
    .replace(/(cannot fetch dependency package tags): .*/s, '$1')
    .replace(/(detected cycle on): .*/s, '$1');
}

/**
 * Returns a Lock row as text with sorted keys, without its name: from v2.4 on, it depends on the number of changes of
 * the package. The test of `--apply-lock` shows that names are right on other releases.
 */
function written(full: JsonObject): string {
  const { name: _, ...row } = full;
  return JSON.stringify(row, (_key, each: unknown) =>
    isMapping(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}
