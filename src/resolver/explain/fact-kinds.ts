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
  neededCrossplane,
  notPublished,
  type PredicateContext,
  requiredText,
  conjugate,
  labelsOf,
  type NounPhrases,
  sharedObjects,
} from './fact-clause.js';
import { packageOf, proofFacts, unionOf, type Proof } from '../solver/search-result.js';
import { isDigest } from '../../base/digest.js';
import { formatOrigin, type Origin } from '../../base/errors.js';
import { selectorOf, selectorText } from '../../crossplane/constraints/constraint.js';
import { API_REFUSED } from '../../crossplane/packages/api-rules.js';
import { formatCrdRef } from '../../crossplane/packages/crd-ref.js';
import type { Subjects } from '../solver/encoder-context.js';
import {
  type Fact,
  factKey,
  type FactOf,
  isRemovable,
  type Term,
  type Variable,
} from '../solver/incompatibility.js';
import { mergedRuling, type RootRequirement, rulingKey } from '../solver/problem.js';
import { ANY_VERSION } from '../solver/published-versions.js';
import { VersionSet } from '../solver/version-set.js';

/** Positions that presentation order depends on. `distance`: number of steps from the roots. */
interface Positions extends Pick<Subjects, 'rootIndex'> {
  readonly distance: (variable: Variable) => number;
}

/** A requirement, or a reason that excludes versions: an edge of the graph of requirements. */
export interface Link {
  /** The user's requirement, or the versions of a package or of the owner of an API. */
  readonly from: Term | RootRequirement;
  /** What is required: a package, an API or Crossplane; undefined if nothing is required. */
  readonly to: Term | undefined;
  /** The constraint as written; empty if there is none. */
  readonly constraint: string;
  /** Links of one kind with the same ends share a sentence only if this is equal. */
  readonly group?: string;
}

/** How one kind of fact is presented. It either is a link, or has `nodes`. */
interface FactPresentation<F extends Fact> {
  /** A clause that can follow "because"; undefined: too obvious to print. */
  clause(fact: F, nouns: NounPhrases): string | undefined;
  /** Sort key among the facts of an explanation; undefined: after those that have one. */
  order?(fact: F, positions: Positions): readonly number[];
  /** Facts with the same key are merged; undefined: the fact is not merged. */
  mergeKey?(fact: F): string | undefined;
  /** Merges two facts with the same key. */
  merged?(a: F, b: F): F;
  coreKind(fact: F, subjects: Subjects): CoreKind;
  /** The fact as plain data. */
  statement(fact: F, subjects: Subjects): FactStatement;
  /** Packages that the fact is about, without APIs and Crossplane. */
  packages(fact: F): readonly Variable[];
  /** The package that states the fact; undefined: the one at the start of the link, if any. */
  claimant?(fact: F): Term | undefined;
  /** Where the user wrote it; undefined: where the requirement at the start of the link is. */
  origin?(fact: F): Origin | undefined;
  link?(fact: F): Link;
  /** The clause at the start of a chain of requirements; undefined: `clause`. */
  startClause?(fact: F, nouns: NounPhrases): string;
  /** The predicate of the versions at the start of links that share a sentence. */
  predicate?(facts: readonly F[], context: PredicateContext): string;
  /** The nodes that the graph of a refusal shows for a fact that is not a link. */
  nodes?(fact: F, subjects: Subjects): readonly Term[];
  /** Nodes that are unsatisfiable because of the fact alone; undefined: none is. */
  unmetNodes?(fact: F, subjects: Subjects): readonly Term[];
}

/** Common part of the facts that exclude versions. */
const exclusion = {
  statement: <Kind extends 'missing' | 'rejected' | 'excluded'>(
    { fact, of }: { readonly fact: Kind; readonly of: Term },
    subjects: Subjects,
  ) => ({ fact, of: versionsOf(of, subjects) }),
  packages: ({ of }: { readonly of: Term }) => [of.variable],
  link: ({ of }: { readonly of: Term }): Link => ({ from: of, to: undefined, constraint: '' }),
};

