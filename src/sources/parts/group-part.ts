import type { Repository } from '../../model/package.js';
import { fieldsOf, listOf, parseJson } from '../../text/json.js';
import { byCodePoint } from '../../text/code-point-order.js';
import { formatMapping } from './parts-format.js';
import type { GroupApis } from './package-apis.js';

/** Who may own the CRDs of an API group, and who may define its kinds. */
export class GroupPart {
  readonly group: string;
  readonly #crds: Map<string, Set<Repository>>;
  readonly #kinds: Map<string, Set<Repository>>;

  constructor(
    group: string,
    crds: Map<string, Set<Repository>> = new Map(),
    kinds: Map<string, Set<Repository>> = new Map(),
  ) {
    this.group = group;
    this.#crds = crds;
    this.#kinds = kinds;
  }

  /** undefined: not the part of this group. */
  static from(bytes: Uint8Array, group: string): GroupPart | undefined {
    const fields = fieldsOf(parseJson(bytes)?.value);
    const [crds, kinds] = [ownersFrom(fields?.get('crds')), ownersFrom(fields?.get('kinds'))];
    if (fields?.get('group') !== group || crds === undefined || kinds === undefined) {
      return undefined;
    }
    return new GroupPart(group, crds, kinds);
  }

  get isEmpty(): boolean {
    return this.#crds.size + this.#kinds.size === 0;
  }

  /** Who may own a CRD, in any order. */
  byCrd(name: string): readonly Repository[] {
    return [...(this.#crds.get(name) ?? [])];
  }

  byKind(kind: string): readonly Repository[] {
    return [...(this.#kinds.get(kind) ?? [])];
  }

  all(): readonly Repository[] {
    return [...this.#crds.values(), ...this.#kinds.values()].flatMap((owners) => [...owners]);
  }

  remove(repository: Repository, { crds, kinds }: GroupApis): void {
    for (const [owners, names] of [
      [this.#crds, crds],
      [this.#kinds, kinds],
    ] as const) {
      for (const name of names) {
        owners.get(name)?.delete(repository);
        if (owners.get(name)?.size === 0) owners.delete(name);
      }
    }
  }

  add(repository: Repository, { crds, kinds }: GroupApis): void {
    for (const [owners, names] of [
      [this.#crds, crds],
      [this.#kinds, kinds],
    ] as const) {
      for (const name of names) owners.set(name, (owners.get(name) ?? new Set()).add(repository));
    }
  }

  format(): string {
    const group = JSON.stringify(this.group);
    return `{"group":${group},"crds":${formatOwners(this.#crds)},"kinds":${formatOwners(this.#kinds)}}\n`;
  }
}

function formatOwners(owners: ReadonlyMap<string, ReadonlySet<Repository>>): string {
  return formatMapping([...owners].map(([name, by]) => [name, [...by].sort(byCodePoint)]));
}

function ownersFrom(value: unknown): Map<string, Set<Repository>> | undefined {
  const fields = fieldsOf(value);
  if (fields === undefined) return undefined;
  const owners = new Map<string, Set<Repository>>();
  for (const [name, listed] of fields) {
    const repositories = stringsFrom(listed);
    if (repositories === undefined) return undefined;
    owners.set(name, new Set(repositories));
  }
  return owners;
}

/** undefined: not a list of strings. */
export function stringsFrom(value: unknown): readonly string[] | undefined {
  const list = listOf(value);
  return list?.every((item) => typeof item === 'string') === true ? list : undefined;
}
