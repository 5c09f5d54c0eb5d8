import { checkPackageSpec } from './check-package-set.js';
import type { Contribution } from './combine.js';
import {
  errorAt,
  type InputDocument,
  noteAt,
  objectAt,
  checkReference,
  requiredTextAt,
} from './document.js';
import { objectVersion, splitReference } from './references.js';
import { isList, type JsonValue } from '../../base/json.js';
import { didYouMean } from '../../base/messages.js';
import { objectNameProblem } from '../../crossplane/packages/object-names.js';
import type { PackageKind } from '../../crossplane/packages/package.js';
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
  const problem = objectNameProblem(name);
  if (problem !== undefined) throw errorAt(document, ['metadata', 'name'], problem);
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
