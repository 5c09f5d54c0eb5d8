import { isMeta, metaDocument, objectMetaProblem } from './meta-document.js';
import {
  fastIdentity,
  type Identity,
  identityOf,
  identityProblem,
  objectOf,
} from './object-identity.js';
import {
  DOCUMENT_LIMITS,
  type DocumentText,
  isEmptyDocument,
  sizeProblem,
  splitDocuments,
} from './split-documents.js';
import { type JsonValue, listOf, mappingOf, stringOf, estimatedSize } from '../../base/json.js';
import { type GoDocument, parseGoYaml } from '../../base/yaml/go-yaml.js';
import { duplicateKeys, lineAt, positionsIn } from '../../base/yaml/positions.js';
import {
  type Composed,
  type CompositeDefinition,
  type MetaDocument,
  type PackageContents,
  type PackageObject,
  readCompositionSpec,
  type ResourceType,
  type StreamProblem,
} from '../packages/package-contents.js';
import { hasNoMetadata } from '../releases/package-fields.js';

export interface PackageDocument extends DocumentText {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
}

type PackageStream = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
type TakeDocument = (document: PackageDocument) => void;

/**
 * Reads a `package.yaml`, independently of a Crossplane release.
 *
 * Reads the metadata document in full, and of the others only the identity, one at a time: a stream
 * may be a hundred times as large as the result.
 */
export async function readPackageYaml(
  input: Uint8Array | AsyncIterable<Uint8Array>,
): Promise<PackageContents> {
  const stream = input instanceof Uint8Array ? [input] : input;
  return (await readContents(stream, () => {})).contents;
}

/** Like `readPackageYaml`, but also passes every document that has a kind to `take`. */
export async function readContents(
  stream: PackageStream,
  take: TakeDocument,
): Promise<{ readonly contents: PackageContents; readonly complete: boolean }> {
  const contents = new ContentsBuilder();
  let hasBroken = false;
  let count = 0;
  for await (const piece of splitDocuments(stream)) {
    if (++count > DOCUMENT_LIMITS.documents) {
      contents.end(
        `package.yaml has more than ${DOCUMENT_LIMITS.documents} documents, more than a cluster can keep track of; split the package`,
      );
    } else if ('problem' in piece) {
      contents.add(piece);
      hasBroken = true;
    } else if (!isEmptyDocument(piece.text)) contents.add(readDocument(piece, take));
    if (contents.isFull) break;
  }
  return { contents: contents.contents, complete: !hasBroken && !contents.isFull };
}

/** Passes every document with a kind to `take`. Returns false if the stream is invalid. */
export async function readDocuments(stream: PackageStream, take: TakeDocument): Promise<boolean> {
  let count = 0;
  for await (const piece of splitDocuments(stream)) {
    if ('problem' in piece || ++count > DOCUMENT_LIMITS.documents) return false;
    if (isEmptyDocument(piece.text)) continue;
    const read = fastIdentity(piece.text) ?? parseIdentity(piece);
    if ('problem' in read) continue;
    take(documentOf(piece, 'identity' in read ? read.identity : read));
  }
  return true;
}

/** The content read so far, copied: a slice of a string keeps the whole document in memory. */
class ContentsBuilder {
  readonly #metas: MetaDocument[] = [];
  readonly #objects: PackageObject[] = [];
  readonly #problems: StreamProblem[] = [];
  readonly #warnings: StreamProblem[] = [];
  #size = 0;

  /** A limit is exceeded. The last problem states which one. */
  isFull = false;

