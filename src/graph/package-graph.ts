import type { OwnedObject } from '../model/owned-object.js';
import type { PackageKind } from '../model/package.js';
import type { Digest } from '../text/digest.js';

/** What `graph` draws: packages, who requires whom, and what cannot be. */
export interface PackageGraph {
  readonly of: 'lockfile' | 'diff' | 'refusal';
  /** The Crossplane release that it is for. */
  readonly crossplane: string;
  /** Of a diff: the release before; undefined: the same. */
  readonly crossplaneBefore?: string | undefined;
  /** Of a refusal: why there is no answer, a sentence a line; else empty. */
  readonly story: readonly string[];
  /** Of a refusal: changes that would help, each alone. */
  readonly hints: readonly string[];
  /** Sorted by id. */
  readonly nodes: readonly GraphNode[];
  /** Sorted by `from`, then `to`; between two nodes there is one at most. */
  readonly edges: readonly GraphEdge[];
  readonly clashes: readonly GraphClash[];
}

/** `Package`: one of which no version was read. The last three stand in refusals alone. */
export type NodeKind = PackageKind | 'Package' | 'Input' | 'API' | 'Crossplane';

export interface GraphNode {
  /** Of a package its repository. */
  readonly id: string;
  readonly kind: NodeKind;
  /** The shortest end of the id that no other package has. */
  readonly name: string;
  /** Tag or digest; of a refusal `v1.0.0 to v1.2.0`; undefined: none, or it is not locked. */
  readonly version: string | undefined;
  /** Of a diff: the version that was locked before. */
  readonly versionBefore?: string | undefined;
  /** The user asks for it by name. */
  readonly direct: boolean;
  /** Of a diff; undefined: it stays. */
  readonly change?: 'added' | 'removed' | 'moved' | undefined;
  readonly digest?: Digest | undefined;
  /** The Crossplane that it needs, as it says. */
  readonly crossplane?: string | undefined;
  /** Sorted by kind, then name. */
  readonly owns: readonly GraphObject[];
}

export interface GraphObject extends OwnedObject {
  readonly change?: 'added' | 'removed' | undefined;
  /** Of what changes its owner, the other owner: an id. */
  readonly other?: string | undefined;
}

/** That one requires the other; or, from an API, that the other owns it. */
export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /** As written; several where versions or entries differ; empty: any. */
  readonly constraints: readonly string[];
  /** Of a diff, where it differs: the constraints before. */
  readonly constraintsBefore?: readonly string[] | undefined;
  readonly change?: 'added' | 'removed' | 'moved' | undefined;
  /** What is required is not what there is. */
  readonly isUnmet: boolean;
}

/** Something that cannot be. */
export interface GraphClash {
  readonly clash: 'versions' | 'ownership' | 'cycle' | 'crossplane' | 'fact';
  /** A sentence without its full stop. */
  readonly text: string;
  /** What it is about: ids. */
  readonly nodes: readonly string[];
}
