import { packageConditions } from '../../src/cluster/package-conditions.js';
import type { Settled } from '../../src/cluster/settle-cluster.js';
import { lockRowManifest } from '../../src/lock/lock-row.js';
import type { Target } from '../../src/model/target/target.js';
import { wantedObject } from '../../src/cluster/wanted-object.js';
import type { Rendering } from '../../src/usecases/render.js';
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

/** What a running cluster has of scenarios, by what is part of all their names. */
export async function observedEnds(
  api: KubeApi,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ObservedEnd>> {
  const objects = await Promise.all(Object.values(PACKAGE_RESOURCES).map((each) => api.list(each)));
  const lock = await api.get(`${LOCK.at}/${LOCK.plural}/lock`);
  const rows = (listOf(lock?.['packages']) ?? []).filter(isMapping);
  const packages = objects.flat().map((object) => {
    const name = stringOf(mappingOf(object['metadata'])?.['name']) ?? '';
    const conditions = ['Installed', 'Healthy'].map((type) => told(object, type));
    const line = packageLine(
      `${stringOf(object['kind'])} ${name}`,
      referenceOf(object),
      conditions,
    );
    return { reference: referenceOf(object), line };
  });
  return new Map(
    ids.map((id) => [
      id,
      {
        packages: packages
          .filter(({ reference }) => reference.includes(`/${id}/`))
          .map(({ line }) => line)
          .sort(),
        rows: rows
          .filter(({ source }) => stringOf(source)?.includes(`/${id}/`))
          .map(written)
          .sort(),
      },
    ]),
  );
}

/** What a rendering is to come to: each of its packages healthy, and no row but those of its Lock. */
export function renderedEnd({ bundle, lock }: Rendering): ObservedEnd {
  return {
    packages: bundle.objects
      .map(wantedObject)
      .filter((object) => object !== undefined)
      .map(({ kind, name, reference }) =>
        packageLine(`${kind} ${name}`, reference, ['True', 'True']),
      )
      .sort(),
    rows: (listOf(lock?.['packages']) ?? []).filter(isMapping).map(written).sort(),
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
