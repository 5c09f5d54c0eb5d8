import type {
  DumpedActivation,
  DumpedCondition,
  DumpedDependency,
  DumpedLock,
  DumpedPackage,
  DumpedReference,
  DumpedRevision,
  DumpedRow,
} from '../../crossplane/package-manager/cluster-dump.js';
import { definitionOf, readDefiningSpec } from '../../crossplane/packages/package-contents.js';
import type { Origin } from '../../base/errors.js';
import { isPackageKind, type PackageKind } from '../../crossplane/packages/package.js';
import type { KeptObject } from '../../crossplane/package-manager/image-config.js';
import { splitTag } from '../../crossplane/packages/reference.js';
import { targetFor } from '../../crossplane/releases/target.js';
import { listOf, mappingOf, stringOf, type JsonObject, type JsonValue } from '../../base/json.js';

function textAt(object: JsonObject, field: string): string {
  return stringOf(object[field]) ?? '';
}

export function dumpedPackage(
  object: JsonObject,
  kind: PackageKind,
  origin: Origin,
): DumpedPackage {
  const metadata = mappingOf(object['metadata']) ?? {};
  const annotations = mappingOf(metadata['annotations']) ?? {};
  const status = mappingOf(object['status']) ?? {};
  const { package: reference, ...spec } = mappingOf(object['spec']) ?? {};
  return {
    kind,
    apiVersion: textAt(object, 'apiVersion'),
    name: textAt(metadata, 'name'),
    reference: stringOf(reference) ?? '',
    metadata: ownMetadataOf(metadata),
    spec,
    isUserCreated: isChangedByUser(metadata),
    isPaused: annotations['crossplane.io/paused'] === 'true',
    isBeingDeleted: metadata['deletionTimestamp'] !== undefined,
    currentRevision: stringOf(status['currentRevision']),
    conditions: conditionsOf(status),
    origin,
  };
}

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** Returns an ImageConfig or runtime config without the fields that the cluster added. */
export function dumpedManifest(object: JsonObject, origin: Origin): KeptObject {
  const metadata = mappingOf(object['metadata']) ?? {};
  const { status: _status, ...rest } = object;
  const { name } = metadata;
  const own = { ...(name !== undefined && { name }), ...ownMetadataOf(metadata) };
  return { object: { ...rest, metadata: own }, origin };
}

function ownMetadataOf({ labels, annotations }: JsonObject): JsonObject {
  const { [LAST_APPLIED]: _copy, ...own } = mappingOf(annotations) ?? {};
  return {
    ...(mappingOf(labels) !== undefined && { labels: labels! }),
    ...(Object.keys(own).length > 0 && { annotations: own }),
  };
}

/** Field manager of Crossplane: the name of its binary, which a build may extend. */
const CROSSPLANE_MANAGER = /^crossplane(?:-|$)/;

/**
 * Returns whether a person or another tool changed the package object. The resolver of Crossplane
 * sets only the name and the package, so labels, annotations, owners and other field managers are
 * signs of a user.
 */
function isChangedByUser(metadata: JsonObject): boolean {
  const { labels, annotations, ownerReferences, managedFields } = metadata;
  const set = [labels, annotations, ownerReferences].map((value) => Object.keys(value ?? {}));
  if (set.some((keys) => keys.length > 0)) return true;
  return (listOf(managedFields) ?? []).some((entry) => {
    const { manager, subresource } = mappingOf(entry) ?? {};
    return subresource === undefined && !CROSSPLANE_MANAGER.test(stringOf(manager) ?? '');
  });
}

export function dumpedRevision(
  object: JsonObject,
  kind: PackageKind,
  origin: Origin,
): DumpedRevision {
  const metadata = mappingOf(object['metadata']) ?? {};
  const spec = mappingOf(object['spec']) ?? {};
  const status = mappingOf(object['status']) ?? {};
  const labels = mappingOf(metadata['labels']) ?? {};
  const owner = (listOf(metadata['ownerReferences']) ?? [])
    .map(mappingOf)
    .find((each) => each?.['kind'] === kind);
  return {
    kind,
    name: textAt(metadata, 'name'),
    packageName: stringOf(owner?.['name']) ?? stringOf(labels['pkg.crossplane.io/package']),
    image: textAt(spec, 'image'),
    isActive: spec['desiredState'] === 'Active',
    number: typeof spec['revision'] === 'number' ? spec['revision'] : 0,
    conditions: conditionsOf(status),
    objects: (listOf(status['objectRefs']) ?? []).flatMap(referenceOf),
    origin,
  };
}

