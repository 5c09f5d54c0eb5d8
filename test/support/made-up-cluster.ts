import { createHash } from 'node:crypto';
import type * as fc from 'fast-check';
import { labelOf } from '../../src/project/manifests/object-names.js';
import type { Pin } from '../../src/project/manifests/package-object.js';
import type { LockedPackage, Lockfile } from '../../src/project/lockfile/lockfile.js';
import { FIRST_GENERATION, revisionName } from '../../src/crossplane/packages/object-names.js';
import { objectTypeOf, type OwnedObject } from '../../src/crossplane/packages/owned-objects.js';
import { targetFor, type Target } from '../../src/crossplane/releases/target.js';
import { byCodePoint } from '../../src/base/collections.js';
import {
  type JsonObject,
  type JsonValue,
  isList,
  isMapping,
  mappingOf,
} from '../../src/base/json.js';
import { writeYaml, writeYamlStream } from '../../src/base/yaml/write-yaml.js';
import { lockfile, type LockfileKnobs } from '../../src/testing/generators/lockfile.js';
import { render } from '../../src/project/manifests/render.js';

/** An object of the cluster that tests edit in place, with the fields that they edit. */
export interface ClusterObject {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    uid: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    deletionTimestamp?: string;
  };
  spec: Record<string, JsonValue>;
  status: {
    conditions: { type: string; status: string; reason: string; message?: string }[];
    currentRevision?: string;
    objectRefs: { apiVersion: string; kind: string; name: string }[];
  };
  /** Rows of a Lock. */
  packages: ClusterRow[];
}

interface ClusterRow {
  name: string;
  source: string;
  version: string;
  dependencies: { package: string; type?: string; constraints: string }[];
}

/**
 * Returns what `kubectl get` shows of a healthy cluster after the manifests were applied: a user
 * created the direct packages, and the cluster's resolver the others.
 */
export function madeUpCluster(applied: Lockfile, options: ClusterOptions = {}): ClusterObject[] {
  const target = targetFor(applied.crossplane)!;
  const { bundle, lock } = render(applied, { pin: options.pin });
  const byName = new Map(applied.packages.map((locked) => [locked.name, locked]));
  const objects = bundle.objects.map((object): JsonObject => {
    if (mappingOf(object['spec'])?.['package'] === undefined)
      return stored(object, { isUsers: true, options });
    return packageObject(
      object,
      byName.get((object['metadata'] as { name: string }).name)!,
      target,
      options,
    );
  });
  const revisions = applied.packages.map((locked) => revision(locked, target, options));
  const skips = bundle.skips.length > 0;
  return structuredClone([
    ...objects,
    ...revisions,
    lockObject(skips ? [] : (lock!['packages'] as JsonValue[]), target, options),
    ...(target.rules.strictReferences ? [activationPolicy(options)] : []),
    deployment(target),
  ]) as object[] as ClusterObject[];
}

/** Generated lockfiles that can be applied: all digests are known, and objects are unique. */
export function applicable(knobs: Partial<LockfileKnobs>): fc.Arbitrary<Lockfile> {
  return lockfile({ ...knobs, undigested: 0 }).filter(({ objects }) => {
    return new Set(objects.map(labelOf)).size === objects.length;
  });
}

interface ClusterOptions {
  /** Adds managed fields, as with `kubectl get --show-managed-fields`. */
  readonly managedFields?: boolean;
  /** How the manifests were rendered. */
  readonly pin?: Pin;
}

/** Returns the output of `kubectl get -o yaml`: one List with sorted keys and unindented items. */
export function asYamlList(objects: readonly object[]): string {
  const items = objects.map((object) => {
    return `- ${writeYaml(sortedKeys(object as JsonObject))
      .trimEnd()
      .replaceAll('\n', '\n  ')}\n`;
  });
  return `apiVersion: v1\nitems:\n${items.join('')}kind: List\nmetadata:\n  resourceVersion: ""\n`;
}

