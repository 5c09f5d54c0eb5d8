import { DOT_REGISTRY_API, pathInRegistry, registryPart } from './dot-registry.js';
import { byCodePoint, getOrCreate } from '../../base/collections.js';
import {
  hasExcessiveAliases,
  isList,
  type JsonObject,
  listOf,
  mappingOf,
  stringOf,
  estimatedSize,
} from '../../base/json.js';
import { readUpTo } from '../../base/size-limits.js';
import { type GoDocument, parseGoYaml } from '../../base/yaml/go-yaml.js';
import { linesOf } from '../package-yaml/meta-document.js';
import { typeMessage } from '../package-yaml/object-identity.js';
import { type PackageDocument, readContents } from '../package-yaml/read-package-yaml.js';
import {
  DOCUMENT_LIMITS,
  isEmptyDocument,
  type DocumentText,
  splitDocuments,
} from '../package-yaml/split-documents.js';
import { MAX_NAME_LENGTH } from '../packages/object-names.js';
import type {
  MetaDocument,
  PackageContents,
  PackageObject,
  StreamProblem,
} from '../packages/package-contents.js';

type FileContents = Partial<PackageContents>;

/** A legacy package, read file by file in any order: `app.yaml` and CRDs. */
export class RegistryPackage {
  readonly #files = new Map<string, FileContents>();
  readonly #take: TakeDocument | undefined;
  #size = 0;
  #documents = 0;
  #isFound = false;

  /** `take` receives every document of the CRD files, with its line in the file. */
  constructor(take?: TakeDocument) {
    this.#take = take;
  }

  takes(path: string): boolean {
    return registryPart(path) !== undefined;
  }

