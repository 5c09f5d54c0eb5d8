import type { ChangeEffect } from '../suggest/change-effect.js';
import type { RequestEdit } from '../../project/inputs/request.js';
import type { Repository, PackageKind } from '../../crossplane/packages/package.js';
import type { RulingKind } from '../solver/problem.js';

/** The kind of fact of an entry in `core`. */
export type CoreKind =
  | 'requirement'
  | 'crossplane'
  | 'ownership'
  | 'missing'
  | 'cycle'
  | 'kind'
  | 'digest'
  | 'source'
  | 'policy'
  | 'content';

/** One of the facts that together make the request unsatisfiable. */
export interface CoreEntry {
  readonly kind: CoreKind;
  readonly text: string;
  /** The path from the input to the fact: `xpkg.yaml:7`, a package, the next package. */
  readonly path: readonly string[];
  /** Only for requirements: the requirer, the required package and the constraint. */
  readonly requirement?: { readonly by: string; readonly on: string; readonly constraint: string };
}

/** A refusal as a graph to be drawn: requirements between packages, and conflicts. */
export interface RefusalGraph {
  readonly nodes: readonly RefusalNode[];
  readonly edges: readonly RefusalEdge[];
  readonly clashes: readonly RefusalClash[];
}

/** A place in an input, a package, a required API, or Crossplane. */
export interface RefusalNode {
  readonly id: string;
  readonly about: 'input' | 'package' | 'api' | 'crossplane';
  /** For a package, its repository. */
  readonly name: string;
  /** Undefined for other nodes than packages, and for packages whose kind is not known. */
  readonly kind: PackageKind | undefined;
  /** The versions that facts are about, such as `v1.0.0 to v1.2.0`; undefined if there are none. */
  readonly versions: string | undefined;
}

export interface RefusalEdge {
  readonly from: string;
  readonly to: string;
  /** The constraint as written; empty for an edge from an API to an owner. */
  readonly constraint: string;
  /** No version satisfies the constraint, or it is part of a conflict of versions. */
  readonly isUnmet: boolean;
}

export interface RefusalClash {
  readonly clash: 'versions' | 'ownership' | 'crossplane' | 'fact';
  /** A sentence without its full stop. */
  readonly text: string;
  readonly nodes: readonly string[];
}

/** A fact on which an explanation rests, for programs. */
export type NamedFact = FactStatement & {
  /** Equal for facts that are removed together. */
  readonly key: string;
  /** The user or a publisher can change the fact. */
  readonly isDebatable: boolean;
};

/** Versions of a package, each a tag or a digest. */
export interface FactVersions {
  readonly repository: Repository;
  readonly versions: readonly string[];
}

/** A requirement of a root: its index among the requirements of all roots. */
export interface RequirementPlace {
  readonly root: number;
}

/** A fact without its key. */
export type FactStatement =
  | {
      readonly fact: 'root';
      readonly by: RequirementPlace;
      readonly on: string;
      /** No existing version satisfies the requirement. */
      readonly isVain: boolean;
    }
  | {
      readonly fact: 'requires';
      readonly by: FactVersions;
      readonly on: string;
      /** The constraint in `dependsOn`; undefined if it names a CRD. */
      readonly constraint: string | undefined;
      readonly isVain: boolean;
    }
  | { readonly fact: 'provides'; readonly by: FactVersions; readonly api: string }
  | {
      readonly fact: 'crossplane';
      readonly by: FactVersions | RequirementPlace;
      readonly constraint: string;
    }
  /** `objects`: objects that both would own, each as `crd:NAME`, `composition:NAME` and so on. */
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
  /** `isWhole`: the policy excludes every version, including unknown ones. */
  | {
      readonly fact: 'ruled-out';
      readonly by: RulingKind;
      readonly of: FactVersions;
      readonly isWhole: boolean;
    }
  | { readonly fact: 'no-others'; readonly of: string }
  | { readonly fact: 'cycle'; readonly members: readonly FactVersions[] };

/** A change that makes the package set solvable. The set was solved with the change. */
export interface Suggestion {
  readonly text: string;
  /** Changes to the inputs; empty for mere advice. */
  readonly edits: readonly RequestEdit[];
  /** What the edits do to the locked packages; undefined if there are no edits. */
  readonly effect?: ChangeEffect | undefined;
}

/** Why a request cannot be satisfied, for people and for programs. */
export interface Refusal {
  /** The short explanation. */
  readonly summary: Summary;
  /** The full explanation: sentences with one reason per line and blank lines between them. */
  readonly explanation: string;
  readonly core: readonly CoreEntry[];
  /** The facts of `core`, for programs. */
  readonly facts: readonly NamedFact[];
  /** The same facts as a graph. */
  readonly graph: RefusalGraph;
  readonly suggestions: readonly Suggestion[];
}

export interface Summary {
  /** The conflict in one sentence without a full stop. */
  readonly headline: string;
  /** Sentences, one per line. A line that continues the line above is indented by two more spaces. */
  readonly lines: readonly string[];
  /** The same lines with full repository names, for programs. */
  readonly fullLines: readonly string[];
}
