import type { PackageDocument } from '../../model/document/package-document.js';
import { DOCUMENT_LIMITS, partsProblem } from '../document-limits.js';
import { fastIdentity } from '../fast-identity.js';
import { parseGoYaml } from '../go-yaml.js';
import { identityOf } from '../identity.js';
import { isEmptyDocument, splitDocuments } from '../split-documents.js';

/**
 * Gives every document of a `package.yaml` that has a kind, one at a time; false: the stream could
 * not be read to its end.
 */
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
  if (partsProblem(text) !== undefined) return undefined;
  const parsed = parseGoYaml(text);
  const identity = 'error' in parsed ? undefined : identityOf(parsed.value);
  return identity === undefined || 'problem' in identity ? undefined : identity;
}
