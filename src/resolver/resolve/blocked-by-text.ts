import { formatOrigin, type Origin } from '../../base/errors.js';
import { selectorText } from '../../crossplane/constraints/constraint.js';
import { satisfies } from '../../crossplane/constraints/installable-versions.js';
import type { Candidate, Repository } from '../../crossplane/packages/package.js';
import type { Target } from '../../crossplane/releases/target.js';
import {
  firstErrorText,
  objectText,
  rulingText,
  sharedObjects,
  conjugate,
  labelsOf,
  NounPhrases,
  placeText,
} from '../explain/fact-clause.js';
import { factClause } from '../explain/fact-kinds.js';
import type { Fact, FactOf, Term } from '../solver/incompatibility.js';
import type { Problem } from '../solver/problem.js';
import type { Proof } from '../solver/search-result.js';

/** A constraint that keeps a package from a version. */
export interface HeldByConstraint {
  /** Repository of the package that states the constraint, or file and line in the user's input. */
  readonly source?: string | undefined;
  /** Version of that package: the chosen one, if several versions state the constraint. */
  readonly version?: string | undefined;
  /** All versions that state the constraint, if several are part of the conflict. */
  readonly versions?: readonly string[] | undefined;
  /** Repository of the required package, or `crossplane`. */
  readonly requires?: string | undefined;
  readonly constraint?: string | undefined;
  /** A noun phrase that can follow "held by". */
  readonly text: string;
}

/** Origin of the requirement of the newer version in a trial. */
export const NOT_FLAG: Origin = { file: '--not' };
/** Origin of the requirements that stand for versions chosen before the package. */
export const CHOSEN_FIRST: Origin = { file: 'chosen first' };

/** A proof that no package set contains a version. */
export interface Conflict {
  /** The version that no package set contains. */
  readonly wanted: Candidate;
  readonly problem: Problem;
  readonly proof: Proof;
  /** Facts of the proof that can be changed. */
  readonly facts: readonly Fact[];
  readonly target: Target;
}

/** Returns the override that excludes a version, if there is one. */
export function overrideAgainst(
  { repository, version }: Candidate,
  { overrides }: Problem,
  target: Target,
): HeldByConstraint | undefined {
  const rule = overrides.get(repository);
  if (rule === undefined || satisfies(version, rule.selector, target, 'all')) return undefined;
  const source = formatOrigin(rule.origin);
  const constraint = selectorText(rule.selector);
  const text = `${source}, which overrides it to \`${constraint}\``;
  return { source, requires: repository, constraint, text };
}

/** Selected versions. If a fact covers several versions, its text names the selected one. */
interface Selection {
  readonly selected: readonly Candidate[];
  /** The selected versions violate the fact, so its text names no other version. */
  readonly isViolated: boolean;
}

/** How the facts of one kind keep a package from a version. */
interface BlockingKind<F extends Fact> {
  /** How close the fact is to the package, 0 to 8. The closest facts are lifted first. */
  rank(fact: F, conflict: Conflict): number;
  constraint(fact: F, wording: Wording): HeldByConstraint;
}

/** Any other fact than those of the kinds that a user or a publisher usually changes. */
const OTHER_KIND: BlockingKind<Fact> = {
  rank: () => 6,
  constraint: (fact, { nouns }) => ({ text: factClause(fact, nouns) ?? 'other constraints' }),
};