const PRESENTATIONS: { readonly [Kind in Fact['fact']]: FactPresentation<FactOf<Kind>> } = {
  root: {
    clause: ({ root, on }, nouns) =>
      `${requesterText(root)} ${wantedText(on, root.selector, nouns)}`,
    order: ({ root }, { rootIndex }) => [0, rootIndex(root)],
    coreKind: ({ root, on }) => requirementKind(on, selectorText(root.selector)),
    statement: ({ root, on }, subjects) => ({
      fact: 'root',
      by: placeOf(root, subjects),
      on: subjects.nameOf(on.variable),
      isVain: on.values.isEmpty,
    }),
    packages: ({ on }) => [on.variable],
    link: ({ root, on }) => ({ from: root, to: on, constraint: selectorText(root.selector) }),
  },
  'root-api': {
    clause: ({ root }) => `${requesterText(root)} the API ${formatCrdRef(root.crd)}`,
    order: ({ root }, { rootIndex }) => [0, rootIndex(root)],
    coreKind: () => 'requirement',
    statement: ({ root, on }, subjects) => ({
      fact: 'root',
      by: placeOf(root, subjects),
      on: subjects.nameOf(on),
      isVain: false,
    }),
    packages: () => [],
    link: ({ root, on }) => ({ from: root, to: anyOwner(on), constraint: formatCrdRef(root.crd) }),
  },
  requires: {
    clause: ({ by, on, constraint }, nouns) =>
      `${nouns.withVerb(by, 'require')} ${wantedText(on, selectorOf(constraint), nouns)}`,
    order: ({ by }, { distance }) => [1, distance(by.variable)],
    coreKind: ({ on, constraint }) => requirementKind(on, constraint),
    statement: ({ by, on, constraint }, subjects) => ({
      fact: 'requires',
      by: versionsOf(by, subjects),
      on: subjects.nameOf(on.variable),
      constraint,
      isVain: on.values.isEmpty,
    }),
    packages: ({ by, on }) => [by.variable, on.variable],
    mergeKey: ({ by, on, constraint }) => `${by.variable} ${on.variable} ${constraint}`,
    merged: (a, b) => ({ ...a, by: unionOf(a.by, b.by) }),
    // If no version satisfies the constraint, the text explains that constraint.
    link: ({ by, on, constraint }) => ({
      from: by,
      to: on,
      constraint,
      group: on.values.isEmpty ? constraint : '',
    }),
    predicate: (facts, context) =>
      `${conjugate('require', context.isMany)} ${requiredText(facts, context)}`,
  },
  'requires-api': {
    clause: ({ by, text }, nouns) => `${nouns.withVerb(by, 'require')} the API ${text}`,
    order: ({ by }, { distance }) => [1, distance(by.variable)],
    coreKind: () => 'requirement',
    statement: ({ by, on }, subjects) => ({
      fact: 'requires',
      by: versionsOf(by, subjects),
      on: subjects.nameOf(on),
      constraint: undefined,
      isVain: false,
    }),
    packages: ({ by }) => [by.variable],
    link: ({ by, on, text }) => ({ from: by, to: anyOwner(on), constraint: text }),
    predicate: ([fact], { isMany }) => `${conjugate('require', isMany)} the API ${fact!.text}`,
  },
  provides: {
    clause: ({ api, by }, nouns) =>
      `${nouns.withVerb(by, 'own')} ${nouns.subjects.nameOf(api.variable)}`,
    order: ({ api }, { distance }) => [1, distance(api.variable)],
    coreKind: () => 'requirement',
    statement: ({ api, by }, subjects) => ({
      fact: 'provides',
      by: versionsOf(by, subjects),
      api: subjects.nameOf(api.variable),
    }),
    packages: ({ by }) => [by.variable],
    claimant: ({ by }) => by,
    link: ({ api, by }) => ({ from: api, to: by, constraint: '' }),
  },
  crossplane: {
    clause: ({ by, constraint }, nouns) => `${needsText(by, nouns)} Crossplane \`${constraint}\``,
    order: ({ by }, { rootIndex }) => ('values' in by ? [2, 0] : [0, rootIndex(by)]),
    coreKind: () => 'crossplane',
    statement: ({ by, constraint }, subjects) => ({
      fact: 'crossplane',
      by: claimantPlace(by, subjects),
      constraint,
    }),
    packages: ({ by }) => ('values' in by ? [by.variable] : []),
    mergeKey: ({ by, constraint }) => ('values' in by ? `${by.variable} ${constraint}` : undefined),
    merged: (a, b) =>
      'values' in a.by && 'values' in b.by ? { ...a, by: unionOf(a.by, b.by) } : a,
    link: ({ by, on, constraint }) => ({ from: by, to: on, constraint }),
    startClause: (fact, nouns) =>
      `${needsText(fact.by, nouns)} Crossplane ${neededCrossplane([fact], nouns)}`,
    predicate: (facts, { isMany, nouns }) =>
      `${conjugate('need', isMany)} Crossplane ${neededCrossplane(facts, nouns)}`,
  },
  owns: {
    clause: ({ one, other }, nouns) => ownershipText(one, other, nouns),
    coreKind: () => 'ownership',
    statement: ({ one, other }, subjects) => ({
      fact: 'owns',
      one: claimantPlace(one, subjects),
      other: claimantPlace(other, subjects),
      objects: sharedObjects(one, other, subjects).map(({ key }) => key),
    }),
    packages: ({ one, other }) => [one.variable, other.variable],
    claimant: ({ one }) => one,
    nodes: ({ one, other }) => [one, other],
  },
  kind: {
    clause: ({ by, on, wanted, found }, nouns) => {
      const requires = 'values' in by ? nouns.withVerb(by, 'require') : requesterText(by);
      const name = nouns.name(nouns.package(on).repository);
      return `${requires} ${name} as a ${wanted}, but ${nouns.withVerb(on, 'be')} a ${found}`;
    },
    coreKind: () => 'kind',
    statement: ({ by, on, wanted }, subjects) => ({
      fact: 'kind',
      by: claimantPlace(by, subjects),
      on: versionsOf(on, subjects),
      wanted,
    }),
    packages: ({ by, on }) => [on.variable, ...('values' in by ? [by.variable] : [])],
    claimant: ({ by }) => ('values' in by ? by : undefined),
    origin: ({ by }) => ('values' in by ? undefined : by.origin),
    nodes: ({ on }) => [on],
    unmetNodes: ({ on }) => [on],
  },
  missing: {
    ...exclusion,
    clause: ({ of }, nouns) => `there is no ${nouns.anyOf(of)}`,
    coreKind: () => 'missing',
    predicate: (_, { by, isMany, nouns }) => notPublished(by, isMany, nouns),
  },
  'no-others': {
    clause: ({ of }, nouns) => {
      const subject = nouns.subjects.subject(of.variable);
      if (subject.about === 'crossplane') return nouns.targetClause();
      if (subject.about !== 'api' || subject.owners.length > 0) return undefined;
      return `no package in the sources given owns ${formatCrdRef(subject.crdRef)}`;
    },
    coreKind: ({ of }, subjects) =>
      of.variable === subjects.crossplane ? 'crossplane' : 'missing',
    statement: ({ of }, subjects) => ({ fact: 'no-others', of: subjects.nameOf(of.variable) }),
    packages: () => [],
    nodes: ({ of }, subjects) =>
      ['api', 'crossplane'].includes(subjects.subject(of.variable).about) ? [of] : [],
    unmetNodes: ({ of }, subjects) => (subjects.subject(of.variable).about === 'api' ? [of] : []),
  },
  rejected: {
    ...exclusion,
    clause: ({ of, findings }, nouns) =>
      `Crossplane would refuse ${nouns.anyOf(of)} (${firstErrorText(findings)})`,
    coreKind: ({ findings }) => (firstError(findings)?.code === API_REFUSED ? 'content' : 'source'),
    predicate: ([fact], { isMany }) => {
      // The rest of the message is advice to the author of the package.
      const [reason] = firstErrorText(fact!.findings).split('; ');
      return `${conjugate('be', isMany)} refused by Crossplane (${reason!})`;
    },
  },
  excluded: {
    ...exclusion,
    clause: ({ of, rule }, nouns) =>
      `${nouns.allOf(of)} ${exclusionText(rule, nouns.isMany(of), nouns)}`,
    coreKind: () => 'requirement',
    origin: ({ rule }) => rule.origin,
    mergeKey: ({ of, rule }) =>
      rule.drops === undefined ? undefined : `${of.variable} ${rule.drops}`,
    merged: (a, b) => ({ ...a, of: unionOf(a.of, b.of) }),
    predicate: ([fact], { isMany, nouns }) => exclusionText(fact!.rule, isMany, nouns),
  },
  'ruled-out': {
    ...exclusion,
    clause: ({ of, ruling }, nouns) => `${nouns.allOf(of)} ${rulingText(ruling, nouns.isMany(of))}`,
    coreKind: () => 'policy',
    statement: ({ of, ruling }, subjects) => ({
      fact: 'ruled-out',
      by: ruling.by,
      of: versionsOf(of, subjects),
      isWhole: of.values.equals(ANY_VERSION),
    }),
    origin: ({ ruling }) => ruling.origin,
    mergeKey: ({ of, ruling }) => `${of.variable} ${rulingKey(ruling)}`,
    merged: (a, b) => ({
      ...a,
      of: unionOf(a.of, b.of),
      ruling: mergedRuling(a.ruling, b.ruling),
    }),
    link: ({ of, ruling }) => ({ ...exclusion.link({ of }), group: rulingKey(ruling) }),
    predicate: ([fact], { isMany }) => rulingText(fact!.ruling, isMany),
  },
  cycle: {
    clause: ({ members }, nouns) => `${cycleText(members, nouns)}: a cycle`,
    coreKind: () => 'cycle',
    statement: ({ members }, subjects) => ({
      fact: 'cycle',
      members: members.map((member) => versionsOf(member, subjects)),
    }),
    packages: ({ members }) => members.map(({ variable }) => variable),
    claimant: ({ members }) => members[0],
    nodes: ({ members }) => members,
    unmetNodes: ({ members }) => members,
  },
};

