import { EMPTY_CONFIG, TITLE_ANNOTATION } from '../../oci/image/artifact.js';
import { MEDIA_TYPE, type Descriptor } from '../../oci/image/descriptor.js';
import type { ImageRepository, StoredManifest } from '../../oci/image/image-repository.js';
import { embeddedManifest, parseManifest } from '../../oci/image/manifest.js';
import type { IndexPackage } from '../index/index-file.js';
import type { Repository } from '../../crossplane/packages/package.js';
import { SourceError } from '../../base/errors.js';
import { checkJsonSize } from '../../base/size-limits.js';
import { byCodePoint, getOrCreate } from '../../base/collections.js';
import { sha256, type Digest } from '../../base/digest.js';
import { fieldsOf, listOf, parseJson } from '../../base/json.js';
import { thousands } from '../../base/messages.js';
import { printable } from '../../base/escape.js';
import { MAX_PACKAGE_BYTES, parseIndex } from '../index/index-source.js';
import {
  GroupPart,
  parseStrings,
  bucketOf,
  bucketOfHash,
  hashOf,
  parsePackageRef,
  parseRef,
  REQUIRED_TITLE,
  TABLES,
  type PackageRef,
  type PartRef,
  type TableName,
} from './format.js';

/** Maximum size of a table, node, package part or group part. */
const MAX_PART_BYTES = MAX_PACKAGE_BYTES;

const REWRITE_HINT =
  'write it anew: `xpkg-resolve index push --all-parts`, or `xpkg-resolve index --out DIR/`';

/** References from the top: a table per kind of key, and the list of required packages. */
type TableRefs = Readonly<Record<TableName, PartRef>> & { readonly required: PartRef | undefined };

/** One state of a sparse index. Parts are read on demand and verified against their digest. */
export class SparseIndexSnapshot {
  readonly digest: Digest;
  /** Location as named by the user; for messages. */
  readonly shown: string;
  readonly #images: ImageRepository;
  readonly #top: StoredManifest;
  readonly tables: TableRefs;
  #requiredList: Promise<ReadonlyMap<string, unknown>> | undefined;
  readonly #tableBuckets = new Map<TableName, Promise<readonly (PartRef | undefined)[]>>();
  readonly #nodes = new Map<Digest, Promise<ReadonlyMap<string, unknown>>>();

  /** Use `open`, which reads `tables` from `top`. */
  constructor(images: ImageRepository, shown: string, top: StoredManifest, tables: TableRefs) {
    this.digest = top.digest;
    this.shown = shown;
    this.#images = images;
    this.#top = top;
    this.tables = tables;
  }

  /** Opens the state with the given top manifest, which must have the type of a sparse index. */
  static async open(
    images: ImageRepository,
    top: StoredManifest,
    shown: string,
  ): Promise<SparseIndexSnapshot> {
    const [first] = await childrenOf(images, top, shown);
    const stored =
      first && (embeddedManifest(top, first.digest) ?? (await images.manifest(first.digest)));
    if (stored === undefined)
      throw damagedError(shown, 'the manifest with its tables is not there');
    const tables = parseManifest(stored, `${shown}@${stored.digest}`);
    const layers = tables.kind === 'image' ? tables.layers : [];
    const titled = (title: string) =>
      layers.find(({ annotations }) => annotations.get(TITLE_ANNOTATION) === title);
    const found = TABLES.map((name) => {
      const title = `lookup/${name}.json`;
      const layer = titled(title);
      if (layer === undefined) throw damagedError(shown, `it has no \`${title}\``);
      return [name, layer] as const;
    });
    const known = Object.fromEntries(found) as Record<TableName, Descriptor>; // each has a layer
    return new SparseIndexSnapshot(images, shown, top, {
      ...known,
      required: titled(REQUIRED_TITLE),
    });
  }

