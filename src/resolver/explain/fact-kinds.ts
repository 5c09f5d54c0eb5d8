import {
  type CoreKind,
  type FactStatement,
  type FactVersions,
  type NamedFact,
  type RequirementPlace,
} from './refusal.js';
import {
  requesterText,
  exclusionText,
  firstError,
  firstErrorText,
  ownershipText,
  rulingText,
  wantedText,
} from './fact-clause.js';
import { labelsOf, type NounPhrases } from './noun-phrases.js';
import { packageOf, proofFacts } from './proof-facts.js';
import { isDigest } from '../../base/digest.js';
import { formatOrigin, type Origin } from '../../base/errors.js';
import { selectorOf, selectorText } from '../../crossplane/constraints/constraint.js';
import { API_REFUSED } from '../../crossplane/packages/api-rules.js';
import { formatCrdRef } from '../../crossplane/packages/crd-ref.js';
import type { Encoder } from '../solver/encoder.js';
import {
  type Fact,
  factKey,
  type FactOf,
  isRemovable,
  type Term,
  type Variable,
} from '../solver/incompatibility.js';
import type { RootRequirement } from '../solver/problem.js';
import { ANY_VERSION } from '../solver/published-versions.js';
import type { Proof } from '../solver/search-result.js';

/** Positions that presentation order depends on. */
interface Positions {
  /** Number of steps from the roots to a package. */
  readonly distance: (variable: Variable) => number;
  readonly rootIndex: (root: RootRequirement) => number;
}

/** How one kind of fact is presented. */
interface FactPresentation<F extends Fact> {
  /** A clause that can follow "because"; undefined: too obvious to print. */
  clause(fact: F, nouns: NounPhrases): string | undefined;
  /** Sort key among the facts of an explanation; undefined: after those that have one. */
  order?(fact: F, positions: Positions): readonly number[];
  coreKind(fact: F, encoder: Encoder): CoreKind;
  /** The fact as plain data. */
  statement(fact: F, encoder: Encoder): FactStatement;
  /** Packages that the fact is about, without APIs and Crossplane. */
  packages(fact: F): readonly Variable[];
  /** The fact alone makes something unsatisfiable. */
  isUnmet(fact: F, encoder: Encoder): boolean;
  /** The package that states the fact; undefined: no package does. */
  claimant?(fact: F): Term | undefined;
  /** Where the user wrote it; undefined: the fact is not the user's. */
  origin?(fact: F): Origin | undefined;
}

