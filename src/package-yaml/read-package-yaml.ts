import type {
  MetaDocument,
  PackageContents,
  PackageObject,
  StreamProblem,
} from '../model/package-contents.js';
import type { PackageDocument } from '../model/document/package-document.js';
import { isBareKind } from '../model/target/target.js';
import { mappingOf, weightOf } from '../text/json.js';
import { fastIdentity } from './fast-identity.js';
import { parseGoYaml, type GoDocument } from './go-yaml.js';
import { identityOf, identityProblem, objectOf, type Identity } from './identity.js';
import { isMeta, metaDocument } from './meta-document.js';
import { composingSpec, isComposing } from './objects/composing-spec.js';
import { objectMetaProblem } from './shapes/object-meta.js';
import { DOCUMENT_LIMITS, partsProblem } from './document-limits.js';
import { duplicateKeys } from '../text/yaml/duplicate-keys.js';
import { lineAt, lineFinder } from '../text/line-finder.js';
import { placesOf } from '../text/yaml/places.js';
import { isEmptyDocument, splitDocuments, type RawDocument } from './split-documents.js';

/**
 * What a `package.yaml` holds, whichever Crossplane is to install it.
 *
 * The meta document is read in full, the others as far as their identity goes, one at a time: a
 * stream may be a hundred times as large as what is kept of it.
 */
export async function readPackageYaml(
  input: Uint8Array | AsyncIterable<Uint8Array>,
): Promise<PackageContents> {
  const stream = input instanceof Uint8Array ? [input] : input;
  return (await readContents(stream, () => {})).contents;
}

/** What was read of a package.yaml, and whether it was read to its end. */
export interface ReadContents {
  readonly contents: PackageContents;
  readonly complete: boolean;
}

/** The same, and gives every document that has a kind as well. */
export async function readContents(
  stream: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  take: (document: PackageDocument) => void,
): Promise<ReadContents> {
  const contents = new GrowingContents();
  let complete = true;
  let count = 0;
  for await (const piece of splitDocuments(stream)) {
    if (++count > DOCUMENT_LIMITS.documents) {
      const message = `package.yaml has more than ${DOCUMENT_LIMITS.documents} documents, more than a cluster can keep track of; split the package`;
      contents.add({ problem: { message } });
      complete = false;
      break;
    }
    if ('problem' in piece) {
      contents.add(piece);
      complete = false;
    } else if (!isEmptyDocument(piece.text)) contents.add(readDocument(piece, take));
    if (contents.isFull) {
      complete = false;
      break;
    }
  }
  return { contents: contents.contents, complete };
}

/** What was read so far, in copies: V8 keeps a whole document alive for as long as a part of it is. */
class GrowingContents {
  readonly #metas: MetaDocument[] = [];
  readonly #objects: PackageObject[] = [];
  readonly #problems: StreamProblem[] = [];
  readonly #warnings: StreamProblem[] = [];
  #weight = 0;

  get contents(): PackageContents {
    const [metas, objects] = [this.#metas, this.#objects];
    return { metas, objects, problems: this.#problems, warnings: this.#warnings };
  }

  /** A limit is passed, and the last problem says so. */
  isFull = false;

  add(document: ReadDocument): void {
    // Before anything is copied: aliases may stand for one long text many times over.
    this.#weight += 'problem' in document ? 0 : weightOf(document);
    if (this.#weight > DOCUMENT_LIMITS.keptChars) {
      this.#end('its names, versions and metadata are too long together; split the package');
      return;
    }
    if ('problem' in document) this.#problems.push(told(document.problem));
    else if ('meta' in document) this.#metas.push(structuredClone(document.meta));
    else this.#objects.push(document.object);
    for (const warning of document.warnings ?? []) {
      if (this.#warnings.length < DOCUMENT_LIMITS.toldProblems) this.#warnings.push(told(warning));
    }
    if (this.#problems.length > DOCUMENT_LIMITS.toldProblems) {
      this.#end(`package.yaml has more than ${DOCUMENT_LIMITS.toldProblems} problems`);
    }
  }

  #end(message: string): void {
    this.#problems.push({ message });
    this.isFull = true;
  }
}

/** Characters of a message: longer ones quote what is too long to be read. */
const MAX_MESSAGE_LENGTH = 1_000;

function told({ message, ...place }: StreamProblem): StreamProblem {
  const cut = message.length > MAX_MESSAGE_LENGTH;
  const text = cut ? `${message.slice(0, MAX_MESSAGE_LENGTH)}…` : message;
  return structuredClone({ message: text, ...place });
}

type ReadDocument = (
  | { readonly meta: MetaDocument }
  | { readonly object: PackageObject }
  | { readonly problem: StreamProblem }
) & { readonly warnings?: readonly StreamProblem[] };

function readDocument(raw: RawDocument, take: (document: PackageDocument) => void): ReadDocument {
  const identity = fastIdentity(raw.text);
  if (identity === undefined) return parseDocument(raw, take);
  take(documentOf(raw, identity));
  if (isMeta(identity.apiVersion) || isComposing(identity)) return parseDocument(raw, () => {});
  const line = contentLine(raw);
  const message = identityProblem(identity);
  return message === undefined
    ? { object: objectOf(identity, line) }
    : { problem: { message, line } };
}

function documentOf(raw: RawDocument, { apiVersion, kind, name = '' }: Identity): PackageDocument {
  return { ...raw, apiVersion, kind, name };
}

/** Warnings about one document. */
const MAX_WARNINGS = 20;

/** The slow way, for what must be known in full or takes a parser to understand. */
function parseDocument(raw: RawDocument, take: (document: PackageDocument) => void): ReadDocument {
  const line = contentLine(raw);
  const tooMany = partsProblem(raw.text);
  if (tooMany !== undefined) return { problem: { message: tooMany, line } };
  const parsed = parseGoYaml(raw.text);
  if ('error' in parsed) {
    return { problem: { message: parsed.error, line: raw.line + parsed.lineOffset } };
  }
  const identity = identityOf(parsed.value);
  if ('problem' in identity) return { problem: { message: identity.problem, line } };
  take(documentOf(raw, identity));
  const wrong = identityProblem(identity);
  if (wrong !== undefined) return { problem: { message: wrong, line } };
  if (!isMeta(identity.apiVersion)) {
    const metadata = isBareKind(identity.kind) ? null : mappingOf(parsed.value)?.['metadata'];
    const undecodable = objectMetaProblem(metadata);
    if (undecodable !== undefined) return { problem: { message: undecodable, line } };
    const more = composingSpec(identity, mappingOf(parsed.value)?.['spec']);
    return {
      object: { ...objectOf(identity, line), ...more },
      warnings: duplicates(parsed, raw, isIdentityPath),
    };
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
  const found = duplicateKeys(root, descend, MAX_WARNINGS);
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