const BLOCKING_KINDS: { readonly [Kind in Fact['fact']]?: BlockingKind<FactOf<Kind>> } = {
  root: {
    rank: ({ on }, conflict) => (isWanted(on, conflict) ? 0 : 8),
    constraint: rootConstraint,
  },
  requires: { rank: requirementRank, constraint: requirementConstraint },
  crossplane: { rank: () => 4, constraint: crossplaneConstraint },
  owns: { rank: () => 3, constraint: ownershipConstraint },
  excluded: {
    rank: exclusionRank,
    constraint: ({ of, rule }, { nouns }) => {
      const source = formatOrigin(rule.origin);
      const constraint = `not ${selectorText(rule.selector)}`;
      const text = `${source}, which excludes ${nouns.allOf(of)}`;
      return { source, requires: repositoryOf(of, nouns), constraint, text };
    },
  },
  'ruled-out': {
    rank: exclusionRank,
    constraint: ({ of, ruling }, { nouns }) => {
      const source = formatOrigin(ruling.origin);
      const text = `a policy: ${nouns.allOf(of)} ${rulingText(ruling, nouns.isMany(of))}`;
      return { source, requires: repositoryOf(of, nouns), text };
    },
  },
  rejected: {
    rank: () => 6,
    constraint: ({ of, findings }, { nouns, selection, target }) => {
      const { phrase, isMany: _, ...refused } = claimantOf(of, nouns, selection);
      const why = firstErrorText(findings);
      const text = `Crossplane ${target.version}, which would refuse ${phrase} (${why})`;
      return { ...refused, text };
    },
  },
};

function blockingKindOf<F extends Fact>(fact: F): BlockingKind<F> {
  const kind = BLOCKING_KINDS[fact.fact] ?? OTHER_KIND;
  return kind as unknown as BlockingKind<F>; // the record of its own kind
}

/** Returns a fact of a conflict as a constraint. */
export function constraintOf(
  fact: Fact,
  conflict: Conflict,
  selection: Selection,
): HeldByConstraint {
  const nouns = new NounPhrases(conflict.problem, conflict.proof.subjects);
  return blockingKindOf(fact).constraint(fact, { ...conflict, nouns, selection });
}

/** Returns the rank of a fact: the closest to the package is the lowest. */
export function rankOf(fact: Fact, conflict: Conflict): number {
  return blockingKindOf(fact).rank(fact, conflict);
}

function isWanted({ variable }: Term, { wanted, proof }: Conflict): boolean {
  const subject = proof.subjects.subject(variable);
  return subject.about === 'package' && subject.repository === wanted.repository;
}

function exclusionRank({ of }: FactOf<'excluded' | 'ruled-out'>, conflict: Conflict): number {
  return isWanted(of, conflict) ? 0 : 6;
}

function requirementRank(fact: FactOf<'requires'>, conflict: Conflict): number {
  if (isWanted(fact.on, conflict)) return 1;
  if (isWanted(fact.by, conflict)) return 5;
  return othersOnSame(fact, conflict).length > 0 ? 2 : 7;
}

/** Returns the other facts of a conflict that require the same package. */
function othersOnSame(
  fact: FactOf<'requires'>,
  { facts }: Conflict,
): FactOf<'root' | 'requires'>[] {
  const requirements = facts.filter((one) => one.fact === 'root' || one.fact === 'requires');
  return requirements.filter((one) => one !== fact && one.on.variable === fact.on.variable);
}

function crossplaneConstraint(
  { by, constraint }: FactOf<'crossplane'>,
  { wanted, target, nouns, selection }: Wording,
): HeldByConstraint {
  const stated = { requires: 'crossplane', constraint };
  if (!('values' in by)) {
    const source = formatOrigin(by.origin);
    const text = `${by.by} (${source}), which needs Crossplane \`${constraint}\``;
    return { source, ...stated, text };
  }
  const { phrase, isMany, ...claimant } = claimantOf(by, nouns, selection);
  const text =
    claimant.source === wanted.repository
      ? `Crossplane ${target.version}: ${wanted.version} needs \`${constraint}\``
      : `${phrase}, which ${conjugate('need', isMany)} Crossplane \`${constraint}\``;
  return { ...claimant, ...stated, text };
}

/** A conflict, and what is needed to put its facts into words. */
interface Wording extends Conflict {
  readonly nouns: NounPhrases;
  readonly selection: Selection;
}