function referenceOf(value: JsonValue): readonly DumpedReference[] {
  const { apiVersion, kind, name } = mappingOf(value) ?? {};
  const isComplete =
    typeof apiVersion === 'string' && typeof kind === 'string' && typeof name === 'string';
  return isComplete ? [{ apiVersion, kind, name }] : [];
}

export function dumpedLock(object: JsonObject, origin: Origin): DumpedLock {
  return {
    rows: (listOf(object['packages']) ?? []).map((row) => readRow(row, origin)),
    conditions: conditionsOf(mappingOf(object['status']) ?? {}),
    origin,
  };
}

function readRow(value: JsonValue, origin: Origin): DumpedRow {
  const row = mappingOf(value) ?? {};
  return {
    name: textAt(row, 'name'),
    kind: packageKindOf(row['kind'] ?? row['type']),
    hasType: typeof row['type'] === 'string',
    source: textAt(row, 'source'),
    version: textAt(row, 'version'),
    dependencies: (listOf(row['dependencies']) ?? []).map(dependencyOf),
    origin,
  };
}

function dependencyOf(value: JsonValue): DumpedDependency {
  const entry = mappingOf(value) ?? {};
  return {
    repository: textAt(entry, 'package'),
    kind: packageKindOf(entry['kind'] ?? entry['type']),
    apiVersion: stringOf(entry['apiVersion']),
    constraint: textAt(entry, 'constraints'),
  };
}

function packageKindOf(value: JsonValue | undefined): PackageKind | undefined {
  return typeof value === 'string' && isPackageKind(value) ? value : undefined;
}

export function dumpedActivation(object: JsonObject, origin: Origin): DumpedActivation {
  return {
    name: stringOf(mappingOf(object['metadata'])?.['name']) ?? '',
    patterns: textsOf(mappingOf(object['spec'])?.['activate']),
    activated: textsOf(mappingOf(object['status'])?.['activated']),
    origin,
  };
}

function textsOf(list: JsonValue | undefined): readonly string[] {
  return (listOf(list) ?? []).filter((each) => typeof each === 'string');
}

/** Returns the XRD and the CRD of its claim. Returns undefined if the XRD offers no claim. */
export function dumpedClaim(
  object: JsonObject,
): { readonly xrd: string; readonly claim: string } | undefined {
  const xrd = stringOf(mappingOf(object['metadata'])?.['name']);
  const spec = readDefiningSpec(stringOf(object['apiVersion']) ?? '', object['spec']);
  const { claimCrd } = definitionOf('CompositeResourceDefinition', spec);
  return xrd === undefined || claimCrd === undefined ? undefined : { xrd, claim: claimCrd };
}

/**
 * Returns the Crossplane release that a Deployment runs. Returns undefined for other Deployments.
 */
export function dumpedRelease(deployment: JsonObject): string | undefined {
  if (mappingOf(deployment['metadata'])?.['name'] !== 'crossplane') return undefined;
  const template = mappingOf(mappingOf(deployment['spec'])?.['template']);
  const containers = listOf(mappingOf(template?.['spec'])?.['containers']) ?? [];
  const tags = containers.flatMap((container) => {
    const [image = ''] = (stringOf(mappingOf(container)?.['image']) ?? '').split('@');
    return splitTag(image).tag ?? [];
  });
  return tags.find((tag) => targetFor(tag) !== undefined);
}

function conditionsOf(status: JsonObject): readonly DumpedCondition[] {
  return (listOf(status['conditions']) ?? []).map((value) => {
    const condition = mappingOf(value) ?? {};
    return {
      type: textAt(condition, 'type'),
      status: textAt(condition, 'status'),
      reason: textAt(condition, 'reason'),
      message: textAt(condition, 'message'),
    };
  });
}