export function asYamlStream(objects: readonly object[]): string {
  return writeYamlStream(objects as readonly JsonObject[]);
}

/** Returns the output of `kubectl get -o json`. */
export function asJsonList(objects: readonly object[]): string {
  const list: object = {
    apiVersion: 'v1',
    items: objects,
    kind: 'List',
    metadata: { resourceVersion: '' },
  };
  return `${JSON.stringify(sortedKeys(list as JsonObject), undefined, 4)}\n`;
}

function sortedKeys(value: JsonValue): JsonValue {
  if (isList(value)) return value.map(sortedKeys);
  if (!isMapping(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => byCodePoint(a, b));
  return Object.fromEntries(entries.map(([key, member]) => [key, sortedKeys(member)]));
}

const SINCE = '2026-01-31T08:15:00Z';

function stored(
  object: JsonObject,
  { isUsers, options }: { isUsers: boolean; options: ClusterOptions },
): JsonObject {
  const metadata = object['metadata'] as { name: string; annotations?: JsonObject };
  const applied = { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(object) };
  const hash = createHash('sha256')
    .update(JSON.stringify([object['kind'], metadata.name]))
    .digest('hex');
  return {
    ...object,
    metadata: {
      ...metadata,
      ...(isUsers && { annotations: { ...metadata.annotations, ...applied } }),
      creationTimestamp: SINCE,
      generation: 1,
      ...(options.managedFields === true && {
        managedFields: [
          {
            apiVersion: object['apiVersion']!,
            fieldsType: 'FieldsV1',
            fieldsV1: { 'f:spec': { '.': {}, 'f:package': {} } },
            manager: isUsers ? 'kubectl-client-side-apply' : 'crossplane',
            operation: 'Update',
            time: SINCE,
          },
          {
            apiVersion: object['apiVersion']!,
            fieldsType: 'FieldsV1',
            fieldsV1: { 'f:status': { 'f:conditions': {} } },
            manager: 'crossplane',
            operation: 'Update',
            subresource: 'status',
            time: SINCE,
          },
        ],
      }),
      resourceVersion: '4711',
      uid: `${hash.slice(0, 8)}-${hash.slice(8, 12)}-4${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`,
    },
  };
}

const condition = (type: string, reason: string): JsonObject => ({
  lastTransitionTime: SINCE,
  reason,
  status: 'True',
  type,
});

function packageObject(
  object: JsonObject,
  locked: LockedPackage,
  target: Target,
  options: ClusterOptions,
): JsonObject {
  const spec = object['spec'] as JsonObject;
  return {
    ...stored(object, { isUsers: locked.direct, options }),
    spec: withApiDefaults(spec, locked),
    status: {
      conditions: [
        condition('Healthy', 'HealthyPackageRevision'),
        condition('Installed', 'ActivePackageRevision'),
      ],
      currentIdentifier: spec['package']!,
      currentRevision: revisionName(
        objectOf(locked),
        locked.digest!,
        target.packageManager.revisionNames,
      ),
      ...(target.rules.imageConfig?.rewrite === true && { resolvedPackage: spec['package']! }),
    },
  };
}

function objectOf({ name }: LockedPackage) {
  return { name, generation: FIRST_GENERATION };
}

function runtimeConditions({ packageManager }: Target): string[] {
  return packageManager.revisionNames === 'digest'
    ? ['RuntimeHealthy']
    : ['RuntimeHealthy', 'RuntimeActive'];
}

function withApiDefaults(spec: JsonObject, { kind }: LockedPackage): JsonObject {
  const named = spec['runtimeConfigRef'] as JsonObject | undefined;
  return {
    ignoreCrossplaneConstraints: false,
    packagePullPolicy: 'IfNotPresent',
    revisionActivationPolicy: 'Automatic',
    revisionHistoryLimit: 1,
    skipDependencyResolution: false,
    ...spec,
    ...(kind !== 'Configuration' && {
      runtimeConfigRef: {
        apiVersion: 'pkg.crossplane.io/v1beta1',
        kind: 'DeploymentRuntimeConfig',
        name: 'default',
        ...named,
      },
    }),
  };
}

function revision(locked: LockedPackage, target: Target, options: ClusterOptions): JsonObject {
  const { kind, name, repository, version } = locked;
  const apiVersion = kind === 'Function' ? target.rules.functionApiVersion : 'pkg.crossplane.io/v1';
  const health = target.rules.strictReferences
    ? [target.rules.revisionHealth, ...(kind === 'Configuration' ? [] : runtimeConditions(target))]
    : [target.rules.revisionHealth];
  const object = {
    apiVersion,
    kind: `${kind}Revision`,
    metadata: {
      labels: { 'pkg.crossplane.io/package': name },
      name: revisionName(objectOf(locked), locked.digest!, target.packageManager.revisionNames),
      ownerReferences: [
        { apiVersion, blockOwnerDeletion: true, controller: true, kind, name, uid: 'made-up' },
      ],
    },
    spec: {
      desiredState: 'Active',
      ignoreCrossplaneConstraints: false,
      image: `${repository}${version.startsWith('sha256:') ? '@' : ':'}${version}`,
      packagePullPolicy: 'IfNotPresent',
      revision: 1,
      skipDependencyResolution: false,
    },
  };
  return {
    ...stored(object, { isUsers: false, options }),
    status: {
      conditions: health.map((type) => condition(type, 'HealthyPackageRevision')),
      foundDependencies: locked.requirements.length,
      installedDependencies: locked.requirements.length,
      objectRefs: locked.owns.flatMap((owned) => reference(owned, locked, target)),
    },
  };
}

/**
 * Claims are not listed; on v2, a CRD of a provider is an MRD unless it configures the provider.
 */
function reference(
  { kind, name }: OwnedObject,
  locked: LockedPackage,
  target: Target,
): readonly JsonObject[] {
  if (kind === 'claim') return [];
  if (locked.kind === 'Function' && !target.rules.functionObjectsInstalled) return [];
  const converts = target.rules.strictReferences && locked.kind === 'Provider';
  const as = kind === 'CRD' && converts && !name.includes('providerconfig') ? 'MRD' : kind;
  const type = objectTypeOf(as);
  const version = as === 'MRD' || as === 'MRAP' || as.endsWith('Operation') ? 'v1alpha1' : 'v1';
  return [{ apiVersion: `${type.group}/${version}`, kind: type.kind, name, uid: 'made-up' }];
}

function lockObject(rows: JsonValue[], target: Target, options: ClusterOptions): JsonObject {
  const object = {
    apiVersion: 'pkg.crossplane.io/v1beta1',
    kind: 'Lock',
    metadata: { finalizers: ['lock.pkg.crossplane.io'], name: 'lock' },
  };
  return {
    ...stored(object, { isUsers: false, options }),
    packages: rows,
    ...(target.rules.digestDependencies && {
      status: { conditions: [condition('Resolved', 'DependencyResolutionSucceeded')] },
    }),
  };
}

function activationPolicy(options: ClusterOptions): JsonObject {
  const object = {
    apiVersion: 'apiextensions.crossplane.io/v1alpha1',
    kind: 'ManagedResourceActivationPolicy',
    metadata: { labels: { 'app.kubernetes.io/managed-by': 'Helm' }, name: 'default' },
    spec: { activate: ['*'] },
  };
  return stored(object, { isUsers: false, options });
}

function deployment({ version }: Target): JsonObject {
  const image = `xpkg.crossplane.io/crossplane/crossplane:${version}`;
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'crossplane', namespace: 'crossplane-system', uid: 'made-up' },
    spec: { template: { spec: { containers: [{ image, name: 'crossplane' }] } } },
  };
}
