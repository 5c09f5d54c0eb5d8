import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import pLimit from 'p-limit';
import type { Descriptor } from './descriptor.js';
import { type ExpectedBlob, type ImageRepository, openBlob } from './image-repository.js';
import { LIMITS, type Limits } from './limits.js';
import type { LocatedPackage } from './locate-package.js';
import { type Digest, finishDigest } from '../../base/digest.js';
import { SourceError } from '../../base/errors.js';
import { printable } from '../../base/escape.js';
import type { TargetRules } from '../../crossplane/releases/release-facts.js';
import { DamagedTarError, tarEntries, type TarEntry } from '../archive/tar-reader.js';
import { type Compression, decompressLayer } from '../archive/unpack.js';

/** A package read from an image. `refused`: the image is intact, but would not be installed. */
export type ReadPackage<T> =
  | {
      readonly status: 'read';
      readonly value: T;
      /** Digest of package.yaml; undefined if the package consists of many files. */
      readonly packageYaml: Digest | undefined;
      /** undefined if the image had to be flattened. */
      readonly baseLayer: Digest | undefined;
      readonly notes: readonly string[];
      /** Compressions of the layers read, sorted, without duplicates. */
      readonly packings: readonly Compression[];
    }
  | { readonly status: 'refused'; readonly why: string };

/** Reads a package that consists of many files, in the order of the layers. */
interface FilesReader<T> {
  /** Whether the file at this path in the image belongs to the package. */
  takes(path: string): boolean;
  /** Called once per file; may stop before the end of the file. */
  add(path: string, content: AsyncIterable<Uint8Array>): Promise<void>;
  /** undefined if no file of the package was found. */
  readonly value: T | undefined;
}

type Rules = Pick<TargetRules, 'tarEntry'>;

interface ReadOptions<T> {
  readonly read: ContentReader<T>;
  /** Reader for images without package.yaml; if undefined, these images are refused. */
  readonly files?: FilesReader<T> | undefined;
  readonly limits?: Limits | undefined;
}

/** Reads package.yaml from the base layer, or from the merged layers if none is annotated. */
export async function readPackage<T>(
  repository: ImageRepository,
  located: LocatedPackage,
  rules: Rules,
  options: ReadOptions<T>,
): Promise<ReadPackage<T>> {
  const { location: at } = located;
  const context = {
    ...options,
    repository,
    located,
    rules,
    packings: new Set<Compression>(),
    limits: options.limits ?? LIMITS,
  };
  if (at.place === 'refused') return { status: 'refused', why: at.why };
  if (at.place === 'layer') return readFromLayer(at.layer, context);
  try {
    return await readFlattened(at.layers, context);
  } catch (error) {
    // `oras push` sets the media type of a tar for every file by default.
    if (at.artifact === undefined || !(error instanceof DamagedTarError)) throw error;
    const why = `it is no package but an artifact (\`${printable(at.artifact)}\`)`;
    return { status: 'refused', why };
  }
}

interface Context<T> extends ReadOptions<T> {
  readonly repository: ImageRepository;
  readonly located: LocatedPackage;
  readonly rules: Rules;
  readonly limits: Limits;
  readonly packings: Set<Compression>;
}

async function readFromLayer<T>(layer: Descriptor, context: Context<T>): Promise<ReadPackage<T>> {
  const found = await findInLayer(layer, context, { isWanted: isPackageYaml(context.rules) });
  if (found !== undefined) return readResult(found, layer.digest, otherFilesNote(found), context);
  const why = `the layer marked as base holds no package.yaml${platformNote(context)}`;
  return { status: 'refused', why };
}

/** Reads layers from the top down until package.yaml is found. */
async function readFlattened<T>(
  layers: readonly Descriptor[],
  context: Context<T>,
): Promise<ReadPackage<T>> {
  const entries = flattenedEntries(context);
  let bytes = 0;
  for (const [index, layer] of [...layers].reverse().entries()) {
    const found = await findInLayer(layer, context, entries);
    bytes += layer.size;
    if (found !== undefined) {
      const notes = [flattenedNote(index + 1, bytes), ...otherFilesNote(found)];
      return readResult(found, undefined, notes, context);
    }
  }
  const value = context.files?.value;
  if (value !== undefined) return readResult({ value, digest: undefined }, undefined, [], context);
  const why = `no layer is marked \`io.crossplane.xpkg: base\`, and none holds package.yaml${platformNote(context)}`;
  return { status: 'refused', why };
}