function rootConstraint(
  { root, on }: FactOf<'root'>,
  { wanted, nouns }: Wording,
): HeldByConstraint {
  const requires = repositoryOf(on, nouns);
  const constraint = selectorText(root.selector);
  if (root.origin === CHOSEN_FIRST) {
    const text = `${requires} ${constraint}, which is chosen first`;
    return { source: requires, version: constraint, text };
  }
  const source = placeText(root.origin);
  const who = root.by === undefined ? source : `${root.by} (${source})`;
  const text = `${who}, which requires ${requiredText(requires, constraint, wanted)}`;
  return { source, requires, constraint, text };
}

function requirementConstraint(fact: FactOf<'requires'>, wording: Wording): HeldByConstraint {
  const { wanted, nouns, selection } = wording;
  const { constraint } = fact;
  const requires = repositoryOf(fact.on, nouns);
  const { phrase, isMany, ...claimant } = claimantOf(fact.by, nouns, selection);
  const stated = { ...claimant, requires, constraint };
  const others = othersOnSame(fact, wording);
  const isOwnConstraint = claimant.source === wanted.repository;
  const first = others.find((other) => other.fact === 'root' && other.root.origin === CHOSEN_FIRST);
  if (isOwnConstraint && first?.fact === 'root') {
    const at = selectorText(first.root.selector);
    return { ...stated, text: `${requires} ${at}: ${wanted.version} requires \`${constraint}\`` };
  }
  const verb = conjugate('require', isMany);
  const text = `${phrase}, which ${verb} ${requiredText(requires, constraint, wanted)}`;
  // The wanted version may require the same package with another constraint.
  const own = others
    .filter((other) => other.fact === 'requires')
    .find((other) => repositoryOf(other.by, nouns) === wanted.repository);
  const conflictText =
    isOwnConstraint || own === undefined
      ? ''
      : ` (${wanted.version} requires \`${own.constraint}\`)`;
  return { ...stated, text: `${text}${conflictText}` };
}

function ownershipConstraint(
  fact: FactOf<'owns'>,
  { wanted, nouns, selection }: Wording,
): HeldByConstraint {
  const isPackage = ({ variable }: Term) => nouns.subjects.subject(variable).about === 'package';
  const terms = [fact.one, fact.other];
  const others = terms.filter((term) => repositoryOf(term, nouns) !== wanted.repository);
  const other = others.find(isPackage);
  if (other === undefined) return { text: factClause(fact, nouns)! };
  const { phrase, isMany, ...claimant } = claimantOf(other, nouns, selection);
  const [object, ...more] = sharedObjects(fact.one, fact.other, nouns.subjects);
  const moreText = more.length === 0 ? '' : ` and ${more.length} more`;
  const text =
    others.length === terms.length || object === undefined
      ? factClause(fact, nouns)!
      : `${phrase}, which ${conjugate('own', isMany)} ${objectText(object)}${moreText} too`;
  return { ...claimant, text };
}

function requiredText(on: Repository, constraint: string, { repository }: Candidate): string {
  return on === repository ? `\`${constraint}\`` : `${on} \`${constraint}\``;
}

function repositoryOf(term: Term, nouns: NounPhrases): Repository {
  const subject = nouns.subjects.subject(term.variable);
  return subject.about === 'package' ? subject.repository : nouns.anyOf(term);
}

interface Claimant extends Pick<HeldByConstraint, 'version' | 'versions'> {
  readonly source: Repository;
  readonly phrase: string;
  readonly isMany: boolean;
}

/** Returns the package that states a fact, with its selected version or all versions of the fact. */
function claimantOf(term: Term, nouns: NounPhrases, { selected, isViolated }: Selection): Claimant {
  const { repository: source, versions } = nouns.package(term);
  const labels = labelsOf(versions, term.values);
  const at = selected.find((one) => one.repository === source)?.version;
  if (at !== undefined && (isViolated || (labels.length === 1 && labels[0] === at))) {
    return { source, version: at, phrase: `${source} ${at}`, isMany: false };
  }
  const version = at !== undefined && labels.includes(at) ? at : labels[0];
  const all = labels.length > 1 ? labels : undefined;
  const isMany = nouns.isMany(term);
  return { source, version, versions: all, phrase: nouns.allOf(term), isMany };
}
