import { registryPart } from './dot-registry.js';
import { byCodePoint, getOrCreate } from '../../base/collections.js';
import {
  hasExcessiveAliases,
  type JsonObject,
  type JsonValue,
  listOf,
  mappingOf,
  stringOf,
} from '../../base/json.js';
import { parseGoYaml } from '../../base/yaml/go-yaml.js';
import { writeYaml } from '../../base/yaml/write-yaml.js';
import { isEmptyDocument, splitDocuments } from '../package-yaml/split-documents.js';

/** A part of a legacy package that has no counterpart today. */
export interface Loss {
  /** The lost field or file: `permissionScope`, `icon.svg`. */
  readonly what: string;
  /** Path in the converted folder. */
  readonly file: string;
  /** The reason, and what to use instead. */
  readonly text: string;
}

/** A file of a package. `name` is its path in the folder of the package. */
export interface PackageFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

interface CrdDocument {
  readonly file: string;
  readonly text: string;
  readonly value: JsonObject;
}

/** Converts the CRDs of a legacy package. Each becomes a file of its own. */
export async function convertCrds(files: readonly PackageFile[]) {
  const byName = new Map<string, CrdDocument[]>();
  for (const file of files.filter(({ name }) => registryPart(name) === 'crd')) {
    for await (const document of documentsIn(file)) {
      const name = stringOf(mappingOf(document.value['metadata'])?.['name']) ?? '';
      getOrCreate(byName, name, () => []).push(document);
    }
  }
  const converted = [...byName]
    .sort(([a], [b]) => byCodePoint(a, b))
    .map(([name, documents]) => convertCrd(name, documents));
  return {
    files: converted.map(({ path, text }) => [path, text] as const),
    losses: converted.flatMap(({ losses }) => losses),
  };
}

async function* documentsIn({ name: file, bytes }: PackageFile): AsyncGenerator<CrdDocument> {
  for await (const piece of splitDocuments([bytes])) {
    if ('problem' in piece || isEmptyDocument(piece.text)) continue;
    const parsed = parseGoYaml(piece.text);
    const value = 'value' in parsed ? mappingOf(parsed.value) : undefined;
    if (value !== undefined) yield { file, text: piece.text, value };
  }
}

/** Returns a file name for a CRD name, without characters that a CRD name cannot have. */
function fileName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9.-]/g, '').replace(/^\.+/, '') || 'crd';
}

/** Whether documents can be written again with the same numbers and without endless aliases. */
function canBeWrittenAgain(documents: readonly CrdDocument[]): boolean {
  return documents.every(({ value }) => !hasExcessiveAliases(value) && hasExactNumbers(value));
}

