import type { JsonValue } from '../../base/json.js';
import type { LocalRoot, Request, Root } from '../../project/inputs/request.js';
import type { FactVersions, NamedFact } from '../../resolver/explain/refusal.js';

/** A version of a universe. */
export interface UniverseVersion {
  readonly repository: string;
  readonly tag: string;
  /** Names of the version in facts: its tag, and its digest if it is known. */
  readonly names: readonly (string | undefined)[];
}

/**
 * Versions of some packages that conflict with each other, for any reason. A universe expresses the
 * conflict by an additional package: each member requires it but excludes one of its versions, so
 * that all members together exclude every version.
 */
interface Conflict {
  /** The additional package. */
  readonly repository: string;
  readonly members: readonly FactVersions[];
}

/** Lookups in the facts of an explanation. */
export class CoreFacts {
  readonly conflicts: readonly Conflict[];
  readonly #facts: readonly NamedFact[];

  constructor(facts: readonly NamedFact[]) {
    this.#facts = facts;
    this.conflicts = facts.flatMap((fact, n) => {
      const members = membersOf(fact);
      return members ? [{ repository: `core.example.org/clash/number-${n}`, members }] : [];
    });
  }

  isRejected(one: UniverseVersion): boolean {
    return this.#facts.some((fact) => fact.fact === 'rejected' && covers(fact.of, one));
  }

  isMissing(one: UniverseVersion): boolean {
    return this.#facts.some((fact) => fact.fact === 'missing' && covers(fact.of, one));
  }

  /** Returns whether a fact states that no published version of a repository is suitable. */
  isUnsatisfiable(repository: string): boolean {
    return this.#facts.some((fact) => 'isVain' in fact && fact.isVain && fact.on === repository);
  }

  constrainsCrossplane(one: UniverseVersion): boolean {
    return this.#facts.some(
      (fact) => fact.fact === 'crossplane' && 'repository' in fact.by && covers(fact.by, one),
    );
  }

  /** `constraint` is undefined if the target cannot read the entry. */
  requires(one: UniverseVersion, on: string | undefined, constraint: string | undefined): boolean {
    return this.#facts.some(
      (fact) =>
        fact.fact === 'requires' &&
        covers(fact.by, one) &&
        fact.on === on &&
        fact.constraint === constraint,
    );
  }

  /**
   * Returns whether a root requirement is named. `place` is its index among all root requirements.
   */
  namesRoot(place: number): boolean {
    return this.#facts.some((fact) => fact.fact === 'root' && fact.by.root === place);
  }

  /** Returns whether the Crossplane constraint of a package under development is named. */
  namesCrossplaneOfRoot(place: number): boolean {
    return this.#facts.some(
      (fact) => fact.fact === 'crossplane' && 'root' in fact.by && fact.by.root === place,
    );
  }

  /** Returns versions that the user excludes or that a policy forbids. */
  excluded(): readonly FactVersions[] {
    return this.#facts.flatMap((fact) => {
      if (fact.fact === 'excluded') return [fact.of];
      return fact.fact === 'ruled-out' && !fact.isWhole ? [fact.of] : [];
    });
  }

  /** Returns repositories that a policy forbids in all versions. */
  forbidden(): readonly string[] {
    return this.#facts.flatMap((fact) =>
      fact.fact === 'ruled-out' && fact.isWhole ? [fact.of.repository] : [],
    );
  }
}

/** Returns whether the versions of a fact include a version. */
export function covers({ repository, versions }: FactVersions, one: UniverseVersion): boolean {
  return repository === one.repository && versions.some((version) => one.names.includes(version));
}

/** Returns the packages of a conflict; roots are left out because they are always present. */
function membersOf(fact: NamedFact): readonly FactVersions[] | undefined {
  if (fact.fact === 'owns') return [fact.one, fact.other].filter((party) => 'repository' in party);
  if (fact.fact === 'kind') return [fact.by, fact.on].filter((party) => 'repository' in party);
  return fact.fact === 'cycle' ? fact.members : undefined;
}

/** Reduces a request to the roots, exclusions and policies that the facts name. */
export function coreRequest(
  given: Request,
  facts: CoreFacts,
  withActualKind: (entry: JsonValue) => JsonValue,
): Request {
  const { crossplane: _, ...request } = given;
  const roots: Root[] = [];
  let place = 0;
  for (const [n, root] of request.roots.entries()) {
    if (root.root === 'local') roots.push(coreLocal(root, place, facts, withActualKind));
    else if (facts.namesRoot(place)) roots.push(coreRoot(root, n));
    place += requirementCount(root);
  }
  const origin = { file: 'core' };
  const exclude = facts
    .excluded()
    .flatMap(({ repository, versions }) =>
      versions.map((version) => ({ repository, version, origin })),
    );
  const deny = facts.forbidden().map((packages) => ({ packages, version: undefined, origin }));
  return { ...request, roots, exclude, policies: deny.length > 0 ? [{ deny }] : [] };
}

/** A root for an API requires the API of `coreApi`, which `coreUniverse` adds to the owners. */
function coreRoot(root: Exclude<Root, LocalRoot>, n: number): Root {
  return root.root === 'package'
    ? { ...root, kind: undefined }
    : { ...root, demand: { ...coreApi(n), version: undefined } };
}

/** `place` is the index of the first requirement of the root. */
function coreLocal(
  root: LocalRoot,
  place: number,
  facts: CoreFacts,
  withActualKind: (entry: JsonValue) => JsonValue,
): LocalRoot {
  const { crossplane, dependsOn } = root;
  const first = place + requirementCount(root) - dependsOn.length;
  return {
    ...root,
    crossplane: facts.namesCrossplaneOfRoot(place) ? crossplane : undefined,
    dependsOn: dependsOn
      .filter((_, n) => facts.namesRoot(first + n))
      .map(({ entry, origin }) => ({ entry: withActualKind(entry), origin })),
    objects: [],
  };
}

/** Returns the number of requirements of a root, as facts count them. */
function requirementCount(root: Root): number {
  if (root.root !== 'local') return 1;
  const { crossplane, objects, dependsOn } = root;
  return (crossplane === undefined ? 0 : 1) + (objects.length > 0 ? 1 : 0) + dependsOn.length;
}

/** Returns a fictional API that replaces the API of the nth root. */
export function coreApi(n: number): { readonly group: string; readonly kind: string } {
  return { group: 'core.example.org', kind: `Api${n}` };
}
