/** Compares two strings by code point, as Go and YAML tools do. Does not depend on the locale. */
export function byCodePoint(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  for (let i = 0; i < shorter; i++) {
    const difference = rank(a.charCodeAt(i)) - rank(b.charCodeAt(i));
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** In UTF-16, surrogates are below U+E000 although they encode the highest code points. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit;
}

/** Returns the value of a key. If there is none yet, adds and returns what `make` returns. */
export function getOrCreate<K, V>(
  map: { get(key: K): V | undefined; set(key: K, value: V): unknown },
  key: K,
  make: (key: K) => V,
): V {
  const existing = map.get(key);
  if (existing !== undefined) return existing;
  const created = make(key);
  map.set(key, created);
  return created;
}

/** Groups items by key, in the order of the first item of each group. */
export function groupBy<T, K>(
  items: Iterable<T>,
  keyOf: (item: T, index: number) => K,
): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  let index = 0;
  for (const item of items) getOrCreate(groups, keyOf(item, index++), () => []).push(item);
  return groups;
}

/** Part number `index`, from 1, of work that is split into `of` parts. */
export interface Shard {
  readonly index: number;
  readonly of: number;
}

/** Returns every n-th item: neighbors often cost alike, so all parts take about as long. */
export function interleavedShard<T>(items: readonly T[], { index, of }: Shard): readonly T[] {
  return items.filter((_, place) => place % of === index - 1);
}

/** Returns a contiguous part of the items, for work in which neighbors share results. */
export function contiguousShard<T>(items: readonly T[], { index, of }: Shard): readonly T[] {
  const from = (place: number) => Math.floor((items.length * place) / of);
  return items.slice(from(index - 1), from(index));
}

/** Runs `work` for each value, at most `limit` at a time. Keeps the order of the values. */
export async function inParallel<T, R>(
  values: readonly T[],
  limit: number,
  work: (value: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const entries = values.entries();
  const worker = async () => {
    for (const [i, value] of entries) results[i] = await work(value);
  };
  await Promise.all(Array.from({ length: Math.min(limit, values.length) }, worker));
  return results;
}

/** Tarjan's algorithm without recursion: each component follows those that it leads to. */
export function stronglyConnectedComponents<Node>(
  graph: ReadonlyMap<Node, readonly Node[]>,
): Node[][] {
  const index = new Map<Node, number>();
  const low = new Map<Node, number>();
  const pending: Node[] = [];
  const isPending = new Set<Node>();
  const components: Node[][] = [];
  const enter = (node: Node) => {
    index.set(node, index.size);
    low.set(node, index.get(node)!);
    pending.push(node);
    isPending.add(node);
    return { node, successors: [...graph.get(node)!] };
  };
  const reach = (node: Node, rank: number) => low.set(node, Math.min(low.get(node)!, rank));
  for (const start of graph.keys()) {
    const path = index.has(start) ? [] : [enter(start)];
    while (path.length > 0) {
      const { node, successors } = path.at(-1)!;
      const next = successors.pop();
      if (next === undefined) {
        path.pop();
        const parent = path.at(-1)?.node;
        if (parent !== undefined) reach(parent, low.get(node)!);
        if (low.get(node) === index.get(node)) {
          const members = pending.splice(pending.lastIndexOf(node));
          for (const member of members) isPending.delete(member);
          components.push(members);
        }
      } else if (!index.has(next)) path.push(enter(next));
      else if (isPending.has(next)) reach(node, index.get(next)!);
    }
  }
  return components;
}

/** Returns an integer in [0, below). The same seed gives the same sequence on every machine. */
export type Draw = (below: number) => number;

/** Mulberry32: a small generator, good enough for test cases. */
export function seededDraw(seed: number): Draw {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

/** Caches values up to a total weight. The values that were used last stay. */
export class BoundedCache<T> {
  readonly #maxWeight: number;
  readonly #entries = new Map<string, { readonly value: T; readonly weight: number }>();
  #weight = 0;

  constructor(maxWeight: number) {
    this.#maxWeight = maxWeight;
  }

  get(key: string): T | undefined {
    return this.#entries.get(key)?.value;
  }

  getOrCreate(key: string, weight: number, create: () => T): T {
    const entry = this.#entries.get(key) ?? { value: create(), weight };
    // Moves the entry to the end, so that the map is in the order of use.
    if (!this.#entries.delete(key)) this.#weight += weight;
    this.#entries.set(key, entry);
    for (const [oldest, { weight: freed }] of this.#entries) {
      if (this.#weight <= this.#maxWeight || oldest === key) break;
      this.#entries.delete(oldest);
      this.#weight -= freed;
    }
    return entry.value;
  }
}
