import { fastIdentity, identityOf } from './object-identity.js';
import {
  DOCUMENT_LIMITS,
  isEmptyDocument,
  sizeProblem,
  splitDocuments,
} from './split-documents.js';
import type { JsonValue, Path } from '../../base/json.js';
import { parseGoYaml } from '../../base/yaml/go-yaml.js';

export interface DocumentText {
  readonly text: string;
  /** Line of its start in package.yaml. */
  readonly line: number;
}

export interface PackageDocument extends DocumentText {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
}

/** A parsed document, whole or in part. */
export interface ParsedDocument {
  readonly value: JsonValue;
  /** Returns the line of a path in package.yaml, or that of its nearest parent. */
  lineOf(path: Path): number;
}

/** Two documents of one object, or why Crossplane cannot read one of them. */
export type ParsedPair =
  { readonly old: ParsedDocument; readonly fresh: ParsedDocument } | { readonly problem: string };

/** Passes every document with a kind to `take`. Returns false if the stream is invalid. */
export async function readDocuments(
  stream: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  take: (document: PackageDocument) => void,
): Promise<boolean> {
  let count = 0;
  for await (const piece of splitDocuments(stream)) {
    if ('problem' in piece || ++count > DOCUMENT_LIMITS.documents) return false;
    if (isEmptyDocument(piece.text)) continue;
    const named = nameOf(piece.text);
    if (named !== undefined) take({ ...piece, ...named });
  }
  return true;
}

function nameOf(text: string): Pick<PackageDocument, 'apiVersion' | 'kind' | 'name'> | undefined {
  const identity = fastIdentity(text) ?? parsedIdentity(text);
  if (identity === undefined) return undefined;
  const { apiVersion, kind, name = '' } = identity;
  return { apiVersion, kind, name };
}

function parsedIdentity(text: string) {
  if (sizeProblem(text) !== undefined) return undefined;
  const parsed = parseGoYaml(text);
  const identity = 'error' in parsed ? undefined : identityOf(parsed.value);
  return identity === undefined || 'problem' in identity ? undefined : identity;
}
