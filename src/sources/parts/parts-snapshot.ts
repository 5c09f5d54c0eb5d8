import { EMPTY, TITLE } from '../../image/artifact-manifests.js';
import { MEDIA_TYPE, type Descriptor } from '../../image/descriptor.js';
import type { ImageRepository, StoredManifest } from '../../image/image-repository.js';
import { embeddedManifest, parseManifest } from '../../image/manifest.js';
import type { IndexFile } from '../../model/index-file.js';
import type { Repository } from '../../model/package.js';
import { SourceError } from '../../model/source-error.js';
import { byCodePoint } from '../../text/code-point-order.js';
import { sha256, type Digest } from '../../text/digest.js';
import { fieldsOf, listOf, parseJson } from '../../text/json.js';
import { printable } from '../../text/printable.js';
import { parseIndex } from '../index/index-source.js';
import { GroupPart, stringsFrom } from './group-part.js';
import {
  bucketOf,
  bucketOfHash,
  hashOf,
  packageRefFrom,
  refFrom,
  REQUIRED_TITLE,
  TABLES,
  type PackageRef,
  type PartRef,
  type TableName,
} from './parts-format.js';

/** What leads to everything else: a table for each kind of key, and a list of some packages. */
type Leads = Readonly<Record<TableName, PartRef>> & { readonly required: PartRef | undefined };

/**
 * One state of an index in parts, by the digest of its top: whatever is asked of it, and whenever,
 * the answers are of that state. Everything is read when it is asked for, and checked against the
 * digest that leads to it; what is missing or not what it should be is a `SourceError`.
 */
export class PartsSnapshot {
  readonly digest: Digest;
  /** As the user named it; for messages. */
  readonly shown: string;
  readonly #images: ImageRepository;
  readonly #top: StoredManifest;
  readonly #tables: Leads;
  #listed: Promise<ReadonlyMap<string, unknown>> | undefined;
  readonly #buckets = new Map<TableName, Promise<readonly (PartRef | undefined)[]>>();
  readonly #nodes = new Map<Digest, Promise<ReadonlyMap<string, unknown>>>();

  /** `tables` are those that `top` leads to: `open` finds them. */
  constructor(images: ImageRepository, shown: string, top: StoredManifest, tables: Leads) {
    this.digest = top.digest;
    this.shown = shown;
    this.#images = images;
    this.#top = top;
    this.#tables = tables;
  }

  /** Opens the state that a manifest is the top of; `top` has the type of an index in parts. */
  static async open(
    images: ImageRepository,
    top: StoredManifest,
    shown: string,
  ): Promise<PartsSnapshot> {
    const [first] = await childrenOf(images, top, shown);
    const stored =
      first && (embeddedManifest(top, first.digest) ?? (await images.manifest(first.digest)));
    if (stored === undefined) throw damaged(shown, 'the manifest with its tables is not there');
    const tables = parseManifest(stored, `${shown}@${stored.digest}`);
    const layers = tables.kind === 'image' ? tables.layers : [];
    const titled = (title: string) =>
      layers.find(({ annotations }) => annotations.get(TITLE) === title);
    const found = TABLES.map((name) => {
      const title = `lookup/${name}.json`;
      const layer = titled(title);
      if (layer === undefined) throw damaged(shown, `it has no \`${title}\``);
      return [name, layer] as const;
    });
    const known = Object.fromEntries(found) as Record<TableName, Descriptor>; // each has a layer
    return new PartsSnapshot(images, shown, top, { ...known, required: titled(REQUIRED_TITLE) });
  }

