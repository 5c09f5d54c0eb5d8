import { parseDocuments } from './document.js';
import { type DumpPiece, DumpSplitter } from './split-dump.js';
import { formatOrigin, InputError, type Origin } from '../../base/errors.js';
import {
  isList,
  isMapping,
  type JsonObject,
  type JsonValue,
  listOf,
  mappingOf,
  parseJson,
  stringOf,
  valueAtSteps,
} from '../../base/json.js';
import type {
  ClusterDump,
  DumpedActivation,
  DumpedCondition,
  DumpedDependency,
  DumpedLock,
  DumpedPackage,
  DumpedReference,
  DumpedRevision,
  DumpedRow,
} from '../../crossplane/package-manager/cluster-dump.js';
import { EXTRA_KINDS, type KeptObject } from '../../crossplane/package-manager/image-config.js';
import { definitionOf, readDefiningSpec } from '../../crossplane/packages/package-contents.js';
import { isPackageKind, type PackageKind } from '../../crossplane/packages/package.js';
import { splitTag } from '../../crossplane/packages/reference.js';
import { targetFor } from '../../crossplane/releases/target.js';

/** Kinds that are read. Objects of other kinds are only counted, without parsing them. */
const READ_KINDS: ReadonlySet<string> = new Set([
  ...['Provider', 'Configuration', 'Function'].flatMap((kind) => [kind, `${kind}Revision`]),
  ...EXTRA_KINDS,
  'Lock',
  'ManagedResourceActivationPolicy',
  'CompositeResourceDefinition',
  'Deployment',
  'List',
]);

/**
 * Reads dumps of one cluster, object by object: YAML or JSON, documents or Lists, in any number of
 * files.
 *
 * Missing fields of an object are tolerated. Throws an `InputError` for text that is not a dump,
 * for a truncated dump, and for dumps of two clusters. No message quotes the dump, which may
 * contain secrets.
 */
export class DumpReader {
  readonly #packages: DumpedPackage[] = [];
  readonly #revisions: DumpedRevision[] = [];
  readonly #extraManifests: KeptObject[] = [];
  readonly #activations: DumpedActivation[] = [];
  readonly #claims = new Map<string, string>();
  readonly #ignoredCounts = new Map<string, number>();
  /** Origin and uid of each object, by kind and name. */
  readonly #uids = new Map<string, { readonly uid: string | undefined; readonly origin: Origin }>();
  #lock: DumpedLock | undefined;
  #crossplane: ClusterDump['crossplane'];

  get dump(): ClusterDump {
    return {
      packages: this.#packages,
      revisions: this.#revisions,
      lock: this.#lock,
      extraManifests: this.#extraManifests,
      activations: this.#activations,
      crossplane: this.#crossplane,
      claims: this.#claims,
      ignored: this.#ignoredCounts,
    };
  }

  /** Starts a file, whose text is pushed in chunks. */
  file(file: string) {
    const splitter = new DumpSplitter(file);
    const addPieces = (pieces: Iterable<DumpPiece>) => {
      for (const piece of pieces) this.#add(piece, file);
    };
    return {
      push: (chunk: string) => addPieces(splitter.push(chunk)),
      end: () => addPieces(splitter.end()),
    };
  }

