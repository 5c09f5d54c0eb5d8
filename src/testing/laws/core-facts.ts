import type { FactVersions, NamedFact } from '../../explain/named-fact.js';

/** A version of a universe. */
export interface UniverseVersion {
  readonly repository: string;
  readonly tag: string;
  /** What facts may call it: its tag, and its digest where it is known. */
  readonly names: readonly (string | undefined)[];
}

/**
 * Versions of some packages that cannot all be installed, whatever the reason. A universe says so,
 * and nothing else, by one more package: each member requires it and refuses another version of
 * it, so that all members together refuse every version.
 */
interface Clash {
  /** The package that is added. */
  readonly repository: string;
  readonly members: readonly FactVersions[];
}

/** The facts that an explanation names, asked about one version or one root at a time. */
export class CoreFacts {
  readonly clashes: readonly Clash[];
  readonly #facts: readonly NamedFact[];

  constructor(facts: readonly NamedFact[]) {
    this.#facts = facts;
    this.clashes = facts.flatMap((fact, n) => {
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

  /** Whether a fact says that no published version of a repository meets what is required of it. */
  isVain(repository: string): boolean {
    return this.#facts.some((fact) => 'isVain' in fact && fact.isVain && fact.on === repository);
  }

  constrainsCrossplane(one: UniverseVersion): boolean {
    return this.#facts.some(
      (fact) => fact.fact === 'crossplane' && 'repository' in fact.by && covers(fact.by, one),
    );
  }

  /** `constraint` undefined: the target cannot read the entry. */
  requires(one: UniverseVersion, on: string | undefined, constraint: string | undefined): boolean {
    return this.#facts.some(
      (fact) =>
        fact.fact === 'requires' &&
        covers(fact.by, one) &&
        fact.on === on &&
        fact.constraint === constraint,
    );
  }

  /** Whether a root requirement is named; `place`: its place among those of all roots. */
  namesRoot(place: number): boolean {
    return this.#facts.some((fact) => fact.fact === 'root' && fact.by.root === place);
  }

  /** Whether the Crossplane constraint of a package under development is named. */
  namesCrossplaneOfRoot(place: number): boolean {
    return this.#facts.some(
      (fact) => fact.fact === 'crossplane' && 'root' in fact.by && fact.by.root === place,
    );
  }

  /** Versions that the user excludes, or a policy forbids. */
  excluded(): readonly FactVersions[] {
    return this.#facts.flatMap((fact) => {
      if (fact.fact === 'excluded') return [fact.of];
      return fact.fact === 'ruled-out' && !fact.isWhole ? [fact.of] : [];
    });
  }

  /** Repositories that no version of may be chosen, by a policy. */
  forbidden(): readonly string[] {
    return this.#facts.flatMap((fact) =>
      fact.fact === 'ruled-out' && fact.isWhole ? [fact.of.repository] : [],
    );
  }
}

/** Whether the versions of a fact include this one. */
export function covers({ repository, versions }: FactVersions, one: UniverseVersion): boolean {
  return repository === one.repository && versions.some((version) => one.names.includes(version));
}

/** What cannot be installed together; roots are always there, and are left out. */
function membersOf(fact: NamedFact): FactVersions[] | undefined {
  switch (fact.fact) {
    case 'owns':
      return [fact.one, fact.other].filter((party) => 'repository' in party);
    case 'kind':
      return [fact.by, fact.on].filter((party) => 'repository' in party);
    case 'cycle':
      return [...fact.members];
    case 'root':
    case 'requires':
    case 'provides':
    case 'crossplane':
    case 'missing':
    case 'rejected':
    case 'excluded':
    case 'ruled-out':
    case 'no-others':
      return undefined;
  }
}
