import type {
  DumpedActivation,
  DumpedCondition,
  DumpedDependency,
  DumpedLock,
  DumpedPackage,
  DumpedReference,
  DumpedRevision,
  DumpedRow,
} from '../../model/cluster/cluster-dump.js';
import { definedBy, readDefiningSpec } from '../../model/definition.js';
import { isPackageKind, type Origin, type PackageKind } from '../../model/package.js';
import type { KeptObject } from '../../model/request.js';
import { splitTag } from '../../model/reference.js';
import { targetFor } from '../../model/target/target.js';
import { listOf, mappingOf, stringOf, type JsonObject, type JsonValue } from '../../text/json.js';

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
    apiVersion: stringOf(object['apiVersion']) ?? '',
    name: stringOf(metadata['name']) ?? '',
    reference: stringOf(reference) ?? '',
    metadata: ownMetadataOf(metadata),
    spec,
    isUsers: hasUserTrace(metadata),
    isPaused: annotations['crossplane.io/paused'] === 'true',
    isBeingDeleted: metadata['deletionTimestamp'] !== undefined,
    currentRevision: stringOf(status['currentRevision']),
    conditions: conditionsOf(status),
    origin,
  };
}

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** An ImageConfig or a runtime config as a user would write it. */
export function dumpedKept(object: JsonObject, origin: Origin): KeptObject {
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

/** As which Crossplane itself writes to the API: the name of its binary, which a build may lengthen. */
const CROSSPLANE = /^crossplane(?:-|$)/;

/**
 * Crossplane's resolver makes an object with a name and a package, and sets nothing else. Labels,
 * annotations, owners and other writers of its fields are traces of a person, or of a tool of theirs.
 */
function hasUserTrace(metadata: JsonObject): boolean {
  const { labels, annotations, ownerReferences, managedFields } = metadata;
  const set = [labels, annotations, ownerReferences].map((value) => Object.keys(value ?? {}));
  if (set.some((keys) => keys.length > 0)) return true;
  return (listOf(managedFields) ?? []).some((entry) => {
    const { manager, subresource } = mappingOf(entry) ?? {};
    return subresource === undefined && !CROSSPLANE.test(stringOf(manager) ?? '');
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
    name: stringOf(metadata['name']) ?? '',
    packageName: stringOf(owner?.['name']) ?? stringOf(labels['pkg.crossplane.io/package']),
    image: stringOf(spec['image']) ?? '',
    isActive: spec['desiredState'] === 'Active',
    number: typeof spec['revision'] === 'number' ? spec['revision'] : 0,
    conditions: conditionsOf(status),
    objects: (listOf(status['objectRefs']) ?? []).flatMap(referenceOf),
    origin,
  };
}

function referenceOf(value: JsonValue): readonly DumpedReference[] {
  const { apiVersion, kind, name } = mappingOf(value) ?? {};
  const isWhole =
    typeof apiVersion === 'string' && typeof kind === 'string' && typeof name === 'string';
  return isWhole ? [{ apiVersion, kind, name }] : [];
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
  const text = (field: string) => stringOf(row[field]) ?? '';
  return {
    name: text('name'),
    kind: packageKindOf(row['kind'] ?? row['type']),
    hasType: typeof row['type'] === 'string',
    source: text('source'),
    version: text('version'),
    dependencies: (listOf(row['dependencies']) ?? []).map(dependencyOf),
    origin,
  };
}

function dependencyOf(value: JsonValue): DumpedDependency {
  const entry = mappingOf(value) ?? {};
  return {
    repository: stringOf(entry['package']) ?? '',
    kind: packageKindOf(entry['kind'] ?? entry['type']),
    apiVersion: stringOf(entry['apiVersion']),
    constraint: stringOf(entry['constraints']) ?? '',
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

/** The CRD of the claim that an XRD offers; undefined: it offers none. */
export function dumpedClaim(
  object: JsonObject,
): { readonly xrd: string; readonly claim: string } | undefined {
  const xrd = stringOf(mappingOf(object['metadata'])?.['name']);
  const spec = readDefiningSpec(stringOf(object['apiVersion']) ?? '', object['spec']);
  const { claimCrd } = definedBy('CompositeResourceDefinition', spec);
  return xrd === undefined || claimCrd === undefined ? undefined : { xrd, claim: claimCrd };
}

/** The release of Crossplane that a Deployment runs; undefined: it runs something else. */
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
    const text = (field: string) => stringOf(condition[field]) ?? '';
    return {
      type: text('type'),
      status: text('status'),
      reason: text('reason'),
      message: text('message'),
    };
  });
}
