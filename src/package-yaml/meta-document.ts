import { isList, listOf, mappingOf, type JsonObject, type JsonValue } from '../text/json.js';
import type { MetaDocument } from '../model/package-contents.js';
import { isBlownUp } from '../text/yaml/blown-up.js';
import type { GoDocument } from './go-yaml.js';
import { identityOf, mustBe } from './identity.js';
import { objectMetaProblem } from './shapes/object-meta.js';
import { releaseFieldErrors } from './shapes/release-fields.js';
import { lineFinder } from '../text/line-finder.js';
import { findPlace, placesOf } from '../text/yaml/places.js';

/** Whether a document is of a group that holds package metas, under whichever vendor's name. */
export function isMeta(apiVersion: string): boolean {
  return /^meta\.pkg\.[^/]*\//.test(apiVersion);
}

/** A package meta, as written; `line` is that of the document. */
export function metaDocument(
  document: GoDocument,
  line: number,
): MetaDocument | { problem: string } {
  const identity = identityOf(document.value);
  if ('problem' in identity) return identity;
  if (isBlownUp(document.value)) {
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
    runtimeImage: runtimeImage(identity.kind, spec),
    decodeError: decodeError(root),
    fieldErrors: releaseFieldErrors(spec),
  };
}

/** Providers name it below `controller`, Functions do not; an empty one counts as none. */
function runtimeImage(kind: string, spec: JsonObject): string | undefined {
  const named = kind === 'Provider' ? mappingOf(spec['controller'])?.['image'] : spec['image'];
  return typeof named === 'string' && named !== '' ? named : undefined;
}

/** Where the items of a list stand; undefined: it is not written out as one. */
export function linesOf(
  { source, events }: GoDocument,
  path: readonly string[],
  line: number,
): number[] | undefined {
  const root = placesOf(source, events);
  const list = root && findPlace(root, path);
  const lineOf = lineFinder(source);
  return list?.place?.items.map(({ offset }) => {
    return line + lineOf(offset < 0 ? list.offset : offset) - 1;
  });
}

function specLines(
  { source, events }: GoDocument,
  line: number,
): Record<string, number> | undefined {
  const root = placesOf(source, events);
  const spec = root && findPlace(root, ['spec']).place;
  if (spec === undefined) return undefined;
  const lineOf = lineFinder(source);
  return Object.fromEntries(
    spec.entries.map(({ key, offset }) => [key, line + lineOf(offset) - 1]),
  );
}

function decodeError(root: JsonObject): string | undefined {
  const spec = root['spec'] ?? null;
  if (spec !== null && mappingOf(spec) === undefined) return mustBe('a mapping', 'spec', spec);
  const dependsOn = mappingOf(spec)?.['dependsOn'] ?? null;
  if (dependsOn !== null && !isList(dependsOn)) {
    return mustBe('a list', 'spec.dependsOn', dependsOn);
  }
  return objectMetaProblem(root['metadata']);
}

/** A mapping of strings; as in Go, a null reads as empty. */
function strings(value: JsonValue | undefined): Readonly<Record<string, string>> {
  const entries = Object.entries(mappingOf(value) ?? {});
  return Object.fromEntries(
    entries.map(([key, text]) => [key, typeof text === 'string' ? text : '']),
  );
}