  /**
   * The package as an index of its own; undefined: this index does not have it. With `ahead`, nodes
   * that what it requires will be looked up in are asked for together with it.
   */
  async package(
    repository: Repository,
    { ahead = false }: { readonly ahead?: boolean } = {},
  ): Promise<IndexFile | undefined> {
    // Asked for at once, though the list may be enough: it rarely is for the first package.
    const [listed] = await Promise.all([this.#required(), this.#table('packages')]);
    const entry =
      listed.get(repository) ?? (await this.#node('packages', repository)).get(repository);
    const ref = packageRefFrom(entry);
    if (ref === undefined) return undefined;
    const index = this.packageAt(repository, ref);
    if (ahead) void this.#lookAhead(ref.requires).catch(() => {});
    return index;
  }

  /** The package whose part is known already. */
  async packageAt(repository: Repository, ref: PartRef): Promise<IndexFile> {
    const shown = `${this.shown}, the part of ${printable(repository)}`;
    const index = parseIndex(await this.#part(ref, shown), shown);
    const [held, ...others] = Object.keys(index.packages);
    if (held === repository && others.length === 0) return index;
    throw damaged(shown, 'it is the part of another package');
  }

  /** Who may own what of an API group; undefined: no package here owns any. */
  async group(name: string): Promise<GroupPart | undefined> {
    const ref = refFrom((await this.#node('groups', name)).get(name));
    if (ref === undefined) return undefined;
    const shown = `${this.shown}, the part of the API group ${printable(name)}`;
    const part = GroupPart.from(await this.#part(ref, shown), name);
    if (part === undefined) throw damaged(shown, 'it is not the part of that group');
    return part;
  }

  /** Repositories that may own something of that name or kind, in lower case. */
  async word(word: string): Promise<readonly Repository[]> {
    return stringsFrom((await this.#node('words', word)).get(word)) ?? [];
  }

  async repositories(): Promise<readonly Repository[]> {
    return [...(await this.packages()).keys()].sort(byCodePoint);
  }

  /** The parts of all packages; reads all nodes of their table, and no part. */
  async packages(): Promise<ReadonlyMap<Repository, PackageRef>> {
    const entries = await this.#all('packages');
    return new Map(entries.map(([key, value]) => [key, packageRefFrom(value)!]));
  }

  /** The parts of all API groups, likewise. */
  async groups(): Promise<ReadonlyMap<string, PartRef>> {
    const entries = await this.#all('groups');
    return new Map(entries.map(([key, value]) => [key, refFrom(value)!]));
  }

  async words(): Promise<ReadonlyMap<string, readonly Repository[]>> {
    const entries = await this.#all('words');
    return new Map(entries.map(([word, value]) => [word, stringsFrom(value)!]));
  }

  /** Tables, by the digest of each. */
  get tables(): Readonly<Record<TableName, PartRef>> {
    return this.#tables;
  }

  /** The list of packages that many others require. */
  get required(): PartRef | undefined {
    return this.#tables.required;
  }

  /** Whether it was written since indexes say what packages require. */
  get isHinted(): boolean {
    return this.required !== undefined;
  }

  /**
   * Digests of everything that this state consists of, but for the packages and groups themselves;
   * with `all`, every manifest is read.
   */
  async frame({ all = false }: { readonly all?: boolean } = {}): Promise<ReadonlySet<Digest>> {
    const digests = new Set<Digest>([this.digest, sha256(EMPTY)]);
    const visit = async (manifest: StoredManifest) => {
      for (const { digest, mediaType } of await childrenOf(this.#images, manifest, this.shown)) {
        if (digests.has(digest)) continue;
        digests.add(digest);
        const isIndex = mediaType === MEDIA_TYPE.ociIndex;
        if (!isIndex && !all) continue;
        const below = await this.#images.manifest(digest);
        if (below === undefined) throw damaged(this.shown, `the manifest ${digest} is not there`);
        if (isIndex) await visit(below);
      }
    };
    await visit(this.#top);
    if (this.required !== undefined) digests.add(this.required.digest);
    for (const name of TABLES) {
      digests.add(this.#tables[name].digest);
      for (const bucket of await this.#table(name)) if (bucket) digests.add(bucket.digest);
    }
    return digests;
  }

  async #all(table: TableName): Promise<readonly (readonly [string, unknown])[]> {
    const buckets = (await this.#table(table)).flatMap((bucket) => bucket ?? []);
    const nodes = await Promise.all(buckets.map((bucket) => this.#entries(table, bucket)));
    return nodes.flatMap((node) => [...node]);
  }

  async #node(table: TableName, key: string): Promise<ReadonlyMap<string, unknown>> {
    const buckets = await this.#table(table);
    const bucket = buckets[bucketOf(key, Math.log2(buckets.length))];
    return bucket === undefined ? new Map() : this.#entries(table, bucket);
  }

  /** Asks for nodes before they are needed. What is wrong with one is told when it is. */
  async #lookAhead(hashes: readonly number[]): Promise<void> {
    const [listed, buckets] = await Promise.all([this.#required(), this.#table('packages')]);
    const known = new Set([...listed.keys()].map(hashOf));
    const wanted = hashes
      .filter((hash) => !known.has(hash))
      .flatMap((hash) => buckets[bucketOfHash(hash, Math.log2(buckets.length))] ?? []);
    await Promise.all(wanted.map((bucket) => this.#entries('packages', bucket)));
  }

  /** Packages that many others require; none where the index has no list of them. */
  #required(): Promise<ReadonlyMap<string, unknown>> {
    return (this.#listed ??=
      this.required === undefined
        ? Promise.resolve(new Map())
        : this.#readList(this.required, 'required', `\`${REQUIRED_TITLE}\``));
  }

  #table(name: TableName): Promise<readonly (PartRef | undefined)[]> {
    const known = this.#buckets.get(name) ?? this.#readTable(name);
    this.#buckets.set(name, known);
    return known;
  }

  async #readTable(name: TableName): Promise<readonly (PartRef | undefined)[]> {
    const shown = `${this.shown}, \`lookup/${name}.json\``;
    const fields = fieldsOf(parseJson(await this.#part(this.#tables[name], shown))?.value);
    const buckets = listOf(fields?.get('buckets'));
    const isTable = buckets !== undefined && Number.isInteger(Math.log2(buckets.length));
    if (!isTable || fields?.get('table') !== name) throw damaged(shown, 'it is not a table');
    return buckets.map((bucket) => {
      const ref = refFrom(bucket);
      if (ref === undefined && bucket !== null) throw damaged(shown, 'it is not a table of parts');
      return ref;
    });
  }

  #entries(table: TableName, bucket: PartRef): Promise<ReadonlyMap<string, unknown>> {
    const known =
      this.#nodes.get(bucket.digest) ??
      this.#readList(bucket, table, `a node of \`lookup/${table}.json\``);
    this.#nodes.set(bucket.digest, known);
    return known;
  }

  async #readList(
    ref: PartRef,
    name: TableName | 'required',
    what: string,
  ): Promise<ReadonlyMap<string, unknown>> {
    const shown = `${this.shown}, ${what}`;
    const value = parseJson(await this.#part(ref, shown))?.value;
    const entries = fieldsOf(fieldsOf(value)?.get(name));
    const isEntry = name === 'words' ? stringsFrom : refFrom;
    if (entries === undefined || ![...entries.values()].every((entry) => isEntry(entry))) {
      throw damaged(shown, `it is not a list of ${name}`);
    }
    return entries;
  }

  async #part(ref: PartRef, shown: string): Promise<Uint8Array> {
    const bytes = await this.#images.blob(ref).catch((error: unknown) => {
      const isDamage = error instanceof SourceError && error.code === 'BAD_DIGEST';
      // A registry says what may be at fault; of a file, that is the index.
      if (!isDamage || error.hint !== undefined) throw error;
      throw damaged(shown, error.message, error);
    });
    if (bytes === undefined) throw damaged(shown, `the blob ${ref.digest} is not there`);
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
  throw damaged(shown, `the manifest ${stored.digest} is not an index of manifests`);
}

function damaged(shown: string, what: string, cause?: SourceError): SourceError {
  return new SourceError(cause?.code ?? 'BAD_IMAGE', shown, `this index is damaged: ${what}`, {
    cause,
    hint: 'write it anew: `xpkg-resolve index push --all-parts`, or `xpkg-resolve index --out DIR/`',
  });
}