  #add({ text, line, kind }: DumpPiece, file: string): void {
    if (kind !== undefined && !READ_KINDS.has(kind)) {
      this.#countIgnored(kind);
      return;
    }
    const origin = { file, line };
    // The managed fields of package objects are needed, and these objects are small.
    const isSmall = kind === undefined || isPackageKind(kind);
    const read = isSmall ? text : withoutManagedFields(text);
    for (const value of parseValues(read, origin)) this.#addObject(value, origin);
  }

  #addObject(value: unknown, origin: Origin): void {
    if (!isMapping(value)) {
      throw new InputError('is no dump of Kubernetes objects', {
        origin,
        hint: 'it takes what `kubectl get … -o yaml` or `-o json` prints',
      });
    }
    const { kind, items } = value;
    if (typeof kind === 'string' && kind.endsWith('List') && isList(items)) {
      for (const item of items) this.#addObject(item, origin);
    } else if (!this.#isRepeated(value, origin)) this.#addKnown(value, origin);
  }

  #addKnown(object: JsonObject, origin: Origin): void {
    const kind = stringOf(object['kind']) ?? 'an object without a kind';
    const [group, version] = (stringOf(object['apiVersion']) ?? '').split('/');
    const type = version === undefined ? kind : `${group} ${kind}`;
    const of = kind.replace(/Revision$/, '');
    if (group === 'pkg.crossplane.io' && isPackageKind(kind)) {
      this.#packages.push(copyOf(dumpedPackage(object, kind, origin)));
    } else if (group === 'pkg.crossplane.io' && isPackageKind(of)) {
      this.#revisions.push(copyOf(dumpedRevision(object, of, origin)));
    } else if (type === 'pkg.crossplane.io Lock') {
      this.#lock = copyOf(dumpedLock(object, origin));
    } else if (group === 'pkg.crossplane.io' && EXTRA_KINDS.includes(kind)) {
      this.#extraManifests.push(copyOf(dumpedManifest(object, origin)));
    } else if (type === 'apiextensions.crossplane.io ManagedResourceActivationPolicy') {
      this.#activations.push(copyOf(dumpedActivation(object, origin)));
    } else if (type === 'apiextensions.crossplane.io CompositeResourceDefinition') {
      const claim = copyOf(dumpedClaim(object));
      if (claim !== undefined) this.#claims.set(claim.xrd, claim.claim);
    } else if (type === 'apps Deployment') {
      const release = copyOf(dumpedRelease(object));
      if (release !== undefined) this.#crossplane = { version: release, origin };
    } else this.#countIgnored(kind);
  }

  #countIgnored(kind: string): void {
    this.#ignoredCounts.set(kind, (this.#ignoredCounts.get(kind) ?? 0) + 1);
  }

  /**
   * Returns whether the object was read before: `kubectl get pkg,providers` prints providers twice.
   * Throws an `InputError` if the two objects have different uids.
   */
  #isRepeated(object: JsonObject, origin: Origin): boolean {
    const { name, namespace, uid } = mappingOf(object['metadata']) ?? {};
    const [group] = (stringOf(object['apiVersion']) ?? '').split('/');
    const key = JSON.stringify([group, object['kind'], namespace, name]);
    const before = this.#uids.get(key);
    if (before === undefined) {
      this.#uids.set(key, { uid: copyOf(stringOf(uid)), origin });
      return false;
    }
    if (before.uid === stringOf(uid)) return true;
    throw new InputError(
      `this object is at ${formatOrigin(before.origin)}, too, with another uid: the dumps are of two clusters`,
      { origin, hint: 'give dumps of one cluster at a time' },
    );
  }
}

/** Returns a copy. A substring would keep the whole text in memory. */
function copyOf<T>(value: T): T {
  return structuredClone(value);
}

/** The block `managedFields`, often the largest part of an object, indented below `metadata:`. */
const MANAGED_FIELDS = /^( +)managedFields:[ \t\r]*\n(?:\1[ -] [^\n]*\n)*/m;

function withoutManagedFields(text: string): string {
  const column = /^ *(?=metadata:[ \t\r]*$)/m.exec(text)?.[0].length;
  const found = MANAGED_FIELDS.exec(text);
  if (column === undefined || found?.[1]!.length !== column + 2) return text;
  return text.slice(0, found.index) + text.slice(found.index + found[0].length);
}

function parseValues(text: string, { file, line }: Origin): readonly unknown[] {
  const json = text.startsWith('{') ? parseJson(text) : undefined;
  if (json !== undefined) return [json.value];
  try {
    return parseDocuments(text, file, line).map(({ value }) => value);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    // The original message quotes the line.
    throw new InputError(
      'is not valid YAML or JSON; what it says is not shown, for it may be secret',
      { origin: error.origin, hint: 'dump it again with `kubectl get … -o yaml`' },
    );
  }
}

function textAt(object: JsonObject, field: string): string {
  return stringOf(object[field]) ?? '';
}

function dumpedPackage(object: JsonObject, kind: PackageKind, origin: Origin): DumpedPackage {
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
    generation: positiveInteger(metadata['generation']),
    currentRevision: stringOf(status['currentRevision']),
    conditions: conditionsOf(status),
    origin,
  };
}

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

function positiveInteger(value: JsonValue | undefined): number | undefined {
  return Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : undefined;
}

/** Returns an ImageConfig or runtime config without the fields that the cluster added. */
function dumpedManifest(object: JsonObject, origin: Origin): KeptObject {
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

function dumpedRevision(object: JsonObject, kind: PackageKind, origin: Origin): DumpedRevision {
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

function dumpedLock(object: JsonObject, origin: Origin): DumpedLock {
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

function dumpedActivation(object: JsonObject, origin: Origin): DumpedActivation {
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
function dumpedClaim(object: JsonObject) {
  const xrd = stringOf(mappingOf(object['metadata'])?.['name']);
  const spec = readDefiningSpec(stringOf(object['apiVersion']) ?? '', object['spec']);
  const { claimCrd } = definitionOf('CompositeResourceDefinition', spec);
  return xrd === undefined || claimCrd === undefined ? undefined : { xrd, claim: claimCrd };
}

/** Returns the Crossplane release of a Deployment; undefined for other Deployments. */
function dumpedRelease(deployment: JsonObject): string | undefined {
  if (mappingOf(deployment['metadata'])?.['name'] !== 'crossplane') return undefined;
  const containers = valueAtSteps(deployment, ['spec', 'template', 'spec', 'containers']);
  const tags = (listOf(containers) ?? []).flatMap((container) => {
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
