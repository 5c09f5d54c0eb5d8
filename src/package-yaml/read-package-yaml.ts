import type {
  MetaDocument,
  PackageContents,
  PackageObject,
  StreamProblem,
} from '../model/package-contents.js';
import { mappingOf } from '../text/json.js';
import { fastIdentity } from './fast-identity.js';
import { parseGoYaml, type GoDocument } from './go-yaml.js';
import { identityOf, identityProblem, objectOf } from './identity.js';
import { isMeta, metaDocument } from './meta-document.js';
import { objectMetaProblem } from './object-meta.js';
import { duplicateKeys } from './duplicate-keys.js';
import { lineAt, lineFinder } from '../text/line-finder.js';
import { placesOf } from '../text/yaml/places.js';
import { isEmptyDocument, splitDocuments, type RawDocument } from './split-documents.js';

/** Crossplane lists all objects of a package in its revision, and the size of that is limited. */
const MAX_DOCUMENTS = 50_000;

/**
 * What a `package.yaml` holds, whichever Crossplane is to install it.
 *
 * The meta document is read in full, the others as far as their identity goes, one at a time: a
 * stream may be a hundred times as large as what is kept of it.
 */
export async function readPackageYaml(
  input: Uint8Array | AsyncIterable<Uint8Array>,
): Promise<PackageContents> {
  const metas: MetaDocument[] = [];
  const objects: PackageObject[] = [];
  const problems: StreamProblem[] = [];
  const warnings: StreamProblem[] = [];
  let count = 0;
  for await (const piece of splitDocuments(input instanceof Uint8Array ? [input] : input)) {
    if (++count > MAX_DOCUMENTS) {
      const message = `package.yaml has more than ${MAX_DOCUMENTS} documents, more than a cluster can keep track of; split the package`;
      problems.push({ message });
      break;
    }
    if ('problem' in piece) {
      problems.push(piece.problem);
    } else if (!isEmptyDocument(piece.text)) {
      const document = readDocument(piece);
      if ('problem' in document) problems.push(document.problem);
      else if ('meta' in document) metas.push(document.meta);
      else objects.push(document.object);
      warnings.push(...(document.warnings ?? []));
    }
  }
  return { metas, objects, problems, warnings };
}

type ReadDocument = (
  | { readonly meta: MetaDocument }
  | { readonly object: PackageObject }
  | { readonly problem: StreamProblem }
) & { readonly warnings?: readonly StreamProblem[] };

function readDocument(raw: RawDocument): ReadDocument {
  const identity = fastIdentity(raw.text);
  if (identity === undefined || isMeta(identity.apiVersion)) return parseDocument(raw);
  const line = contentLine(raw);
  const message = identityProblem(identity);
  return message === undefined
    ? { object: objectOf(identity, line) }
    : { problem: { message, line } };
}

/** Characters of a document to parse: API servers take less, and parsing takes many times its size. */
const MAX_PARSED_LENGTH = 16 * 2 ** 20;
/** Warnings about one document. */
const MAX_WARNINGS = 20;

/** The slow way, for what must be known in full or takes a parser to understand. */
function parseDocument(raw: RawDocument): ReadDocument {
  const line = contentLine(raw);
  if (raw.text.length > MAX_PARSED_LENGTH) {
    const message = `the document is larger than ${MAX_PARSED_LENGTH >> 20} MiB, more than any API server takes; split it`;
    return { problem: { message, line } };
  }
  const parsed = parseGoYaml(raw.text);
  if ('error' in parsed) {
    return { problem: { message: parsed.error, line: raw.line + parsed.lineOffset } };
  }
  const identity = identityOf(parsed.value);
  if ('problem' in identity) return { problem: { message: identity.problem, line } };
  const wrong = identityProblem(identity);
  if (wrong !== undefined) return { problem: { message: wrong, line } };
  if (!isMeta(identity.apiVersion)) {
    const undecodable = objectMetaProblem(mappingOf(parsed.value)?.['metadata']);
    if (undecodable !== undefined) return { problem: { message: undecodable, line } };
    return { object: objectOf(identity, line), warnings: duplicates(parsed, raw, isIdentityPath) };
  }
  const meta = metaDocument(parsed, raw.line);
  if ('problem' in meta) return { problem: { message: meta.problem, line } };
  return { meta: { ...meta, line }, warnings: duplicates(parsed, raw, () => true) };
}

const IDENTITY_PATHS = new Set([
  'metadata',
  'spec',
  'spec.names',
  'spec.claimNames',
  'spec.versions',
]);

/** Of an object only these parts are read, so only their duplicate keys are reported. */
function isIdentityPath(path: readonly string[]): boolean {
  return IDENTITY_PATHS.has(path.join('.'));
}

function duplicates(
  { source, events }: GoDocument,
  raw: RawDocument,
  descend: (path: readonly string[]) => boolean,
): StreamProblem[] {
  const root = placesOf(source, events);
  if (root === undefined) return [];
  const lineOf = lineFinder(source);
  const found = duplicateKeys(root, descend).slice(0, MAX_WARNINGS);
  return found.map(({ path, offset }) => ({
    message: `\`${path}\` is written twice; Crossplane reads the last one; remove the other`,
    line: raw.line + lineOf(offset) - 1,
  }));
}

/** The first line that is neither blank nor a comment nor a separator. */
function contentLine({ text, line }: RawDocument): number {
  const at = /^(?!---)[ \t]*[^\s#]/m.exec(text)?.index ?? 0;
  return line + lineAt(text, at) - 1;
}