  async add(path: string, content: AsyncIterable<Uint8Array>): Promise<void> {
    this.#isFound = true;
    const part = registryPart(path);
    if (part !== 'app' && part !== 'install' && part !== 'crd') return;
    const inside = pathInRegistry(path)!;
    if (this.#files.has(inside)) {
      this.#files.set(inside, { problems: [{ message: 'the file is there twice' }] });
    } else if (this.#exceededLimit === undefined) {
      const read = await READERS[part](content, this.#take);
      this.#files.set(inside, read);
      this.#documents += read.objects?.length ?? 0;
      this.#size += estimatedSize([inside, read]);
    }
  }

  /** The content; undefined if no file of a legacy package was added. */
  get value(): PackageContents | undefined {
    if (!this.#isFound) return undefined;
    const files = [...this.#files].sort(([a], [b]) => byCodePoint(a, b));
    const all = (list: 'problems' | 'warnings') =>
      files.flatMap(([path, contents]) => withPath(path, contents[list] ?? []));
    const missing = this.#files.has('app.yaml') ? [] : [{ message: NO_APP }];
    const full = this.#exceededLimit;
    const exceeded = full === undefined ? [] : [{ message: full }];
    return {
      metas: files.flatMap(([, { metas = [] }]) => metas),
      objects: mergedByName(files.flatMap(([, { objects = [] }]) => objects)),
      problems: [...missing, ...all('problems'), ...exceeded].slice(0, DOCUMENT_LIMITS.problems),
      warnings: all('warnings').slice(0, DOCUMENT_LIMITS.problems),
    };
  }

  /** The message about the limit that the package exceeds, if any. */
  get #exceededLimit(): string | undefined {
    if (this.#documents > DOCUMENT_LIMITS.documents) {
      return `\`.registry/\` has more than ${DOCUMENT_LIMITS.documents} CRDs; split the package`;
    }
    if (this.#size <= DOCUMENT_LIMITS.contentChars) return undefined;
    return 'its names, versions and metadata are too long together; split the package';
  }
}

/** Merges CRDs whose versions are in several files. */
function mergedByName(objects: readonly PackageObject[]): PackageObject[] {
  const byName = new Map<string, PackageObject>();
  for (const object of objects) {
    const first = byName.get(object.name)?.defines;
    const versions = [...(first?.versions ?? []), ...(object.defines?.versions ?? [])];
    const defines = first ?? object.defines;
    const whole = defines && { defines: { ...defines, versions: [...new Set(versions)] } };
    byName.set(object.name, { ...object, ...whole });
  }
  return [...byName.values()];
}

const NO_APP = '`.registry/` holds no `app.yaml`, which says what the package is';

type TakeDocument = (document: PackageDocument) => void;

type FileReader = (
  content: AsyncIterable<Uint8Array>,
  take: TakeDocument | undefined,
) => Promise<FileContents>;

const READERS: Readonly<Record<'app' | 'install' | 'crd', FileReader>> = {
  async app(content) {
    const read = await readOneDocument(content);
    if ('problem' in read) return { problems: [read.problem] };
    const warnings = unknownValues(read.value, read.line);
    return { metas: [structuredClone(appMeta(read))], warnings };
  },

  /** Keeps nothing: the content does not affect whether a package can be installed. */
  async install(content) {
    const read = await readOneDocument(content);
    if ('problem' in read) return { problems: [read.problem] };
    if (read.value['kind'] === 'Deployment') return {};
    const kind = stringOf(read.value['kind'])?.slice(0, 40) ?? 'document without a kind';
    const message = `it is a ${kind}; a package of this format is installed by one Deployment`;
    return { problems: [{ message, line: read.line }] };
  },

  async crd(content, take) {
    const { contents } = await readContents(content, take ?? (() => {}));
    const { metas, objects, problems, warnings } = contents;
    const others = [...metas, ...objects].filter(({ kind }) => kind !== 'CustomResourceDefinition');
    const typeProblems = others.map(({ kind, name, line }) => {
      return { message: `${kind} \`${name}\` is no CustomResourceDefinition`, line };
    });
    return {
      objects: objects.map((object) => ({ ...object, line: undefined })),
      problems: [...problems, ...typeProblems],
      warnings,
    };
  },
};

/** Adds the path and line to messages. `line` stays for app.yaml only. */
function withPath(path: string, problems: readonly StreamProblem[]): StreamProblem[] {
  return problems.map(({ message, line }) => {
    if (path === 'app.yaml') return { message: `\`app.yaml\`: ${message}`, line };
    const place = line === undefined ? path : `${path}:${line}`;
    return { message: `\`${place}\`: ${message}` };
  });
}

const KNOWN_VALUES: Readonly<Record<string, readonly string[]>> = {
  packageType: ['Provider', 'Stack', 'Application', 'Addon'],
  permissionScope: ['Cluster', 'Namespaced'],
};

/** The kind is Provider, which alone may install CRDs and run a controller. */
function appMeta({ value, document, line }: SoleDocument): MetaDocument {
  return {
    apiVersion: DOT_REGISTRY_API,
    kind: 'Provider',
    name: objectName(stringOf(value['title']) ?? ''),
    labels: {},
    annotations: annotationsOf(value),
    crossplane: undefined,
    dependsOn: listOf(value['dependsOn']) ?? [],
    capabilities: [],
    dependsOnLines: linesOf(document, ['dependsOn'], line),
    line,
    decodeError: decodeError(value),
  };
}

function objectName(title: string): string {
  const words = title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return words.slice(0, MAX_NAME_LENGTH).replaceAll(/^-+|(?<!-)-+$/g, '') || 'package';
}

/** Returns the annotations that today's registries and consoles show. */
function annotationsOf(value: JsonObject): Readonly<Record<string, string>> {
  const text = (field: string) => stringOf(value[field])?.trim() || undefined;
  const annotations: Readonly<Record<string, string | undefined>> = {
    'friendly-name.meta.crossplane.io': text('title'),
    'meta.crossplane.io/description': text('overview') ?? text('overviewShort'),
    'meta.crossplane.io/license': text('license'),
    'meta.crossplane.io/maintainer': formatPeople(value['maintainers']),
    'meta.crossplane.io/readme': text('readme'),
    'meta.crossplane.io/source': text('source'),
  };
  return Object.fromEntries(
    Object.entries(annotations).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    ),
  );
}

/** Returns people as `Ada <ada@example.org>, Grace`, or undefined if nobody is named. */
function formatPeople(written: JsonObject[string] | undefined): string | undefined {
  const people = (listOf(written) ?? []).flatMap((each) => {
    const person = mappingOf(each) ?? {};
    const [name, email] = [stringOf(person['name']), stringOf(person['email'])];
    if (email === undefined) return name ?? [];
    return name === undefined ? email : `${name} <${email}>`;
  });
  return people.length === 0 ? undefined : people.join(', ');
}

function decodeError(value: JsonObject): string | undefined {
  const { title = null, dependsOn = null } = value;
  if (title !== null && typeof title !== 'string') return typeMessage('a string', 'title', title);
  if (dependsOn !== null && !isList(dependsOn))
    return typeMessage('a list', 'dependsOn', dependsOn);
  return undefined;
}

function unknownValues(value: JsonObject, line: number): StreamProblem[] {
  return Object.entries(KNOWN_VALUES).flatMap(([field, known]) => {
    const written = value[field] ?? null;
    if (written === null || (typeof written === 'string' && known.includes(written))) return [];
    const message = `\`${field}\` is none of ${known.map((each) => `\`${each}\``).join(', ')}`;
    return [{ message, line }];
  });
}

/** The document of a file that must have exactly one. */
interface SoleDocument {
  readonly value: JsonObject;
  readonly document: GoDocument;
  readonly line: number;
}

/** Reads a small file with one mapping, as Go reads it. */
export async function readOneDocument(
  content: AsyncIterable<Uint8Array>,
): Promise<SoleDocument | { readonly problem: StreamProblem }> {
  const bytes = await readUpTo(content, DOCUMENT_LIMITS.registryFileBytes);
  if (bytes === undefined) {
    const kib = DOCUMENT_LIMITS.registryFileBytes >> 10;
    return { problem: { message: `the file is larger than ${kib} KiB` } };
  }
  let found: DocumentText | undefined;
  for await (const piece of splitDocuments([bytes])) {
    if ('problem' in piece) return piece;
    if (isEmptyDocument(piece.text)) continue;
    if (found !== undefined)
      return { problem: { message: 'there is a second document', ...piece } };
    found = piece;
  }
  return found === undefined ? { problem: { message: 'the file is empty' } } : mappingIn(found);
}

function mappingIn({
  text,
  line,
}: DocumentText): SoleDocument | { readonly problem: StreamProblem } {
  const parsed = parseGoYaml(text);
  if ('error' in parsed) {
    return { problem: { message: parsed.error, line: line + parsed.lineOffset } };
  }
  if (
    hasExcessiveAliases(parsed.value) ||
    estimatedSize(parsed.value) > DOCUMENT_LIMITS.contentChars
  )
    return { problem: { message: 'aliases blow the document up', line } };
  const value = mappingOf(parsed.value);
  if (value === undefined) return { problem: { message: 'the document is not a mapping', line } };
  return { value, document: parsed, line };
}

/** A legacy package with the documents of its CRDs, read file by file in any order. */
export class RegistryDocuments extends RegistryPackage {
  readonly #documents: ReadonlyMap<string, readonly PackageDocument[]>;

  constructor() {
    const documents = new Map<string, PackageDocument[]>();
    super((document) => getOrCreate(documents, document.name, () => []).push(document));
    this.#documents = documents;
  }

  /** Passes complete CRDs to `take`. Returns a note for each CRD in several files. */
  passTo(take: (document: PackageDocument) => void): string[] {
    const notes: string[] = [];
    for (const [name, documents] of this.#documents) {
      if (documents.length === 1) take(documents[0]!);
      else notes.push(`CRD ${name} is in several files, and is not compared`);
    }
    return notes;
  }
}
