import { isBlownUp } from '../text/yaml/blown-up.js';
import { parseGoYaml } from '../package-yaml/go-yaml.js';
import { isEmptyDocument, splitDocuments } from '../package-yaml/split-documents.js';
import { registryPart } from '../package-yaml/dot-registry/registry-part.js';
import { byCodePoint } from '../text/code-point-order.js';
import { mappingOf, stringOf, type JsonObject, type JsonValue } from '../text/json.js';
import { writeYaml } from '../text/yaml/write-yaml.js';
import { crdV1 } from './crd-v1.js';
import type { Loss } from './loss.js';
import { mergeCrds } from './merge-crds.js';

interface ConvertedCrds {
  /** Path and text of each, by the name of the CRD. */
  readonly files: readonly (readonly [path: string, text: string])[];
  readonly losses: readonly Loss[];
}

interface CrdFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** One document of a CRD, with the file that it stands in. */
interface CrdDocument {
  readonly file: string;
  readonly text: string;
  readonly value: JsonObject;
}

/** Every CRD of a package of the first format, in a file of its own. */
export async function convertCrds(files: readonly CrdFile[]): Promise<ConvertedCrds> {
  const byName = new Map<string, CrdDocument[]>();
  for (const file of files.filter(({ name }) => registryPart(name) === 'crd')) {
    for await (const document of documentsIn(file)) {
      const name = stringOf(mappingOf(document.value['metadata'])?.['name']) ?? '';
      byName.set(name, [...(byName.get(name) ?? []), document]);
    }
  }
  const made = [...byName].sort(([a], [b]) => byCodePoint(a, b));
  return {
    files: made.map(([name, documents]) => [`crds/${fileName(name)}.yaml`, textOf(documents)]),
    losses: made.flatMap(([name, documents]) => lossesOf(name, documents)),
  };
}

async function* documentsIn({ name: file, bytes }: CrdFile): AsyncGenerator<CrdDocument> {
  for await (const piece of splitDocuments([bytes])) {
    if ('problem' in piece || isEmptyDocument(piece.text)) continue;
    const parsed = parseGoYaml(piece.text);
    const value = 'value' in parsed ? mappingOf(parsed.value) : undefined;
    if (value !== undefined) yield { file, text: piece.text, value };
  }
}

/** A name as a file is called; what no CRD may be called is left out. */
function fileName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9.-]/g, '').replace(/^\.+/, '') || 'crd';
}

function textOf(documents: readonly CrdDocument[]): string {
  if (!isConvertible(documents)) return documents.map(({ text }) => text).join('---\n');
  return writeYaml(mergeCrds(documents.map(({ value }) => crdV1(value))).crd);
}

/** Numbers that JavaScript cannot hold would be others, and aliases without end, once written again. */
function isConvertible(documents: readonly CrdDocument[]): boolean {
  return documents.every(({ value }) => !isBlownUp(value) && isExact(value));
}

function isExact(value: JsonValue): boolean {
  if (typeof value === 'number') return !Number.isInteger(value) || Number.isSafeInteger(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.values(value).every(isExact);
}

function lossesOf(name: string, documents: readonly CrdDocument[]): Loss[] {
  const losses: Loss[] = [];
  const { file } = documents[0]!;
  if (!isConvertible(documents)) {
    const text =
      'it holds numbers or aliases too large to be written again, and stays as it is; write it as `apiextensions.k8s.io/v1` by hand';
    return [{ what: name, file, text }];
  }
  const { stored } = mergeCrds(documents.map(({ value }) => crdV1(value)));
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
  return losses;
}
