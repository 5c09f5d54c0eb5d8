import type { Suggestion } from '../explain/refusal.js';
import { satisfies } from '../../crossplane/constraints/installable-versions.js';
import type { Candidate, Repository } from '../../crossplane/packages/package.js';
import type { Target } from '../../crossplane/releases/target.js';
import type { RequestEdit } from '../../project/inputs/request.js';
import { packageRoots, type Problem, type RootPackage } from '../solver/problem.js';
import type { Proof, Solution } from '../solver/search-result.js';

/** A request that cannot be satisfied, and what is needed to suggest changes to it. */
export interface SuggestionContext {
  readonly problem: Problem;
  readonly targets: readonly Target[];
  readonly proof: Proof;
  /** Returns the problem for other releases that share one set of rules. */
  readonly problemFor: (targets: readonly Target[]) => Problem | undefined;
  /** The command names the release: no suggestion changes it. */
  readonly isReleaseNamed: boolean;
  /** Every repository that the sources can list. */
  readonly repositories: readonly Repository[];
  /** The locked packages; empty if there is no lockfile. */
  readonly locked: readonly Candidate[];
  /** Returns what a solution changes in the cluster besides packages, one sentence each. */
  readonly sideEffects: (solution: Solution, target: Target) => readonly string[];
}

/** Returns whether no suggestion may remove a root: the command names packages or a release. */
export function mustKeepRoots({ problem, isReleaseNamed }: SuggestionContext): boolean {
  return isReleaseNamed || packageRoots(problem).some((root) => root.isNamed === true);
}

/** A change of the problem that might help. It is suggested only if the changed problem has a solution. */
export interface Proposal {
  /** Of proposals with the same goal, only the first that works is suggested. */
  readonly goal: string;
  readonly problem: Problem;
  /** Undefined: the releases of the request. */
  readonly targets?: readonly Target[];
  /** Describes the change, given the solution of the changed problem. */
  describe(solution: Solution): ProposedChange;
}

/** A change as text and as edits. */
export interface ProposedChange extends Omit<Suggestion, 'effect'> {
  /** The problem after the edits, if it is not the one that was solved. It is solved too. */
  readonly problem?: Problem | undefined;
  /** Effects other than the numbers of changed packages. */
  readonly notes?: readonly string[] | undefined;
  /** The change removes a root. Suggestions that do come after all others. */
  readonly removesRoot?: boolean | undefined;
}

/** A change with which the problem was solved. */
export interface SolvedChange {
  readonly change: ProposedChange;
  readonly solution: Solution;
  /** The changed problem. */
  readonly problem: Problem;
  readonly target: Target;
}

export function meets(
  version: string,
  { selector, repository }: RootPackage,
  { prereleases }: Problem,
  target: Target,
): boolean {
  return satisfies(version, selector, target, prereleases.has(repository) ? 'all' : 'named');
}

/** Joins the changes of several roots into one. */
export function joinedChange(
  parts: readonly { readonly text: string; readonly edit: RequestEdit }[],
): ProposedChange {
  return {
    text: `ask for ${parts.map(({ text }) => text).join(', and for ')}`,
    edits: parts.map(({ edit }) => edit),
  };
}