/** Selects files in the merged file system: an upper layer hides files of lower ones. */
function flattenedEntries<T>(context: Context<T>): EntrySelection {
  const { repository, located, rules, files, limits } = context;
  const subject = `${repository.name}@${located.digest}`;
  const isVisible = flattenedFiles(subject, limits);
  const visible = new WeakSet<TarEntry>();
  return {
    isWanted: (entry) => {
      if (!isVisible(entry)) return false;
      visible.add(entry);
      const name = rules.tarEntry === 'exact' ? entry.path : posix.basename(entry.path);
      return name === PACKAGE_YAML;
    },
    readOther: async (entry) => {
      const { path, type, content } = entry;
      if (files?.takes(path) !== true || type !== 'file' || !visible.has(entry)) return;
      await readWithDigest(content, (stream) => files.add(path, stream), { subject, limits });
    },
  };
}

function readResult<T>(
  found: { readonly value: T; readonly digest: Digest | undefined },
  baseLayer: Digest | undefined,
  notes: readonly string[],
  { packings }: Context<T>,
): ReadPackage<T> {
  return {
    status: 'read',
    value: found.value,
    packageYaml: found.digest,
    baseLayer,
    notes,
    packings: [...packings].sort(),
  };
}

function flattenedNote(layers: number, bytes: number): string {
  const read = layers === 1 ? 'the top layer' : `${layers} layers`;
  return `no layer is marked \`io.crossplane.xpkg: base\`, so ${read} (${bytes} bytes) had to be read; \`docker pull\` and \`docker push\` lose the mark, and so does what converts manifests: copy with \`crane copy\` or \`oras copy -r\`, from registry to registry`;
}

function platformNote({ located }: Context<unknown>): string {
  return located.hasNoPlatform
    ? ' (the index lists a child without a platform first, and Crossplane takes such a child for the package)'
    : '';
}

async function findInLayer<T>(
  layer: Descriptor,
  { repository, limits, read, packings }: Context<T>,
  entries: EntrySelection,
): Promise<FoundPackageYaml<T> | undefined> {
  const subject = `${repository.name}@${layer.digest}`;
  const note = (packing: Compression) => void packings.add(packing);
  const found = await readLayer(repository, layer, { subject, limits, note }, (tar) =>
    findPackageYaml(tarEntries(tar, subject, limits), read, { ...entries, subject, limits }),
  );
  if (found !== undefined) return found.value;
  const what = 'the manifest names this layer, and it is not there';
  throw new SourceError('BAD_IMAGE', subject, what);
}

interface LayerReading {
  readonly subject: string;
  readonly limits: Limits;
  readonly note?: ((packing: Compression) => void) | undefined;
}