const PRESENTATIONS: { readonly [Kind in Fact['fact']]: FactPresentation<FactOf<Kind>> } = {
  root: {
    clause: ({ root, on }, nouns) =>
      `${requesterText(root)} ${wantedText(on, root.selector, nouns)}`,
    order: ({ root }, { rootIndex }) => [0, rootIndex(root)],
    coreKind: ({ root, on }) => requirementKind(on, selectorText(root.selector)),
    statement: ({ root, on }, encoder) => ({
      fact: 'root',
      by: placeOf(root, encoder),
      on: encoder.nameOf(on.variable),
      isVain: on.values.isEmpty,
    }),
    packages: ({ on }) => [on.variable],
    isUnmet: ({ on }) => on.values.isEmpty,
    origin: ({ root }) => root.origin,
  },
  'root-api': {
    clause: ({ root }) => `${requesterText(root)} the API ${formatCrdRef(root.crd)}`,
    order: ({ root }, { rootIndex }) => [0, rootIndex(root)],
    coreKind: () => 'requirement',
    statement: ({ root, on }, encoder) => ({
      fact: 'root',
      by: placeOf(root, encoder),
      on: encoder.nameOf(on),
      isVain: false,
    }),
    packages: () => [],
    isUnmet: () => false,
    origin: ({ root }) => root.origin,
  },
  requires: {
    clause: ({ by, on, constraint }, nouns) =>
      `${nouns.withVerb(by, 'require')} ${wantedText(on, selectorOf(constraint), nouns)}`,
    order: ({ by }, { distance }) => [1, distance(by.variable)],
    coreKind: ({ on, constraint }) => requirementKind(on, constraint),
    statement: ({ by, on, constraint }, encoder) => ({
      fact: 'requires',
      by: versionsOf(by, encoder),
      on: encoder.nameOf(on.variable),
      constraint,
      isVain: on.values.isEmpty,
    }),
    packages: ({ by, on }) => [by.variable, on.variable],
    isUnmet: ({ on }) => on.values.isEmpty,
    claimant: ({ by }) => by,
  },
  'requires-api': {
    clause: ({ by, text }, nouns) => `${nouns.withVerb(by, 'require')} the API ${text}`,
    order: ({ by }, { distance }) => [1, distance(by.variable)],
    coreKind: () => 'requirement',
    statement: ({ by, on }, encoder) => ({
      fact: 'requires',
      by: versionsOf(by, encoder),
      on: encoder.nameOf(on),
      constraint: undefined,
      isVain: false,
    }),
    packages: ({ by }) => [by.variable],
    isUnmet: () => false,
    claimant: ({ by }) => by,
  },
  provides: {
    clause: ({ api, by }, nouns) =>
      `${nouns.withVerb(by, 'own')} ${nouns.encoder.nameOf(api.variable)}`,
    order: ({ api }, { distance }) => [1, distance(api.variable)],
    coreKind: () => 'requirement',
    statement: ({ api, by }, encoder) => ({
      fact: 'provides',
      by: versionsOf(by, encoder),
      api: encoder.nameOf(api.variable),
    }),
    packages: ({ by }) => [by.variable],
    isUnmet: () => false,
    claimant: ({ by }) => by,
  },
  crossplane: {
    clause: ({ by, constraint }, nouns) => {
      const needs =
        'values' in by ? nouns.withVerb(by, 'need') : `${by.by} (${formatOrigin(by.origin)}) needs`;
      return `${needs} Crossplane \`${constraint}\``;
    },
    order: ({ by }, { rootIndex }) => ('values' in by ? [2, 0] : [0, rootIndex(by)]),
    coreKind: () => 'crossplane',
    statement: ({ by, constraint }, encoder) => ({
      fact: 'crossplane',
      by: claimantOf(by, encoder),
      constraint,
    }),
    packages: ({ by }) => ('values' in by ? [by.variable] : []),
    isUnmet: ({ on }) => on.values.isEmpty,
    claimant: ({ by }) => ('values' in by ? by : undefined),
    origin: ({ by }) => ('values' in by ? undefined : by.origin),
  },
  owns: {
    clause: ({ one, other }, nouns) => ownershipText(one, other, nouns),
    coreKind: () => 'ownership',
    statement: ({ one, other }, encoder) => ({
      fact: 'owns',
      one: ownerOf(one, encoder),
      other: ownerOf(other, encoder),
      objects: encoder.ownership.shared(one, other),
    }),
    packages: ({ one, other }) => [one.variable, other.variable],
    isUnmet: () => false,
    claimant: ({ one }) => one,
  },
  kind: {
    clause: ({ by, on, wanted, found }, nouns) => {
      const requires = 'values' in by ? nouns.withVerb(by, 'require') : requesterText(by);
      const name = nouns.name(nouns.package(on).repository);
      return `${requires} ${name} as a ${wanted}, but ${nouns.withVerb(on, 'be')} a ${found}`;
    },
    coreKind: () => 'kind',
    statement: ({ by, on, wanted }, encoder) => ({
      fact: 'kind',
      by: claimantOf(by, encoder),
      on: versionsOf(on, encoder),
      wanted,
    }),
    packages: ({ by, on }) => [on.variable, ...('values' in by ? [by.variable] : [])],
    isUnmet: () => true,
    claimant: ({ by }) => ('values' in by ? by : undefined),
    origin: ({ by }) => ('values' in by ? undefined : by.origin),
  },
  missing: {
    clause: ({ of }, nouns) => `there is no ${nouns.anyOf(of)}`,
    coreKind: () => 'missing',
    statement: ({ of }, encoder) => ({ fact: 'missing', of: versionsOf(of, encoder) }),
    packages: ({ of }) => [of.variable],
    isUnmet: () => true,
    claimant: ({ of }) => of,
  },
  'no-others': {
    clause: ({ of }, nouns) => {
      const subject = nouns.encoder.subject(of.variable);
      if (subject.about === 'crossplane') return nouns.targetClause();
      if (subject.about !== 'api' || subject.owners.length > 0) return undefined;
      return `no package in the sources given owns ${formatCrdRef(subject.demand)}`;
    },
    coreKind: ({ of }, encoder) => (of.variable === encoder.crossplane ? 'crossplane' : 'missing'),
    statement: ({ of }, encoder) => ({ fact: 'no-others', of: encoder.nameOf(of.variable) }),
    packages: () => [],
    isUnmet: ({ of }, encoder) => encoder.subject(of.variable).about === 'api',
  },
  rejected: {
    clause: ({ of, findings }, nouns) =>
      `Crossplane would refuse ${nouns.anyOf(of)} (${firstErrorText(findings)})`,
    coreKind: ({ findings }) => (firstError(findings)?.code === API_REFUSED ? 'content' : 'source'),
    statement: ({ of }, encoder) => ({ fact: 'rejected', of: versionsOf(of, encoder) }),
    packages: ({ of }) => [of.variable],
    isUnmet: () => true,
    claimant: ({ of }) => of,
  },
  excluded: {
    clause: ({ of, rule }, nouns) =>
      `${nouns.allOf(of)} ${exclusionText(rule, nouns.isMany(of), nouns)}`,
    coreKind: () => 'requirement',
    statement: ({ of }, encoder) => ({ fact: 'excluded', of: versionsOf(of, encoder) }),
    packages: ({ of }) => [of.variable],
    isUnmet: () => true,
    origin: ({ rule }) => rule.origin,
  },
  'ruled-out': {
    clause: ({ of, ruling }, nouns) => `${nouns.allOf(of)} ${rulingText(ruling, nouns.isMany(of))}`,
    coreKind: () => 'policy',
    statement: ({ of, ruling }, encoder) => ({
      fact: 'ruled-out',
      by: ruling.by,
      of: versionsOf(of, encoder),
      isWhole: of.values.equals(ANY_VERSION),
    }),
    packages: ({ of }) => [of.variable],
    isUnmet: () => true,
    origin: ({ ruling }) => ruling.origin,
  },
  cycle: {
    clause: ({ members }, nouns) => `${cycleText(members, nouns)}: a cycle`,
    coreKind: () => 'cycle',
    statement: ({ members }, encoder) => ({
      fact: 'cycle',
      members: members.map((member) => versionsOf(member, encoder)),
    }),
    packages: ({ members }) => members.map(({ variable }) => variable),
    isUnmet: () => true,
    claimant: ({ members }) => members[0],
  },
};