  /** Returns undefined for an unknown package. `ahead` prefetches nodes of required packages. */
  async package(
    repository: Repository,
    { prefetchRequired = false }: { readonly prefetchRequired?: boolean } = {},
  ): Promise<IndexPackage | undefined> {
    // In parallel, because the list rarely suffices for the first package.
    const [listed] = await Promise.all([this.#required(), this.#table('packages')]);
    const entry =
      listed.get(repository) ?? (await this.#node('packages', repository)).get(repository);
    const ref = parsePackageRef(entry);
    if (ref === undefined) return undefined;
    const found = this.packageAt(repository, ref);
    if (prefetchRequired) void this.#prefetchNodes(ref.requires).catch(() => {});
    return found;
  }

  async packageAt(repository: Repository, ref: PartRef): Promise<IndexPackage> {
    const shown = `${this.shown}, the part of ${printable(repository)}`;
    const [first, ...others] = Object.entries(
      parseIndex(await this.#part(ref, shown), shown).packages,
    );
    if (first?.[0] === repository && others.length === 0) return first[1];
    throw damagedError(shown, 'it is the part of another package');
  }

  /** Returns the part of an API group, or undefined if no package has that group. */
  async group(name: string): Promise<GroupPart | undefined> {
    const ref = parseRef((await this.#node('groups', name)).get(name));
    if (ref === undefined) return undefined;
    const shown = `${this.shown}, the part of the API group ${printable(name)}`;
    const part = GroupPart.from(await this.#part(ref, shown), name);
    if (part === undefined) throw damagedError(shown, 'it is not the part of that group');
    return part;
  }

  /** Returns repositories that may have a name or kind, given in lower case. */
  async word(word: string): Promise<readonly Repository[]> {
    return parseStrings((await this.#node('words', word)).get(word)) ?? [];
  }

  async repositories(): Promise<readonly Repository[]> {
    return [...(await this.packages()).keys()].sort(byCodePoint);
  }

  /** Returns references to all package parts. Reads all nodes of the table. */
  async packages(): Promise<ReadonlyMap<Repository, PackageRef>> {
    return this.#all('packages', parsePackageRef);
  }

  async groups(): Promise<ReadonlyMap<string, PartRef>> {
    return this.#all('groups', parseRef);
  }

  async words(): Promise<ReadonlyMap<string, readonly Repository[]>> {
    return this.#all('words', parseStrings);
  }

  /** Whether the index has prefetch hints; older ones do not. */
  get hasHints(): boolean {
    return this.tables.required !== undefined;
  }

  /** Returns the digests of manifests, tables and nodes. With `all`, reads every manifest. */
  async structureDigests({ all = false }: { readonly all?: boolean } = {}): Promise<
    ReadonlySet<Digest>
  > {
    const digests = new Set<Digest>([this.digest, sha256(EMPTY_CONFIG)]);
    const visit = async (manifest: StoredManifest) => {
      for (const { digest, mediaType } of await childrenOf(this.#images, manifest, this.shown)) {
        if (digests.has(digest)) continue;
        digests.add(digest);
        const isIndex = mediaType === MEDIA_TYPE.ociIndex;
        if (!isIndex && !all) continue;
        const below = await this.#images.manifest(digest);
        if (below === undefined)
          throw damagedError(this.shown, `the manifest ${digest} is not there`);
        if (isIndex) await visit(below);
      }
    };
    await visit(this.#top);
    if (this.tables.required !== undefined) digests.add(this.tables.required.digest);
    for (const name of TABLES) {
      digests.add(this.tables[name].digest);
      for (const bucket of await this.#table(name)) if (bucket) digests.add(bucket.digest);
    }
    return digests;
  }

  async #all<T>(
    table: TableName,
    parse: (value: unknown) => T | undefined,
  ): Promise<ReadonlyMap<string, T>> {
    const buckets = (await this.#table(table)).flatMap((bucket) => bucket ?? []);
    const nodes = await Promise.all(buckets.map((bucket) => this.#entries(table, bucket)));
    return new Map(nodes.flatMap((node) => [...node].map(([key, value]) => [key, parse(value)!])));
  }

  async #node(table: TableName, key: string): Promise<ReadonlyMap<string, unknown>> {
    const buckets = await this.#table(table);
    const bucket = buckets[bucketOf(key, Math.log2(buckets.length))];
    return bucket === undefined ? new Map() : this.#entries(table, bucket);
  }

  /** Prefetches nodes. Failures are reported when a node is needed. */
  async #prefetchNodes(hashes: readonly number[]): Promise<void> {
    const [listed, buckets] = await Promise.all([this.#required(), this.#table('packages')]);
    const known = new Set([...listed.keys()].map(hashOf));
    const wanted = hashes
      .filter((hash) => !known.has(hash))
      .flatMap((hash) => buckets[bucketOfHash(hash, Math.log2(buckets.length))] ?? []);
    await Promise.all(wanted.map((bucket) => this.#entries('packages', bucket)));
  }

  /** Returns the list of required packages, or an empty map if the index has none. */
  #required(): Promise<ReadonlyMap<string, unknown>> {
    const { required } = this.tables;
    return (this.#requiredList ??=
      required === undefined
        ? Promise.resolve(new Map())
        : this.#readList(required, 'required', `\`${REQUIRED_TITLE}\``));
  }

  #table(name: TableName): Promise<readonly (PartRef | undefined)[]> {
    return getOrCreate(this.#tableBuckets, name, () => this.#readTable(name));
  }

  async #readTable(name: TableName): Promise<readonly (PartRef | undefined)[]> {
    const shown = `${this.shown}, \`lookup/${name}.json\``;
    const fields = fieldsOf(parseJson(await this.#part(this.tables[name], shown))?.value);
    const buckets = listOf(fields?.get('buckets'));
    const isTable = buckets !== undefined && Number.isInteger(Math.log2(buckets.length));
    if (!isTable || fields?.get('table') !== name) throw damagedError(shown, 'it is not a table');
    return buckets.map((bucket) => {
      const ref = parseRef(bucket);
      if (ref === undefined && bucket !== null)
        throw damagedError(shown, 'it is not a table of parts');
      return ref;
    });
  }

  #entries(table: TableName, bucket: PartRef): Promise<ReadonlyMap<string, unknown>> {
    return getOrCreate(this.#nodes, bucket.digest, () =>
      this.#readList(bucket, table, `a node of \`lookup/${table}.json\``),
    );
  }

  async #readList(
    ref: PartRef,
    name: TableName | 'required',
    what: string,
  ): Promise<ReadonlyMap<string, unknown>> {
    const shown = `${this.shown}, ${what}`;
    const value = parseJson(await this.#part(ref, shown))?.value;
    const entries = fieldsOf(fieldsOf(value)?.get(name));
    const isEntry = name === 'words' ? parseStrings : parseRef;
    if (entries === undefined || ![...entries.values()].every((entry) => isEntry(entry))) {
      throw damagedError(shown, `it is not a list of ${name}`);
    }
    return entries;
  }

  async #part(ref: PartRef, shown: string): Promise<Uint8Array> {
    if (ref.size > MAX_PART_BYTES) {
      const what = `has more than ${thousands(MAX_PART_BYTES)} bytes, the most of a part`;
      throw new SourceError('TOO_LARGE', shown, what, { hint: REWRITE_HINT });
    }
    const bytes = await this.#images.blob(ref).catch((error: unknown) => {
      const isDamage = error instanceof SourceError && error.code === 'BAD_DIGEST';
      // An error from a registry has its own hint; otherwise the index is damaged.
      if (!isDamage || error.hint !== undefined) throw error;
      throw damagedError(shown, error.message, error);
    });
    if (bytes === undefined) throw damagedError(shown, `the blob ${ref.digest} is not there`);
    checkJsonSize(bytes, shown, REWRITE_HINT);
    return bytes;
  }
}

async function childrenOf(
  { name }: ImageRepository,
  stored: StoredManifest,
  shown: string,
): Promise<readonly Descriptor[]> {
  const manifest = parseManifest(stored, `${name}@${stored.digest}`);
  if (manifest.kind === 'index') return manifest.children;
  throw damagedError(shown, `the manifest ${stored.digest} is not an index of manifests`);
}

function damagedError(shown: string, what: string, cause?: SourceError): SourceError {
  return new SourceError(cause?.code ?? 'BAD_IMAGE', shown, `this index is damaged: ${what}`, {
    cause,
    hint: REWRITE_HINT,
  });
}
