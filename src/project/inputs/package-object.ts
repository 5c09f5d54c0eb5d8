import { checkPackageSpec } from './check-package-set.js';
import type { Contribution } from './request.js';
import {
  errorAt,
  type InputDocument,
  noteAt,
  objectAt,
  requiredTextAt,
  textAt,
  valueAt,
} from './document.js';
import { checkReference, objectVersion, splitReference } from './references.js';
import { isList, type JsonObject, type JsonValue, type Path } from '../../base/json.js';
import { didYouMean } from '../../base/messages.js';
import { parseCrdRef } from '../../crossplane/packages/crd-ref.js';
import { objectNameProblem } from '../../crossplane/packages/object-names.js';
import type { PackageKind } from '../../crossplane/packages/package.js';
import { isRepository } from '../../crossplane/packages/reference.js';
import { METADATA_FIELDS } from '../../crossplane/releases/package-fields.js';

/** API versions that a Crossplane release since v1.14 serves. */
const SERVED: Readonly<Record<PackageKind, readonly string[]>> = {
  Provider: ['v1'],
  Configuration: ['v1'],
  Function: ['v1', 'v1beta1'],
};

/**
 * Reads a `pkg.crossplane.io` object: a root at an exact tag or digest that keeps its other fields.
 */
export function readPackageObject(document: InputDocument, kind: PackageKind): Contribution {
  assertServed(document, kind);
  const object = objectAt(document, []);
  const name = requiredTextAt(document, ['metadata', 'name']);
  objectNameAt(document, ['metadata', 'name']);
  checkMetadataFields(document);
  checkPackageSpec(document);
  const origin = document.originOf([]);
  const { repository, version, note } = packageOf(document);
  return {
    roots: [{ root: 'package', repository, kind, version, name, spec: {}, object, origin }],
    notes: [
      ...(note === undefined ? [] : [noteAt(document, [], note)]),
      ...metadataNotes(document),
    ],
  };
}

function assertServed(document: InputDocument, kind: PackageKind): void {
  const [, version = ''] = requiredTextAt(document, ['apiVersion']).split('/');
  if (SERVED[kind].includes(version)) return;
  throw errorAt(
    document,
    ['apiVersion'],
    `is \`pkg.crossplane.io/${version}\`, in which no Crossplane since v1.14 serves a ${kind}`,
    'write `pkg.crossplane.io/v1`',
  );
}

function packageOf(document: InputDocument) {
  const path = ['spec', 'package'];
  const text = requiredTextAt(document, path);
  checkReference(document, path, text);
  const reference = splitReference(text);
  if (reference === undefined) {
    throw errorAt(document, path, `is no image reference: \`${text}\``);
  }
  const { repository, tag, digest } = reference;
  return { repository, version: objectVersion(reference), note: noteOn(text, tag, digest) };
}

function noteOn(text: string, tag: string | undefined, digest: string | undefined) {
  if (digest !== undefined && tag !== undefined) {
    return `\`${text}\` is read as its digest; Crossplane would take the tag for part of the source, and nothing that depends on the package would find it`;
  }
  if (digest === undefined && tag === undefined) {
    return `\`${text}\` names no tag and is read as \`latest\`, as Crossplane v1 does; v2 refuses it`;
  }
  return undefined;
}

/**
 * Throws an `InputError` for an unknown field of `metadata`: an API server would drop it silently.
 */
export function checkMetadataFields(document: InputDocument): void {
  const known: readonly string[] = METADATA_FIELDS;
  const unknown = Object.keys(objectAt(document, ['metadata'])).find(
    (field) => !known.includes(field),
  );
  if (unknown === undefined) return;
  const suggestion = didYouMean(unknown, METADATA_FIELDS);
  throw errorAt(
    document,
    ['metadata', unknown],
    'is not a field of metadata',
    suggestion === undefined ? 'remove it' : `did you mean \`${suggestion}\`?`,
  );
}

/** Fields that users set but that apply to one cluster only. */
const DROPPED = ['finalizers', 'namespace', 'ownerReferences'];

/** Returns notes on metadata fields that are not rendered. */
export function metadataNotes(document: InputDocument): readonly string[] {
  const metadata = objectAt(document, ['metadata']);
  // An object with a uid is a dump: these fields come from the cluster.
  if (metadata['uid'] !== undefined) return [];
  return DROPPED.filter((field) => isSet(metadata[field])).map((field) => {
    const note = `\`metadata.${field}\` is not kept: of metadata, the bundle has labels and annotations`;
    return noteAt(document, ['metadata', field], note);
  });
}