  get contents(): PackageContents {
    const [metas, objects] = [this.#metas, this.#objects];
    return { metas, objects, problems: this.#problems, warnings: this.#warnings };
  }

  add(document: ReadDocument): void {
    // Measured before copying: aliases may repeat one long text many times.
    this.#size += 'problem' in document ? 0 : estimatedSize(document);
    if (this.#size > DOCUMENT_LIMITS.contentChars) {
      this.end('its names, versions and metadata are too long together; split the package');
      return;
    }
    if ('problem' in document) this.#problems.push(shorten(document.problem));
    else if ('meta' in document) this.#metas.push(structuredClone(document.meta));
    else this.#objects.push(document.object);
    for (const warning of document.warnings ?? []) {
      if (this.#warnings.length < DOCUMENT_LIMITS.problems) this.#warnings.push(shorten(warning));
    }
    if (this.#problems.length > DOCUMENT_LIMITS.problems) {
      this.end(`package.yaml has more than ${DOCUMENT_LIMITS.problems} problems`);
    }
  }

  end(message: string): void {
    this.#problems.push({ message });
    this.isFull = true;
  }
}

/** Limit for messages, which may quote text of any length. */
const MAX_MESSAGE_LENGTH = 1_000;

function shorten({ message, ...place }: StreamProblem): StreamProblem {
  const cut = message.length > MAX_MESSAGE_LENGTH;
  const text = cut ? `${message.slice(0, MAX_MESSAGE_LENGTH)}…` : message;
  return structuredClone({ message: text, ...place });
}

type ReadDocument = (
  | { readonly meta: MetaDocument }
  | { readonly object: PackageObject }
  | { readonly problem: StreamProblem }
) & { readonly warnings?: readonly StreamProblem[] };

function readDocument(raw: DocumentText, take: TakeDocument): ReadDocument {
  const identity = fastIdentity(raw.text);
  if (identity === undefined) return parseDocument(raw, take);
  take(documentOf(raw, identity));
  if (isMeta(identity.apiVersion) || needsSpec(identity)) return parseDocument(raw, () => {});
  const line = contentLine(raw);
  const message = identityProblem(identity);
  return message === undefined
    ? { object: objectOf(identity, line) }
    : { problem: { message, line } };
}

function documentOf(raw: DocumentText, { apiVersion, kind, name = '' }: Identity): PackageDocument {
  return { ...raw, apiVersion, kind, name };
}

const MAX_WARNINGS = 20;

/** Returns a problem if the document is too large or Go could not decode it. */
function parseIdentity(
  raw: DocumentText,
):
  | { readonly document: GoDocument; readonly identity: Identity }
  | { readonly problem: StreamProblem } {
  const line = contentLine(raw);
  const tooMany = sizeProblem(raw.text);
  if (tooMany !== undefined) return { problem: { message: tooMany, line } };
  const document = parseGoYaml(raw.text);
  if ('error' in document) {
    return { problem: { message: document.error, line: raw.line + document.lineOffset } };
  }
  const identity = identityOf(document.value);
  if ('problem' in identity) return { problem: { message: identity.problem, line } };
  return { document, identity };
}

/** Parses a document that is needed in full or that the fast reader does not understand. */
function parseDocument(raw: DocumentText, take: TakeDocument): ReadDocument {
  const parsed = parseIdentity(raw);
  if ('problem' in parsed) return parsed;
  const { document, identity } = parsed;
  const line = contentLine(raw);
  take(documentOf(raw, identity));
  const identityError = identityProblem(identity);
  if (identityError !== undefined) return { problem: { message: identityError, line } };
  if (isMeta(identity.apiVersion)) {
    const meta = metaDocument(document, raw.line);
    if ('problem' in meta) return { problem: { message: meta.problem, line } };
    return { meta: { ...meta, line }, warnings: duplicates(document, raw.line, () => true) };
  }
  const { metadata, spec } = mappingOf(document.value) ?? {};
  const undecodable = hasNoMetadata(identity.kind) ? undefined : objectMetaProblem(metadata);
  if (undecodable !== undefined) return { problem: { message: undecodable, line } };
  return {
    object: { ...objectOf(identity, line), ...composingSpec(identity, spec) },
    warnings: duplicates(document, raw.line, (path) => IDENTITY_PATHS.has(path.join('.'))),
  };
}

/** Only these parts of an object are read, so only their duplicate keys are reported. */
const IDENTITY_PATHS = new Set([
  'metadata',
  'spec',
  'spec.names',
  'spec.claimNames',
  'spec.versions',
]);

function duplicates(
  document: GoDocument,
  line: number,
  descend: (path: readonly string[]) => boolean,
): StreamProblem[] {
  const positions = positionsIn(document, line);
  if (positions === undefined) return [];
  return duplicateKeys(positions.root, descend, MAX_WARNINGS).map(({ path, offset }) => ({
    message: `\`${path}\` is written twice; Crossplane reads the last one; remove the other`,
    line: positions.lineOf(offset),
  }));
}

/** Returns the first line that is not blank, a comment or a separator. */
function contentLine({ text, line }: DocumentText): number {
  const at = /^(?!---)[ \t]*[^\s#]/m.exec(text)?.index ?? 0;
  return line + lineAt(text, at) - 1;
}

const GROUP = 'apiextensions.crossplane.io/';

/** Whether part of the spec is needed, too: for XRDs and Compositions. */
function needsSpec({ apiVersion, kind }: Pick<Identity, 'apiVersion' | 'kind'>): boolean {
  const kinds = ['CompositeResourceDefinition', 'Composition'];
  return kinds.includes(kind) && apiVersion.startsWith(GROUP);
}

/** Returns the parts of the spec of an XRD or Composition other than what it defines. */
export function composingSpec(
  identity: Identity,
  spec: JsonValue | undefined,
): Pick<PackageObject, 'composite' | 'composition' | 'composes'> {
  if (!needsSpec(identity)) return {};
  const read =
    identity.kind === 'Composition'
      ? { composition: readCompositionSpec(spec), composes: composedBy(spec) }
      : { composite: compositeDefinition(spec) };
  // Copied, because a slice of a string keeps the whole document in memory.
  return JSON.parse(JSON.stringify(read)) as typeof read; // of strings, booleans and undefined
}

function compositeDefinition(spec: JsonValue | undefined): CompositeDefinition {
  const { names, scope, connectionSecretKeys, claimNames } = mappingOf(spec) ?? {};
  return {
    plural: stringOf(mappingOf(names)?.['plural']),
    scope: stringOf(scope),
    connectionSecretKeys: (connectionSecretKeys ?? null) !== null,
    claimNames: (claimNames ?? null) !== null,
  };
}

/** Limit for the entries of one Composition; real ones have tens. */
const MAX_ENTRIES = 1_000;

/** Returns what a Composition states of its type, functions and resources. */
function composedBy(spec: JsonValue | undefined): Composed {
  const fields = mappingOf(spec) ?? {};
  const steps = (listOf(fields['pipeline']) ?? []).slice(0, MAX_ENTRIES).map(mappingOf);
  const functions = steps.flatMap(
    (step) => stringOf(mappingOf(step?.['functionRef'])?.['name']) ?? [],
  );
  // The input of function-patch-and-transform is what `spec.resources` was before.
  const lists = [fields, ...steps.map((step) => mappingOf(step?.['input']))];
  const bases = lists
    .flatMap((holder) => listOf(holder?.['resources']) ?? [])
    .slice(0, MAX_ENTRIES)
    .flatMap((resource) => typeOf(mappingOf(resource)?.['base']) ?? []);
  return { composite: typeOf(fields['compositeTypeRef']), functions, resources: bases };
}

function typeOf(value: JsonValue | undefined): ResourceType | undefined {
  const apiVersion = stringOf(mappingOf(value)?.['apiVersion']);
  const kind = stringOf(mappingOf(value)?.['kind']);
  return apiVersion === undefined || kind === undefined ? undefined : { apiVersion, kind };
}