/** Reads the decompressed layer after verifying it. Returns undefined if it is missing. */
export async function readLayer<T>(
  repository: ImageRepository,
  layer: ExpectedBlob,
  { subject, limits, note }: LayerReading,
  read: (tar: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<{ readonly value: T } | undefined> {
  if (layer.size > limits.layerBytes) {
    const what = `the layer has ${layer.size} bytes; at most ${limits.layerBytes} are read`;
    throw new SourceError('TOO_LARGE', subject, what);
  }
  const blob = await openBlob(repository, layer);
  if (blob === undefined) return undefined;
  try {
    return await withReaderTurn(async () => {
      const compressed = { chunks: blob.chunks(), size: layer.size };
      return { value: await read(decompressLayer(compressed, subject, limits, note)) };
    });
  } finally {
    await blob.close();
  }
}

/** Packages are fetched in parallel, but read one at a time to limit memory use. */
const readerQueue = pLimit(1);

/** Calls `read` when no other reader is active. `read` must not wait for the network. */
export function withReaderTurn<T>(read: () => Promise<T>): Promise<T> {
  return readerQueue(read);
}

const PACKAGE_YAML = 'package.yaml';
const MAX_OTHERS_SHOWN = 5;

type ContentReader<T> = (stream: AsyncIterable<Uint8Array>) => Promise<T>;

interface FoundPackageYaml<T> {
  readonly value: T;
  readonly digest: Digest;
  readonly path: string;
  /** Paths of other files named package.yaml, which the target ignores. */
  readonly others: readonly string[];
}

/** Decides how tar entries are used. */
interface EntrySelection {
  /** Whether an entry is the package.yaml to read. */
  readonly isWanted: (entry: TarEntry) => boolean;
  /** Called with every other entry; may read its content. */
  readonly readOther?: ((entry: TarEntry) => Promise<void>) | undefined;
}

/** Reads the first matching package.yaml and lists the others. */
async function findPackageYaml<T>(
  entries: AsyncIterable<TarEntry>,
  read: ContentReader<T>,
  options: EntrySelection & { readonly subject: string; readonly limits: Limits },
): Promise<FoundPackageYaml<T> | undefined> {
  let found: Omit<FoundPackageYaml<T>, 'others'> | undefined;
  const others: string[] = [];
  for await (const entry of entries) {
    const wanted = options.isWanted(entry);
    if (found === undefined && wanted) {
      const { value, digest } = await readWithDigest(entry.content, read, options);
      found = { path: entry.path, value, digest };
    } else if (posix.basename(entry.path) === PACKAGE_YAML) {
      others.push(entry.path);
    } else {
      await options.readOther?.(entry);
    }
  }
  return found === undefined ? undefined : { ...found, others };
}

/** Returns a function that selects the package.yaml of the base layer. */
function isPackageYaml(rules: Pick<TargetRules, 'tarEntry'>): (entry: TarEntry) => boolean {
  return rules.tarEntry === 'exact'
    ? ({ name }) => name === PACKAGE_YAML
    : ({ path }) => posix.basename(path) === PACKAGE_YAML;
}

function otherFilesNote({ path, others }: FoundPackageYaml<unknown>): readonly string[] {
  if (others.length === 0) return [];
  const listed = others.slice(0, MAX_OTHERS_SHOWN).map((other) => `\`${printable(other)}\``);
  return [
    `the layer holds package.yaml in several folders; Crossplane takes \`${printable(path)}\`, not ${listed.join(', ')}`,
  ];
}

/** Reads the whole content. Returns its digest and size. */
export async function readWithDigest<T>(
  content: AsyncIterable<Uint8Array>,
  read: ContentReader<T>,
  { subject, limits = LIMITS }: { readonly subject: string; readonly limits?: Limits | undefined },
): Promise<{ readonly value: T; readonly digest: Digest; readonly size: number }> {
  const hash = createHash('sha256');
  const chunks = content[Symbol.asyncIterator]();
  let size = 0;
  const next = async () => {
    const { done = false, value: chunk } = await chunks.next();
    if (done) return undefined;
    size += chunk.byteLength;
    if (size > limits.packageYamlBytes) {
      const what = `package.yaml is larger than ${limits.packageYamlBytes} bytes, where Crossplane stops reading`;
      throw new SourceError('TOO_LARGE', subject, what);
    }
    hash.update(chunk);
    return chunk;
  };
  async function* hashedChunks() {
    for (let chunk = await next(); chunk !== undefined; chunk = await next()) yield chunk;
  }
  const value = await read(hashedChunks());
  // `read` may stop early, but the digest covers the whole file.
  while ((await next()) !== undefined);
  return { value, digest: finishDigest(hash), size };
}

const WHITEOUT = '.wh.';

/**
 * Returns a function that states whether an entry, from the top layer down, is visible. As in go-
 * containerregistry's `mutate.Extract`, the first entry of a path wins, a whiteout or a file also
 * hides every path below it, and opaque whiteouts have no special meaning.
 */
function flattenedFiles(
  subject: string,
  { tarEntries: maxEntries, tarNamesChars }: Limits,
): (entry: TarEntry) => boolean {
  /** By path: whether the entry hides everything below it. */
  const entries = new Map<string, boolean>();
  let characters = 0;
  const isHidden = (path: string): boolean => {
    const folder = posix.dirname(path);
    return folder !== path && (entries.get(folder) === true || isHidden(folder));
  };
  return (entry) => {
    const base = posix.basename(entry.path);
    const isWhiteout = base.startsWith(WHITEOUT);
    const isFolder = entry.type === 'directory';
    const path =
      isWhiteout && !isFolder
        ? posix.join(posix.dirname(entry.path), base.slice(WHITEOUT.length))
        : entry.path;
    if (entries.has(path) || isHidden(path)) return false;
    entries.set(path, isWhiteout || !isFolder);
    characters += path.length;
    // The limits for one layer also apply to all layers together.
    if (entries.size > maxEntries || characters > tarNamesChars) {
      const what = `its layers hold more than ${maxEntries} files, or their names more than ${tarNamesChars} characters`;
      throw new SourceError('TOO_LARGE', subject, what);
    }
    return !isWhiteout;
  };
}
