import { boundedBytes } from '../../text/bounded-bytes.js';
import { mappingOf, weightOf, type JsonObject } from '../../text/json.js';
import type { StreamProblem } from '../../model/package-contents.js';
import { isBlownUp } from '../../text/yaml/blown-up.js';
import { DOCUMENT_LIMITS } from '../document-limits.js';
import { parseGoYaml, type GoDocument } from '../go-yaml.js';
import { isEmptyDocument, splitDocuments, type RawDocument } from '../split-documents.js';

/** The one mapping that a file holds. */
export interface OneDocument {
  readonly value: JsonObject;
  /** For looking up where something stands. */
  readonly document: GoDocument;
  /** Of its first line, 1-based. */
  readonly line: number;
}

/** Reads a small file that holds one mapping, as Go reads it. */
export async function readOneDocument(
  content: AsyncIterable<Uint8Array>,
): Promise<OneDocument | { readonly problem: StreamProblem }> {
  const bytes = await boundedBytes(content, DOCUMENT_LIMITS.registryFileBytes);
  if (bytes === undefined) {
    const kib = DOCUMENT_LIMITS.registryFileBytes >> 10;
    return { problem: { message: `the file is larger than ${kib} KiB` } };
  }
  let found: RawDocument | undefined;
  for await (const piece of splitDocuments([bytes])) {
    if ('problem' in piece) return piece;
    if (isEmptyDocument(piece.text)) continue;
    if (found !== undefined)
      return { problem: { message: 'there is a second document', ...piece } };
    found = piece;
  }
  return found === undefined ? { problem: { message: 'the file is empty' } } : mappingIn(found);
}

function mappingIn({ text, line }: RawDocument): OneDocument | { readonly problem: StreamProblem } {
  const parsed = parseGoYaml(text);
  if ('error' in parsed) {
    return { problem: { message: parsed.error, line: line + parsed.lineOffset } };
  }
  if (isBlownUp(parsed.value) || weightOf(parsed.value) > DOCUMENT_LIMITS.keptChars)
    return { problem: { message: 'aliases blow the document up', line } };
  const value = mappingOf(parsed.value);
  if (value === undefined) return { problem: { message: 'the document is not a mapping', line } };
  return { value, document: parsed, line };
}