/** Returns how the facts of one kind are presented. */
export function presentationOf<F extends Fact>(fact: F): FactPresentation<F> {
  return PRESENTATIONS[fact.fact] as unknown as FactPresentation<F>; // the record of its own kind
}

/** Returns the link that a fact is; undefined: it is none. */
export function linkOf(fact: Fact): Link | undefined {
  return presentationOf(fact).link?.(fact);
}

/** Returns the clause at the start of a chain of requirements. */
export function startClause(fact: Fact, nouns: NounPhrases): string {
  const presentation = presentationOf(fact);
  return presentation.startClause?.(fact, nouns) ?? presentation.clause(fact, nouns)!;
}

/** Returns the predicate of facts of one kind that share a sentence. At least one fact. */
export function predicateOf(facts: readonly Fact[], context: PredicateContext): string {
  const [first] = facts;
  const text = presentationOf(first!).predicate?.(facts, context);
  if (text === undefined) throw new Error(`a fact \`${first!.fact}\` has no predicate`);
  return text;
}

/** Returns where the user wrote a fact; undefined: the fact is not the user's. */
export function originOf(fact: Fact): Origin | undefined {
  const from = linkOf(fact)?.from;
  const root = from && 'origin' in from ? from : undefined;
  return presentationOf(fact).origin?.(fact) ?? root?.origin;
}

