import type { PackageKind, Repository } from '../model/package.js';
import type { RulingKind } from '../model/policy/ruling.js';
import type { Fact } from '../solver/fact.js';
import type { Term } from '../solver/incompatibility.js';
import { PRESENT } from '../solver/encoder/policies.js';
import { factKey, isDebatable, subjectName } from '../solver/fact-key.js';
import type { RootRequirement } from '../solver/problem.js';
import type { Proof } from '../solver/search-result.js';
import { proofFacts } from './proof-facts.js';

/** One of the facts that an explanation rests on, for programs. */
export type NamedFact = FactStatement & {
  /** Equal for facts that stand or fall together. */
  readonly key: string;
  /** The user or a publisher can change it; what does not exist, they cannot change. */
  readonly isDebatable: boolean;
};

/** Versions of a package, each a tag or a digest. */
export interface FactVersions {
  readonly repository: Repository;
  readonly versions: readonly string[];
}

/** Something a root asks for: its place among all that the roots ask for, in their order. */
export interface RequirementPlace {
  readonly root: number;
}

/** What a fact says. */
export type FactStatement =
  | {
      readonly fact: 'root';
      readonly by: RequirementPlace;
      readonly on: string;
      /** No version that there is would do. */
      readonly isVain: boolean;
    }
  | {
      readonly fact: 'requires';
      readonly by: FactVersions;
      readonly on: string;
      /** What dependsOn says; undefined: it names a CRD. */
      readonly constraint: string | undefined;
      readonly isVain: boolean;
    }
  | { readonly fact: 'provides'; readonly by: FactVersions; readonly api: string }
  | {
      readonly fact: 'crossplane';
      readonly by: FactVersions | RequirementPlace;
      readonly constraint: string;
    }
  /** `objects`: what both would own, each as `crd:NAME`, `composition:NAME` and so on. */
  | {
      readonly fact: 'owns';
      readonly one: FactVersions | RequirementPlace;
      readonly other: FactVersions | RequirementPlace;
      readonly objects: readonly string[];
    }
  | {
      readonly fact: 'kind';
      readonly by: FactVersions | RequirementPlace;
      readonly on: FactVersions;
      readonly wanted: PackageKind;
    }
  | { readonly fact: 'missing' | 'rejected' | 'excluded'; readonly of: FactVersions }
  /** `isWhole`: no version may be chosen, whether it is known or not. */
  | {
      readonly fact: 'ruled-out';
      readonly by: RulingKind;
      readonly of: FactVersions;
      readonly isWhole: boolean;
    }
  | { readonly fact: 'no-others'; readonly of: string }
  | { readonly fact: 'cycle'; readonly members: readonly FactVersions[] };

/** What a proof rests on, each fact once for each set of versions it is about. */
export function namedFacts(proof: Proof): NamedFact[] {
  const { encoder } = proof;
  return proofFacts(proof).map((fact) => ({
    ...statement(fact, encoder),
    key: factKey(fact, encoder),
    isDebatable: isDebatable(fact),
  }));
}

function statement(fact: Fact, encoder: Proof['encoder']): FactStatement {
  const name = (variable: number) => subjectName(encoder.subject(variable), encoder);
  const versions = (some: Term) => versionsOf(some, encoder);
  const place = (root: RootRequirement): RequirementPlace => ({
    root: encoder.rootIndex(root),
  });
  const speaker = (by: Term | RootRequirement) => ('values' in by ? versions(by) : place(by));
  switch (fact.fact) {
    case 'root':
      return {
        fact: 'root',
        by: place(fact.root),
        on: name(fact.on.variable),
        isVain: fact.on.values.isEmpty,
      };
    case 'root-api':
      return { fact: 'root', by: place(fact.root), on: name(fact.on), isVain: false };
    case 'requires': {
      const { by, on, constraint } = fact;
      const isVain = on.values.isEmpty;
      return { fact: 'requires', by: versions(by), on: name(on.variable), constraint, isVain };
    }
    case 'requires-api': {
      const on = name(fact.on);
      return { fact: 'requires', by: versions(fact.by), on, constraint: undefined, isVain: false };
    }
    case 'provides':
      return { fact: 'provides', by: versions(fact.by), api: name(fact.api.variable) };
    case 'crossplane':
      return { fact: 'crossplane', by: speaker(fact.by), constraint: fact.constraint };
    case 'owns': {
      const { one, other } = fact;
      const objects = encoder.ownership.shared(one, other);
      return { fact: 'owns', one: owner(one, encoder), other: owner(other, encoder), objects };
    }
    case 'kind': {
      const { by, on, wanted } = fact;
      return { fact: 'kind', by: speaker(by), on: versions(on), wanted };
    }
    case 'missing':
    case 'rejected':
    case 'excluded':
      return { fact: fact.fact, of: versions(fact.of) };
    case 'ruled-out': {
      const isWhole = fact.of.values.equals(PRESENT);
      return { fact: 'ruled-out', by: fact.ruling.by, of: versions(fact.of), isWhole };
    }
    case 'no-others':
      return { fact: 'no-others', of: name(fact.variable) };
    case 'cycle':
      return { fact: 'cycle', members: fact.members.map(versions) };
  }
}

function owner(some: Term, encoder: Proof['encoder']): FactVersions | RequirementPlace {
  const subject = encoder.subject(some.variable);
  if (subject.about === 'local') return { root: encoder.rootIndex(subject.root) };
  return versionsOf(some, encoder);
}

function versionsOf({ variable, values }: Term, encoder: Proof['encoder']): FactVersions {
  const subject = encoder.subject(variable);
  if (subject.about !== 'package') throw new Error(`${subject.about} has no versions`);
  const { repository, versions } = subject;
  const within = versions.all().filter((value) => values.has(value));
  return { repository, versions: within.map((value) => versions.label(value)) };
}
