import { BoundedCache, byCodePoint, getOrCreate } from '../base/collections.js';
import type { IndexFile, IndexPackage, IndexVersion } from './index/index-file.js';
import { type Digest, isDigest } from '../base/digest.js';
import { ownersAmong } from './crd-owners.js';
import type { PackageSource } from './package-source.js';
import type { CrdRef } from '../crossplane/packages/crd-ref.js';
import { indexedContents } from './index/index-entry.js';

/** Returns a source for an index in memory. Entries are converted on demand. */
export function memorySource(index: IndexFile): PackageSource {
  return tableSource(parsedTable(index));
}

export function tableSource(table: IndexTable): PackageSource {
  return {
    async tags(repository) {
      const versions = table.package(repository)?.versions;
      return versions && Object.keys(versions).filter((version) => !isDigest(version));
    },
    async fetch({ repository, version }) {
      const indexed = table.package(repository);
      const entry = indexed && entryOf(indexed, version);
      return (
        entry && {
          contents: indexedContents(entry, repository, indexed),
          digest: asDigest(entry.digest) ?? asDigest(version),
          manifest: asDigest(entry.manifest),
          baseLayer: asDigest(entry.baseLayer),
          packageYaml: asDigest(entry.packageYaml),
        }
      );
    },
    async released({ repository, version }) {
      const indexed = table.package(repository);
      const entry = indexed && entryOf(indexed, version);
      return entry && { created: entry.created, firstSeen: entry.firstSeen };
    },
    async owners(crdRef, target) {
      return ownersAmong(possibleOwners(table, crdRef), crdRef, target);
    },
    async repositories() {
      return table.repositories();
    },
  };
}

function entryOf({ versions }: IndexPackage, version: string): IndexVersion | undefined {
  if (Object.hasOwn(versions, version)) return versions[version];
  if (!isDigest(version)) return undefined;
  const tags = Object.keys(versions).filter((tag) => versions[tag]!.digest === version);
  const [first] = tags.sort(byCodePoint);
  return first === undefined ? undefined : versions[first];
}

function asDigest(text: string | undefined): Digest | undefined {
  return text !== undefined && isDigest(text) ? text : undefined;
}

function* possibleOwners(table: IndexTable, crdRef: CrdRef) {
  for (const [repository, indexed] of table.candidates('crd' in crdRef ? crdRef.crd : undefined)) {
    yield [repository, possibleVersions(repository, indexed, crdRef)] as const;
  }
}

async function* possibleVersions(repository: string, indexed: IndexPackage, crdRef: CrdRef) {
  for (const [version, entry] of Object.entries(indexed.versions)) {
    if (mayOwn(entry, crdRef))
      yield [version, indexedContents(entry, repository, indexed)] as const;
  }
}

/** Excludes most entries before their contents are built: an index may list 100,000 CRDs. */
function mayOwn(entry: IndexVersion, crdRef: CrdRef): boolean {
  if (entry.xrds !== undefined || entry.objects !== undefined) return true;
  return 'crd' in crdRef
    ? (entry.crds?.includes(crdRef.crd) ?? false)
    : entry.defines !== undefined;
}

/** The packages of an index, parsed or not. */
export interface IndexTable {
  repositories(): readonly string[];
  package(repository: string): IndexPackage | undefined;
  /** Yields every package that may own a CRD, in order; every package if `crd` is undefined. */
  candidates(crd: string | undefined): Iterable<readonly [repository: string, IndexPackage]>;
}

export function parsedTable({ packages }: IndexFile): IndexTable {
  const repositories = () => Object.keys(packages).sort(byCodePoint);
  let listing: ReturnType<typeof crdListing> | undefined;
  const candidates = (crd: string) => {
    listing ??= crdListing(packages);
    return [...listing.unlisted, ...(listing.byCrd.get(crd) ?? [])].sort(byCodePoint);
  };
  return {
    repositories,
    package: (repository) =>
      Object.hasOwn(packages, repository) ? packages[repository] : undefined,
    candidates: (crd) =>
      (crd === undefined ? repositories() : candidates(crd)).map(
        (repository) => [repository, packages[repository]!] as const,
      ),
  };
}

/**
 * Returns the packages that list a CRD in some version, and those with objects of other kinds,
 * which may own any CRD.
 */
function crdListing(packages: IndexFile['packages']) {
  const byCrd = new Map<string, string[]>();
  const unlisted: string[] = [];
  for (const [repository, { versions }] of Object.entries(packages)) {
    const entries = Object.values(versions);
    if (entries.some(({ xrds, objects }) => xrds !== undefined || objects !== undefined)) {
      unlisted.push(repository);
      continue;
    }
    for (const crd of new Set(entries.flatMap(({ crds = [] }) => crds))) {
      getOrCreate(byCrd, crd, () => []).push(repository);
    }
  }
  return { byCrd, unlisted };
}

