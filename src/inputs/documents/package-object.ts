import type { PackageKind } from '../../model/package.js';
import type { JsonObject } from '../../text/json.js';
import { formatOrigin } from '../../model/input-error.js';
import type { RootVersion } from '../../model/request.js';
import type { Contribution } from '../contribution.js';
import type { InputDocument } from '../document.js';
import { errorAt, flagAt, objectAt, refuseMistake, requiredTextAt } from '../field.js';
import { objectNameProblem } from '../../model/name.js';
import { notesOnMetadata, refuseUnknownMetadata } from './object-metadata.js';
import { splitReference } from '../written-reference.js';

/** Versions of the API that some Crossplane since v1.14 serves. */
const SERVED: Readonly<Record<PackageKind, readonly string[]>> = {
  Provider: ['v1'],
  Configuration: ['v1'],
  Function: ['v1', 'v1beta1'],
};

/** A `pkg.crossplane.io` object: a root, exact at its tag or digest, that keeps its other fields. */
export function readPackageObject(document: InputDocument, kind: PackageKind): Contribution {
  assertServed(document, kind);
  const object: JsonObject = objectAt(document, []);
  const name = requiredTextAt(document, ['metadata', 'name']);
  const problem = objectNameProblem(name);
  if (problem !== undefined) throw errorAt(document, ['metadata', 'name'], problem);
  refuseUnknownMetadata(document);
  flagAt(document, ['spec', 'ignoreCrossplaneConstraints']);
  flagAt(document, ['spec', 'skipDependencyResolution']);
  const origin = document.originOf([]);
  const { repository, version, note } = packageOf(document);
  const notes = [
    ...(note === undefined ? [] : [`${formatOrigin(origin)}: ${note}`]),
    ...notesOnMetadata(document),
  ];
  return {
    roots: [{ root: 'package', repository, kind, version, name, spec: {}, object, origin }],
    notes,
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
  refuseMistake(document, path, text);
  const reference = splitReference(text);
  if (reference === undefined) {
    throw errorAt(document, path, `is no image reference: \`${text}\``);
  }
  const { repository, tag, digest } = reference;
  return { repository, version: versionOf(tag, digest), note: noteOn(text, tag, digest) };
}

function versionOf(tag: string | undefined, digest: string | undefined): RootVersion {
  if (digest !== undefined) return { form: 'digest', digest };
  return { form: 'tag', tag: tag ?? 'latest' };
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