function hasExactNumbers(value: JsonValue): boolean {
  if (typeof value === 'number') return !Number.isInteger(value) || Number.isSafeInteger(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.values(value).every(hasExactNumbers);
}

function convertCrd(name: string, documents: readonly CrdDocument[]) {
  const path = `crds/${fileName(name)}.yaml`;
  const { file } = documents[0]!;
  if (!canBeWrittenAgain(documents)) {
    const loss =
      'it holds numbers or aliases too large to be written again, and stays as it is; write it as `apiextensions.k8s.io/v1` by hand';
    const text = documents.map((document) => document.text).join('---\n');
    return { path, text, losses: [{ what: name, file, text: loss }] };
  }
  const { crd, stored } = mergeCrds(documents.map(({ value }) => crdV1(value)));
  const losses: Loss[] = [];
  if (stored !== undefined) {
    const text = `${documents.length} documents, each with versions of it, become one CRD, which is stored as ${stored}`;
    losses.push({ what: name, file, text });
  }
  if (
    documents.some(({ value }) => mappingOf(value['metadata'])?.['ownerReferences'] !== undefined)
  ) {
    const text =
      'names an owner in the cluster it was taken from; in another one the CRD would be deleted with it';
    losses.push({ what: 'ownerReferences', file, text });
  }
  return { path, text: writeYaml(crd), losses };
}

const V1 = 'apiextensions.k8s.io/v1';

/** The schema that v1beta1 assumes if there is none. */
const PRESERVE_UNKNOWN_FIELDS = { 'x-kubernetes-preserve-unknown-fields': true };

/**
 * Returns a CRD in the API version that clusters serve today. Keeps only labels and annotations of
 * its metadata. Fields that v1beta1 has once for all versions are copied to each version.
 */
export function crdV1(crd: JsonObject): JsonObject {
  const metadata = mappingOf(crd['metadata']) ?? {};
  const spec = mappingOf(crd['spec']) ?? {};
  return {
    apiVersion: V1,
    kind: 'CustomResourceDefinition',
    metadata: pick(metadata, ['name', 'labels', 'annotations']),
    spec: crd['apiVersion'] === V1 ? spec : specV1(spec),
  };
}

function specV1(spec: JsonObject): JsonObject {
  const { conversion } = spec;
  const written = listOf(spec['versions']);
  const versions = written ?? [{ name: spec['version'] ?? '', served: true, storage: true }];
  return {
    ...pick(spec, ['group', 'names']),
    scope: spec['scope'] ?? 'Namespaced',
    ...(conversion !== undefined && { conversion: conversionV1(mappingOf(conversion) ?? {}) }),
    versions: versions.map((version) => versionV1(mappingOf(version) ?? {}, spec)),
  };
}

function versionV1(version: JsonObject, spec: JsonObject): JsonObject {
  const fieldOf = (field: string) => version[field] ?? spec[field];
  const columns = listOf(fieldOf('additionalPrinterColumns'));
  const subresources = fieldOf('subresources');
  return {
    ...pick(version, ['name', 'served', 'storage']),
    schema: { openAPIV3Schema: schemaV1(version['schema'] ?? spec['validation'], spec) },
    ...(subresources !== undefined && { subresources }),
    ...(columns !== undefined && { additionalPrinterColumns: columns.map(columnV1) }),
  };
}

/** v1beta1 keeps unknown fields by default; v1 drops them. */
function schemaV1(validation: JsonValue | undefined, spec: JsonObject): JsonObject {
  const schema = mappingOf(mappingOf(validation)?.['openAPIV3Schema']) ?? {};
  const isKept = spec['preserveUnknownFields'] !== false;
  return { type: 'object', ...schema, ...(isKept && PRESERVE_UNKNOWN_FIELDS) };
}

function columnV1(written: JsonValue): JsonValue {
  const column = mappingOf(written);
  if (column === undefined) return written;
  const { JSONPath: jsonPath = column['jsonPath'] ?? '', ...rest } = column;
  return { ...rest, jsonPath };
}

function conversionV1({
  strategy = 'None',
  webhookClientConfig: clientConfig,
  conversionReviewVersions = ['v1beta1'],
}: JsonObject): JsonObject {
  if (clientConfig === undefined) return { strategy };
  return { strategy, webhook: { clientConfig, conversionReviewVersions } };
}

function pick(object: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(
    keys.flatMap((key) => (object[key] === undefined ? [] : [[key, object[key]]])),
  );
}

/** Merges the versions of one CRD from several documents. The newest version is stored. */
function mergeCrds(crds: readonly JsonObject[]) {
  const [first] = crds;
  if (crds.length === 1) return { crd: first!, stored: undefined };
  const byName = new Map<string, JsonObject>();
  for (const crd of crds) {
    for (const version of listOf(mappingOf(crd['spec'])?.['versions']) ?? []) {
      const name = stringOf(mappingOf(version)?.['name']) ?? '';
      if (!byName.has(name)) byName.set(name, mappingOf(version) ?? {});
    }
  }
  const names = [...byName.keys()].sort((a, b) => priority(b) - priority(a));
  const stored = names[0]!;
  const versions = names.map((name) => ({ ...byName.get(name), storage: name === stored }));
  const spec = { ...mappingOf(first!['spec']), versions };
  return { crd: { ...first, spec }, stored };
}

/** Orders versions as API servers do: v2, v1, v1beta2, v1beta1, v1alpha1, then all other names. */
function priority(name: string): number {
  const [, major, stage, minor = '0'] = /^v(\d{1,4})(?:(alpha|beta)(\d{1,4}))?$/.exec(name) ?? [];
  if (major === undefined) return 0;
  const rank = stage === undefined ? 3 : stage === 'beta' ? 2 : 1;
  return (rank * 10_000 + Number(major)) * 10_000 + Number(minor);
}