/** Returns the versions that state a fact; undefined: no package does. */
export function claimantOf(fact: Fact): Term | undefined {
  const from = linkOf(fact)?.from;
  const claimant = from && 'values' in from ? from : undefined;
  return presentationOf(fact).claimant?.(fact) ?? claimant;
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
  const { subjects } = proof;
  return proofFacts(proof).map((fact) => ({
    ...presentationOf(fact).statement(fact, subjects),
    key: factKey(fact, subjects),
    isDebatable: isRemovable(fact),
  }));
}

function requirementKind(on: Term, constraint: string): CoreKind {
  if (on.values.isEmpty) return 'missing';
  return isDigest(constraint) ? 'digest' : 'requirement';
}

function anyOwner(variable: Variable): Term {
  return { variable, values: VersionSet.all };
}

/** Returns a subject with the verb `need`. */
function needsText(by: FactOf<'crossplane'>['by'], nouns: NounPhrases): string {
  return 'values' in by
    ? nouns.withVerb(by, 'need')
    : `${by.by} (${formatOrigin(by.origin)}) needs`;
}

function placeOf(root: RootRequirement, subjects: Subjects): RequirementPlace {
  return { root: subjects.rootIndex(root) };
}

/** Returns the versions of a package, or the place of a root or of a package under development. */
function claimantPlace(by: Term | RootRequirement, subjects: Subjects) {
  if (!('values' in by)) return placeOf(by, subjects);
  const subject = subjects.subject(by.variable);
  return subject.about === 'local' ? placeOf(subject.root, subjects) : versionsOf(by, subjects);
}

function versionsOf(term: Term, subjects: Subjects): FactVersions {
  const { repository, versions } = packageOf(term, subjects);
  return { repository, versions: labelsOf(versions, term.values) };
}

function cycleText(members: readonly Term[], nouns: NounPhrases): string {
  const [first] = members;
  if (members.length === 1) return `${nouns.anyOf(first!)} requires itself`;
  const rest = members.slice(1).map((member) => `${nouns.anyOf(member)}, which requires`);
  const firstName = nouns.name(nouns.package(first!).repository);
  return `${nouns.anyOf(first!)} requires ${rest.join(' ')} ${firstName}`;
}
