import type { IndexFile, IndexPackage } from '../../model/index-file.js';
import { byCodePoint } from '../../text/code-point-order.js';
import type { ByteRange } from './package-places.js';

/** The packages of an index, however they are held. */
export interface IndexTable {
  /** Sorted. */
  repositories(): readonly string[];
  get(repository: string): IndexPackage | undefined;
  /** Every package that may own such a CRD, in order; `crd` undefined: every package. */
  candidates(crd: string | undefined): Iterable<readonly [repository: string, IndexPackage]>;
}

/** Over an index that is in memory. */
export function parsedTable({ packages }: IndexFile): IndexTable {
  const repositories = () => Object.keys(packages).sort(byCodePoint);
  let listing: CrdListing | undefined;
  const candidates = (crd: string) => {
    listing ??= crdListing(packages);
    return [...listing.unsaid, ...(listing.byCrd.get(crd) ?? [])].sort(byCodePoint);
  };
  return {
    repositories,
    get: (repository) => (Object.hasOwn(packages, repository) ? packages[repository] : undefined),
    candidates: (crd) =>
      (crd === undefined ? repositories() : candidates(crd)).map(
        (repository) => [repository, packages[repository]!] as const,
      ),
  };
}

/** Which packages list a CRD in some version. */
interface CrdListing {
  readonly byCrd: ReadonlyMap<string, readonly string[]>;
  /** Packages that hold objects of other kinds too, which may bring any CRD. */
  readonly unsaid: readonly string[];
}

function crdListing(packages: IndexFile['packages']): CrdListing {
  const byCrd = new Map<string, string[]>();
  const unsaid: string[] = [];
  for (const [repository, { versions }] of Object.entries(packages)) {
    const entries = Object.values(versions);
    if (entries.some(({ xrds, objects }) => xrds !== undefined || objects !== undefined)) {
      unsaid.push(repository);
      continue;
    }
    for (const crd of new Set(entries.flatMap(({ crds = [] }) => crds))) {
      const listed = byCrd.get(crd);
      if (listed === undefined) byCrd.set(crd, [repository]);
      else listed.push(repository);
    }
  }
  return { byCrd, unsaid };
}

/**
 * Over the text of an index, of which a package is parsed when it is asked for. `parse` holds it to
 * the schema.
 */
export class UnparsedTable implements IndexTable {
  readonly #bytes: Buffer;
  readonly #places: ReadonlyMap<string, ByteRange>;
  readonly #parse: (repository: string, text: Uint8Array) => IndexPackage;
  readonly #parsed = new Map<string, IndexPackage>();

  constructor(
    bytes: Uint8Array,
    places: ReadonlyMap<string, ByteRange>,
    parse: (repository: string, text: Uint8Array) => IndexPackage,
  ) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#places = places;
    this.#parse = parse;
  }

  repositories(): readonly string[] {
    return [...this.#places.keys()].sort(byCodePoint);
  }

  get(repository: string): IndexPackage | undefined {
    const known = this.#parsed.get(repository);
    if (known !== undefined) return known;
    const text = this.#textOf(repository);
    if (text === undefined) return undefined;
    const parsed = this.#parse(repository, text);
    this.#parsed.set(repository, parsed);
    return parsed;
  }

  *candidates(crd: string | undefined): Iterable<readonly [string, IndexPackage]> {
    for (const repository of this.repositories()) {
      const known = this.#parsed.get(repository);
      const text = this.#textOf(repository)!;
      if (known === undefined && crd !== undefined && !mayName(text, crd)) continue;
      // Not kept: most own no such CRD, and all of them are much.
      yield [repository, known ?? this.#parse(repository, text)];
    }
  }

  #textOf(repository: string): Buffer | undefined {
    const place = this.#places.get(repository);
    return place && this.#bytes.subarray(place.from, place.to);
  }
}

/** Whether a text that is not parsed may list the CRD; an escape could spell anything. */
function mayName(text: Buffer, crd: string): boolean {
  return [crd, '\\', '"xrds"', '"objects"'].some((part) => text.includes(part));
}