function isSet(value: JsonValue | undefined): boolean {
  return isList(value) ? value.length > 0 : (value ?? '') !== '';
}

/** Field names of a `pkg.crossplane.io` object, by the names of the old format. */
const RENAMED_FIELDS: Readonly<Record<string, string>> = {
  imagePullPolicy: 'packagePullPolicy',
  imagePullSecrets: 'packagePullSecrets',
};
const REQUEST_FIELDS = ['source', 'package', 'crd'];

/**
 * Reads a `ClusterPackageInstall` or `PackageInstall`. It requires a package at an exact tag, or
 * any package of its `source` that owns a CRD.
 */
export function readPackageInstall(document: InputDocument): Contribution {
  const source = sourceOf(document);
  const [named, crd] = ['package', 'crd'].map(
    (field) => valueAt(document, ['spec', field]) ?? null,
  );
  if ((named === null) === (crd === null)) {
    const problem = named === null ? 'names neither a package nor a CRD' : 'names both';
    throw errorAt(document, ['spec'], problem, 'write one of `package` and `crd`');
  }
  const notes = lostFieldNotes(document, named === null);
  if (named !== null) return packageRoot(document, source, notes);
  const crdRef = parseCrdRef(crd!);
  if (crdRef === undefined) {
    const hint = 'write it as `plural.group/version`, or `*.group/version` for any of a group';
    throw errorAt(document, ['spec', 'crd'], 'names no CRD', hint);
  }
  const origin = document.originOf(['spec', 'crd']);
  return {
    roots: [{ root: 'crd', demand: { ...crdRef, registry: source }, origin }],
    notes,
  };
}

/** Returns the registry without trailing slashes, or undefined. */
function sourceOf(document: InputDocument): string | undefined {
  const path = ['spec', 'source'];
  const source = textAt(document, path)?.replace(/(?<!\/)\/+$/, '');
  if (source === undefined || source === '') return undefined;
  if (!isRepository(`${source}/any`) || source.includes('://')) {
    throw errorAt(document, path, `is no registry: \`${source}\``, 'write `registry.example.org`');
  }
  return source;
}

function packageRoot(
  document: InputDocument,
  source: string | undefined,
  notes: readonly string[],
): Contribution {
  const path = ['spec', 'package'];
  const written = requiredTextAt(document, path);
  const reference = splitReference(source === undefined ? written : `${source}/${written}`);
  if (reference === undefined) throw errorAt(document, path, `is no package: \`${written}\``);
  const { repository, tag, digest } = reference;
  const latest = noteAt(document, [], `\`${written}\` names no tag and is read as \`latest\``);
  return {
    roots: [
      {
        root: 'package',
        repository,
        kind: undefined,
        version: objectVersion(reference),
        name: objectNameAt(document, ['metadata', 'name']),
        spec: renderedFields(document),
        object: undefined,
        takesNoRange: true,
        origin: document.originOf([]),
      },
    ],
    notes: tag === undefined && digest === undefined ? [latest, ...notes] : notes,
  };
}

/** Returns the name of an object; undefined if absent. Throws an `InputError` if it is invalid. */
export function objectNameAt(document: InputDocument, path: Path): string | undefined {
  const name = textAt(document, path) || undefined;
  const problem = name === undefined ? undefined : objectNameProblem(name);
  if (problem !== undefined) throw errorAt(document, path, problem);
  return name;
}

/** Returns the fields of the spec that the rendered object has too. */
function renderedFields(document: InputDocument): JsonObject {
  const fields = Object.entries(objectAt(document, ['spec'])).flatMap(
    ([field, value]): [string, JsonValue][] =>
      Object.hasOwn(RENAMED_FIELDS, field) ? [[RENAMED_FIELDS[field]!, value]] : [],
  );
  return Object.fromEntries(fields);
}

/** Returns notes on fields that the rendered object does not have; all fields for a root by CRD. */
function lostFieldNotes(document: InputDocument, byCrd: boolean): string[] {
  return Object.keys(objectAt(document, ['spec']))
    .filter(
      (field) =>
        !REQUEST_FIELDS.includes(field) && (byCrd || !Object.hasOwn(RENAMED_FIELDS, field)),
    )
    .map((field) => {
      const advice =
        field === 'serviceAccount'
          ? 'a DeploymentRuntimeConfig says it today'
          : 'set it on the package in a PackageSet';
      return noteAt(document, ['spec', field], `\`spec.${field}\` is left out; ${advice}`);
    });
}
