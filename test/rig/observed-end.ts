import { packageConditions } from '../../src/cluster/package-conditions.js';
import type { Settled } from '../../src/cluster/settle-cluster.js';
import { lockRowManifest } from '../../src/lock/lock-row.js';
import type { Target } from '../../src/model/target/target.js';
import { isMapping, listOf, mappingOf, stringOf, type JsonObject } from '../../src/text/json.js';
import { LOCK, type KubeApi, type Resource } from './kube-api.js';

/** What of a cluster can be held against the model: texts that are equal where they agree. */
export interface ObservedEnd {
  /** Of every package object: what it is, and what it says of itself. */
  readonly packages: readonly string[];
  /** Of every row of the Lock, all of it. */
  readonly rows: readonly string[];
}

export const PACKAGE_RESOURCES: Readonly<Record<string, Resource>> = {
  Provider: { at: '/apis/pkg.crossplane.io/v1', plural: 'providers' },
  Configuration: { at: '/apis/pkg.crossplane.io/v1', plural: 'configurations' },
  Function: { at: '/apis/pkg.crossplane.io/v1', plural: 'functions' },
};

/** What a running cluster has of the scenario whose names begin so. */
export async function observedEnd(api: KubeApi, id: string): Promise<ObservedEnd> {
  const objects = await Promise.all(Object.values(PACKAGE_RESOURCES).map((each) => api.list(each)));
  const lock = await api.get(`${LOCK.at}/${LOCK.plural}/lock`);
  const rows = (listOf(lock?.['packages']) ?? []).filter(isMapping);
  return {
    packages: objects
      .flat()
      .filter((object) => referenceOf(object).includes(`/${id}/`))
      .map((object) => {
        const name = stringOf(mappingOf(object['metadata'])?.['name']) ?? '';
        const conditions = ['Installed', 'Healthy'].map((type) => told(object, type));
        return packageLine(`${stringOf(object['kind'])} ${name}`, referenceOf(object), conditions);
      })
      .sort(),
    rows: rows
      .filter(({ source }) => stringOf(source)?.includes(`/${id}/`))
      .map(written)
      .sort(),
  };
}

/** What the model says of the same. */
export function foretoldEnd({ state }: Settled, target: Target): ObservedEnd {
  return {
    packages: packageConditions(state, target)
      .map(({ kind, name, reference, installed, healthy }) => {
        const conditions = [installed, healthy].map(({ status, message = '' }) => {
          return `${status} ${withoutChance(message)}`.trim();
        });
        return packageLine(`${kind} ${name}`, reference, conditions);
      })
      .sort(),
    rows: state.rows.map((row) => written(lockRowManifest(row, target.rules))).sort(),
  };
}

function packageLine(name: string, reference: string, conditions: readonly string[]): string {
  return `${name} ${reference} Installed=${conditions[0]} Healthy=${conditions[1]}`;
}

function referenceOf(object: JsonObject): string {
  return stringOf(mappingOf(object['spec'])?.['package']) ?? '';
}

function told(object: JsonObject, type: string): string {
  const conditions = listOf(mappingOf(object['status'])?.['conditions']) ?? [];
  const found = conditions.map(mappingOf).find((each) => each?.['type'] === type);
  const status = stringOf(found?.['status']) ?? 'Unknown';
  return `${status} ${withoutChance(stringOf(found?.['message']) ?? '')}`.trim();
}

/** A message without what differs from run to run: uids, and which of several objects came first. */
function withoutChance(message: string): string {
  return message
    .replace(
      /\S+ is already controlled by (\w+) \S+ \(UID .*?\)/,
      'one is already controlled by $1',
    )
    .replace(/cannot unpack package: .*/s, 'cannot unpack package');
}

/** Keys in order, so that equal values are equal texts. */
function written(value: JsonObject): string {
  return JSON.stringify(value, (_, each: unknown) =>
    isMapping(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}
