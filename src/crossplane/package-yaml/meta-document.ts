import {
  hasExcessiveAliases,
  isList,
  type JsonObject,
  type JsonValue,
  listOf,
  mappingOf,
  type Path,
} from '../../base/json.js';
import { isPackageKind } from '../packages/package.js';
import { OBJECT_FIELDS, unknownFieldText, unknownMetaFields } from '../releases/package-fields.js';
import type { MetaDocument, StreamProblem } from '../packages/package-contents.js';
import type { GoDocument } from '../../base/yaml/go-yaml.js';
import { identityOf, typeMessage } from './object-identity.js';
import { objectMetaProblem, releaseFieldErrors } from './field-types.js';
import { findPlace, positionsIn } from '../../base/yaml/positions.js';

/** Whether an API version belongs to a group of package metadata, of any vendor. */
export function isMeta(apiVersion: string): boolean {
  return /^meta\.pkg\.[^/]*\//.test(apiVersion);
}

/** Reads the metadata document of a package. `line` is that of the document. */
export function metaDocument(
  document: GoDocument,
  line: number,
): MetaDocument | { problem: string } {
  const identity = identityOf(document.value);
  if ('problem' in identity) return identity;
  if (hasExcessiveAliases(document.value)) {
    return {
      problem: 'aliases blow the document up (Crossplane: document contains excessive aliasing)',
    };
  }
  const root = mappingOf(document.value) ?? {};
  const metadata = mappingOf(root['metadata']) ?? {};
  const spec = mappingOf(root['spec']) ?? {};
  const list = (key: string) => listOf(spec[key]) ?? [];
  return {
    apiVersion: identity.apiVersion,
    kind: identity.kind,
    name: identity.name ?? '',
    labels: strings(metadata['labels']),
    annotations: strings(metadata['annotations']),
    crossplane: spec['crossplane'],
    dependsOn: list('dependsOn'),
    capabilities: list('capabilities').filter((item) => typeof item === 'string'),
    dependsOnLines: linesOf(document, ['spec', 'dependsOn'], line),
    line,
    specKeys: Object.keys(spec),
    specLines: specLines(document, line),
    unknownFields: unknownFields(identity.kind, document, line),
    runtimeImage: runtimeImage(identity.kind, spec),
    ...(requestsPermissions(spec) && { requestsPermissions: true }),
    decodeError: decodeError(root),
    fieldErrors: releaseFieldErrors(spec),
  };
}

function unknownFields(
  kind: string,
  document: GoDocument,
  line: number,
): StreamProblem[] | undefined {
  if (!isPackageKind(kind)) return undefined;
  const unknown = unknownMetaFields(kind, document.value).filter(
    ({ path }) => !isObjectField(path),
  );
  if (unknown.length === 0) return undefined;
  const positions = positionsIn(document, line);
  return unknown.map((field) => ({
    message: unknownFieldText(kind, field),
    line: positions?.lineOf(findPlace(positions.root, field.path).offset),
  }));
}

/** Whether a field belongs to the object that installs the package. It has its own message. */
function isObjectField(path: Path): boolean {
  return path.length === 2 && path[0] === 'spec' && OBJECT_FIELDS.has(String(path[1]));
}

function requestsPermissions(spec: JsonObject): boolean {
  return (listOf(mappingOf(spec['controller'])?.['permissionRequests']) ?? []).length > 0;
}

/** Returns the image in the metadata. Only Providers have it below `controller`. */
function runtimeImage(kind: string, spec: JsonObject): string | undefined {
  const named = kind === 'Provider' ? mappingOf(spec['controller'])?.['image'] : spec['image'];
  return typeof named === 'string' && named !== '' ? named : undefined;
}

/** Returns the lines of the items of a list, or undefined if it is not written out as a list. */
export function linesOf(
  document: GoDocument,
  path: readonly string[],
  line: number,
): number[] | undefined {
  const positions = positionsIn(document, line);
  const list = positions && findPlace(positions.root, path);
  return list?.place?.items.map(({ offset }) => {
    return positions!.lineOf(offset < 0 ? list.offset : offset);
  });
}

function specLines(document: GoDocument, line: number): Record<string, number> | undefined {
  const positions = positionsIn(document, line);
  const spec = positions && findPlace(positions.root, ['spec']).place;
  return (
    spec &&
    Object.fromEntries(spec.entries.map(({ key, offset }) => [key, positions.lineOf(offset)]))
  );
}

function decodeError(root: JsonObject): string | undefined {
  const spec = root['spec'] ?? null;
  if (spec !== null && mappingOf(spec) === undefined) return typeMessage('a mapping', 'spec', spec);
  const dependsOn = mappingOf(spec)?.['dependsOn'] ?? null;
  if (dependsOn !== null && !isList(dependsOn)) {
    return typeMessage('a list', 'spec.dependsOn', dependsOn);
  }
  return objectMetaProblem(root['metadata']);
}

/** Returns a mapping of strings. As in Go, null becomes an empty string. */
function strings(value: JsonValue | undefined): Readonly<Record<string, string>> {
  const entries = Object.entries(mappingOf(value) ?? {});
  return Object.fromEntries(
    entries.map(([key, text]) => [key, typeof text === 'string' ? text : '']),
  );
}