/** An index table that parses and validates packages of the index text on demand. */
export function unparsedTable(
  text: Uint8Array,
  places: ReadonlyMap<string, ByteRange>,
  parse: (repository: string, text: Uint8Array) => IndexPackage,
): IndexTable {
  const parsed = new BoundedCache<IndexPackage>(MAX_CACHED_BYTES);
  const bytes = bufferOf(text);
  const textOf = ({ from, to }: ByteRange) => bytes.subarray(from, to);
  const repositories = () => [...places.keys()].sort(byCodePoint);
  return {
    repositories,
    package: (repository) => {
      const place = places.get(repository);
      if (place === undefined) return undefined;
      const weight = place.to - place.from + PACKAGE_OVERHEAD;
      return parsed.getOrCreate(repository, weight, () => parse(repository, textOf(place)));
    },
    *candidates(crd) {
      for (const repository of repositories()) {
        const known = parsed.get(repository);
        const own = textOf(places.get(repository)!);
        if (known === undefined && crd !== undefined && !mayList(own, crd)) continue;
        // Not cached: most packages do not own the CRD, and together they are large.
        yield [repository, known ?? parse(repository, own)];
      }
    },
  };
}

/** Size of the text of parsed packages that are cached. Parsed again, a package costs little. */
const MAX_CACHED_BYTES = 16 * 1024 * 1024;
/** Size of a parsed package without versions, and of what is derived from it. */
const PACKAGE_OVERHEAD = 4096;

/** Whether unparsed text may list the CRD. An escape sequence may stand for any character. */
function mayList(text: Buffer, crd: string): boolean {
  return [crd, '\\', '"xrds"', '"objects"'].some((part) => text.includes(part));
}

/** Returns the same memory. The declared types of the library do not name Node.js. */
function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** The bytes of a JSON value; `to` is exclusive. */
interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Finds the byte range of each package without parsing it. Returns undefined if the text around the
 * packages is not valid JSON or has no `packages` object.
 */
export function scanPackageRanges(text: Uint8Array): ReadonlyMap<string, ByteRange> | undefined {
  try {
    return new PackageScanner(bufferOf(text)).index();
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;

class PackageScanner {
  readonly #bytes: Buffer;
  #offset = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  index(): ReadonlyMap<string, ByteRange> | undefined {
    let packages: Map<string, ByteRange> | undefined;
    this.#object((key) => {
      // As in JSON.parse, the last duplicate key wins.
      if (key === 'packages') {
        const places = new Map<string, ByteRange>();
        this.#object((repository) => places.set(repository, this.#value()));
        packages = places;
      } else {
        const { from, to } = this.#value();
        JSON.parse(this.#bytes.toString('utf8', from, to));
      }
    });
    this.#skipWhitespace();
    if (this.#offset < this.#bytes.length) throw new SyntaxError('text after the end');
    return packages;
  }

  /** Calls `read` at the value of each key. */
  #object(read: (key: string) => void): void {
    this.#expect(OPEN);
    this.#skipWhitespace();
    if (this.#bytes[this.#offset] === CLOSE) {
      this.#offset++;
      return;
    }
    for (;;) {
      this.#skipWhitespace();
      const { from, to } = this.#string();
      this.#expect(COLON);
      read(JSON.parse(this.#bytes.toString('utf8', from, to)) as string); // it is in quotes
      this.#skipWhitespace();
      const next = this.#bytes[this.#offset++];
      if (next === CLOSE) return;
      if (next !== COMMA) throw new SyntaxError('neither a comma nor the end of an object');
    }
  }

  #expect(wanted: number): void {
    this.#skipWhitespace();
    if (this.#bytes[this.#offset] !== wanted) throw new SyntaxError('another character');
    this.#offset++;
  }

  #skipWhitespace(): void {
    const bytes = this.#bytes;
    for (;;) {
      const byte = bytes[this.#offset];
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return;
      this.#offset++;
    }
  }

  #string(): ByteRange {
    const from = this.#offset;
    if (this.#bytes[from] !== QUOTE) throw new SyntaxError('no string');
    this.#offset = afterString(this.#bytes, from);
    return { from, to: this.#offset };
  }

  #value(): ByteRange {
    this.#skipWhitespace();
    const from = this.#offset;
    const first = this.#bytes[from];
    if (first === QUOTE) return this.#string();
    this.#offset =
      first === OPEN || first === OPEN_LIST
        ? afterBrackets(this.#bytes, from)
        : afterWord(this.#bytes, from);
    return { from, to: this.#offset };
  }
}

function afterString(bytes: Buffer, from: number): number {
  for (let at = from + 1; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) at++;
  }
  throw new SyntaxError('a string without an end');
}

/** Returns the position after the matching bracket. Types of brackets are not checked. */
function afterBrackets(bytes: Buffer, from: number): number {
  let depth = 0;
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) at = afterString(bytes, at) - 1;
    else if (byte === OPEN || byte === OPEN_LIST) depth++;
    else if (byte === CLOSE || byte === CLOSE_LIST) {
      if (--depth === 0) return at + 1;
    }
  }
  throw new SyntaxError('a bracket without its other');
}

/** Returns the position after a number, `true`, `false`, `null` or any other word. */
function afterWord(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && !ENDS_WORD.has(bytes[at]!)) at++;
  if (at === from) throw new SyntaxError('no value');
  return at;
}

const ENDS_WORD: ReadonlySet<number> = new Set([COMMA, CLOSE, CLOSE_LIST, 0x20, 0x0a, 0x0d, 0x09]);
