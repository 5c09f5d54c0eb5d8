import { formatOrigin, type Origin } from '../../base/errors.js';
import { selectorText } from '../../crossplane/constraints/constraint.js';
import { satisfies } from '../../crossplane/constraints/installable-versions.js';
import type { Candidate, Repository } from '../../crossplane/packages/package.js';
import type { Target } from '../../crossplane/releases/target.js';
import { firstErrorText, objectText, rulingText, sharedObjects } from '../explain/fact-clause.js';
import { factClause } from '../explain/fact-kinds.js';
import { conjugated, labelsOf, NounPhrases, placeText } from '../explain/noun-phrases.js';
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

/** Returns a fact of a conflict as a constraint. */
export function constraintOf(
  fact: Fact,
  conflict: Conflict,
  selection: Selection,
): HeldByConstraint {
  const { wanted, problem, proof, target } = conflict;
  const nouns = new NounPhrases(problem, proof.encoder);
  const wording = { ...conflict, nouns, selection };
  switch (fact.fact) {
    case 'root':
      return rootConstraint(fact, wording);
    case 'requires':
      return requirementConstraint(fact, wording);
    case 'crossplane': {
      const { constraint, by } = fact;
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
          : `${phrase}, which ${conjugated('need', isMany)} Crossplane \`${constraint}\``;
      return { ...claimant, ...stated, text };
    }
    case 'owns':
      return ownershipConstraint(fact, wording);
    case 'excluded': {
      const source = formatOrigin(fact.rule.origin);
      const constraint = `not ${selectorText(fact.rule.selector)}`;
      const text = `${source}, which excludes ${nouns.allOf(fact.of)}`;
      return { source, requires: repositoryOf(fact.of, nouns), constraint, text };
    }
    case 'ruled-out': {
      const source = formatOrigin(fact.ruling.origin);
      const text = `a policy: ${nouns.allOf(fact.of)} ${rulingText(fact.ruling, nouns.isMany(fact.of))}`;
      return { source, requires: repositoryOf(fact.of, nouns), text };
    }
    case 'rejected': {
      const { phrase, isMany: _, ...refused } = claimantOf(fact.of, nouns, selection);
      const why = firstErrorText(fact.findings);
      const text = `Crossplane ${target.version}, which would refuse ${phrase} (${why})`;
      return { ...refused, text };
    }
    case 'root-api':
    case 'requires-api':
    case 'provides':
    case 'kind':
    case 'missing':
    case 'no-others':
    case 'cycle':
      return { text: factClause(fact, nouns) ?? 'other constraints' };
  }
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

function requirementConstraint(
  fact: FactOf<'requires'>,
  { wanted, facts, nouns, selection }: Wording,
): HeldByConstraint {
  const { constraint } = fact;
  const requires = repositoryOf(fact.on, nouns);
  const { phrase, isMany, ...claimant } = claimantOf(fact.by, nouns, selection);
  const stated = { ...claimant, requires, constraint };
  const onSame = facts
    .filter((other) => other.fact === 'root' || other.fact === 'requires')
    .filter((other) => other !== fact && other.on.variable === fact.on.variable);
  const isOwn = claimant.source === wanted.repository;
  const first = onSame.find((other) => other.fact === 'root' && other.root.origin === CHOSEN_FIRST);
  if (isOwn && first?.fact === 'root') {
    const at = selectorText(first.root.selector);
    return { ...stated, text: `${requires} ${at}: ${wanted.version} requires \`${constraint}\`` };
  }
  const verb = conjugated('require', isMany);
  const text = `${phrase}, which ${verb} ${requiredText(requires, constraint, wanted)}`;
  // The wanted version may require the same package with another constraint.
  const own = onSame
    .filter((other) => other.fact === 'requires')
    .find((other) => repositoryOf(other.by, nouns) === wanted.repository);
  const against =
    isOwn || own === undefined ? '' : ` (${wanted.version} requires \`${own.constraint}\`)`;
  return { ...stated, text: `${text}${against}` };
}

function ownershipConstraint(
  fact: FactOf<'owns'>,
  { wanted, nouns, selection }: Wording,
): HeldByConstraint {
  const isPackage = ({ variable }: Term) => nouns.encoder.subject(variable).about === 'package';
  const terms = [fact.one, fact.other];
  const others = terms.filter((term) => repositoryOf(term, nouns) !== wanted.repository);
  const other = others.find(isPackage);
  if (other === undefined) return { text: factClause(fact, nouns)! };
  const { phrase, isMany, ...claimant } = claimantOf(other, nouns, selection);
  const [object, ...more] = sharedObjects(fact.one, fact.other, nouns.encoder);
  if (others.length === terms.length || object === undefined) {
    return { ...claimant, text: factClause(fact, nouns)! };
  }
  const rest = more.length === 0 ? '' : ` and ${more.length} more`;
  const verb = conjugated('own', isMany);
  return { ...claimant, text: `${phrase}, which ${verb} ${objectText(object)}${rest} too` };
}

function requiredText(on: Repository, constraint: string, { repository }: Candidate): string {
  return on === repository ? `\`${constraint}\`` : `${on} \`${constraint}\``;
}

function repositoryOf(term: Term, nouns: NounPhrases): Repository {
  const subject = nouns.encoder.subject(term.variable);
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
  return {
    source,
    version,
    versions: labels.length > 1 ? labels : undefined,
    phrase: nouns.allOf(term),
    isMany: nouns.isMany(term),
  };
}