/** Returns how the facts of one kind are presented. */
export function presentationOf<F extends Fact>(fact: F): FactPresentation<F> {
  return PRESENTATIONS[fact.fact] as unknown as FactPresentation<F>; // the record of its own kind
}

/** Returns a fact as a clause that can follow "because"; undefined: too obvious to print. */
export function factClause(fact: Fact, nouns: NounPhrases): string | undefined {
  return presentationOf(fact).clause(fact, nouns);
}

/** Returns the packages that a fact is about, without APIs and Crossplane. */
export function variablesIn(fact: Fact): readonly Variable[] {
  return presentationOf(fact).packages(fact);
}

/** Returns the facts of a proof as plain data, each once for each set of versions it is about. */
export function namedFacts(proof: Proof): NamedFact[] {
  const { encoder } = proof;
  return proofFacts(proof).map((fact) => ({
    ...presentationOf(fact).statement(fact, encoder),
    key: factKey(fact, encoder),
    isDebatable: isRemovable(fact),
  }));
}

function requirementKind(on: Term, constraint: string): CoreKind {
  if (on.values.isEmpty) return 'missing';
  return isDigest(constraint) ? 'digest' : 'requirement';
}

function placeOf(root: RootRequirement, encoder: Encoder): RequirementPlace {
  return { root: encoder.rootIndex(root) };
}

function claimantOf(by: Term | RootRequirement, encoder: Encoder): FactVersions | RequirementPlace {
  return 'values' in by ? versionsOf(by, encoder) : placeOf(by, encoder);
}

function ownerOf(some: Term, encoder: Encoder): FactVersions | RequirementPlace {
  const subject = encoder.subject(some.variable);
  return subject.about === 'local' ? placeOf(subject.root, encoder) : versionsOf(some, encoder);
}

function versionsOf(term: Term, encoder: Encoder): FactVersions {
  const { repository, versions } = packageOf(term, encoder);
  return { repository, versions: labelsOf(versions, term.values) };
}

function cycleText(members: readonly Term[], nouns: NounPhrases): string {
  const [first] = members;
  if (members.length === 1) return `${nouns.anyOf(first!)} requires itself`;
  const rest = members.slice(1).map((member) => `${nouns.anyOf(member)}, which requires`);
  const again = nouns.name(nouns.package(first!).repository);
  return `${nouns.anyOf(first!)} requires ${rest.join(' ')} ${again}`;
}
