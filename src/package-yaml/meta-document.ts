import { isList, listOf, mappingOf, type JsonObject, type JsonValue } from '../text/json.js';
import type { MetaDocument } from '../model/package-contents.js';
import type { GoDocument } from './go-yaml.js';
import { identityOf, mustBe } from './identity.js';
import { objectMetaProblem } from './object-meta.js';
import { lineFinder } from '../text/line-finder.js';
import { findPlace, placesOf } from '../text/yaml/places.js';

/** Of a meta with its aliases written out: a few nested aliases can stand for billions of nodes. */
const MAX_NODES = 100_000;
const MAX_DEPTH = 1_000;

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
  if (isTooLarge(document.value)) {
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
    dependsOnLines: dependsOnLines(document, line),
    line,
    specKeys: Object.keys(spec),
    decodeError: decodeError(root),
  };
}

function dependsOnLines({ source, events }: GoDocument, line: number): number[] | undefined {
  const root = placesOf(source, events);
  const dependsOn = root && findPlace(root, ['spec', 'dependsOn']);
  const lineOf = lineFinder(source);
  return dependsOn?.place?.items.map(({ offset }) => {
    return line + lineOf(offset < 0 ? dependsOn.offset : offset) - 1;
  });
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

/** Whether a walk that follows aliases would pass a limit; one that holds itself is too deep. */
function isTooLarge(value: JsonValue): boolean {
  let left = MAX_NODES;
  const visit = (node: JsonValue, depth: number): void => {
    if (depth > MAX_DEPTH) left = 0;
    if (--left < 0 || typeof node !== 'object' || node === null) return;
    for (const child of Object.values(node)) {
      visit(child, depth + 1);
      if (left < 0) return;
    }
  };
  visit(value, 0);
  return left < 0;
}
