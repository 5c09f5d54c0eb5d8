import type { IndexFile } from '../../model/index-file.js';
import type { JsonObject } from '../../text/json.js';
import type { Request } from '../../model/request.js';
import type { Target } from '../../model/target/target.js';

/** What a resolver may be told beside the request. */
export interface ResolverOptions {
  /** An exact release or a constraint; beats the request's. */
  readonly crossplane?: string | undefined;
  /** Releases known beside those the tool ships with. */
  readonly crossplaneVersions?: readonly string[] | undefined;
  /** Where versions are locked, `locked` is the default. */
  readonly prefer?: 'newest' | 'lowest' | 'locked' | undefined;
  /** Repositories whose prereleases count as releases. */
  readonly prereleases?: readonly string[] | undefined;
  readonly allowCycles?: boolean | undefined;
  /** What time it is, in milliseconds, for policies that ask for an age. */
  readonly now?: number | undefined;
  /** What a lockfile holds: one version of each repository. */
  readonly locked?: ReadonlyMap<string, string> | undefined;
  /** What the resolver gave out as `lockfile` beside that selection, where it did. */
  readonly lockfile?: unknown;
  /**
   * Passes on what a source replies, when it pleases. A resolver that asks a source lets every
   * reply come through here, so that a law can vary the order in which they arrive.
   */
  readonly deliver?: (<T>(reply: Promise<T>) => Promise<T>) | undefined;
  /**
   * What a source has of the universe for a target; undefined: all of it, for every target. A
   * resolver that asks a source lets it answer from this, so that a law can vary what a source
   * replies from target to target. Targets with equal rules get the same.
   */
  readonly universeFor?: ((target: Target) => IndexFile) | undefined;
}

/**
 * A resolver's answer, reduced to what the laws are about. What is optional some laws need; they
 * say so when it is not told.
 */
export type Outcome = SolvedOutcome | UnsolvableOutcome | { readonly status: 'gave-up' };

export interface SolvedOutcome {
  readonly status: 'solved';
  /** One version of each repository. */
  readonly selected: ReadonlyMap<string, string>;
  /** The Crossplane release it is for. */
  readonly crossplane?: string | undefined;
  /** Handed back with the selection when a law resolves again with the answer locked. */
  readonly lockfile?: unknown;
  /** What the resolver would write to disk, to the byte. */
  readonly written?: string | undefined;
  /** The objects to apply, in order. */
  readonly rendered?: readonly JsonObject[] | undefined;
  /** Repositories the source was asked about. */
  readonly asked?: readonly string[] | undefined;
  /** Versions whose metadata was read, each as `<repository> <version>`. */
  readonly fetched?: readonly string[] | undefined;
}

export interface UnsolvableOutcome {
  readonly status: 'unsolvable';
  readonly core?: Core | undefined;
  readonly asked?: readonly string[] | undefined;
}

/** What there is to resolve, cut down to some facts. */
export interface CoreScenario {
  readonly universe: IndexFile;
  readonly request: Request;
  /** Beside, and before, the options that the resolver was given. */
  readonly options?: ResolverOptions | undefined;
}

/**
 * What the explanation names, as a universe and a request in which nothing else stands in the
 * way: every package and version is there still, dependencies, constraints and objects that the
 * explanation does not name are not.
 */
export interface Core extends CoreScenario {
  /** For each of the facts named, the scenario without that fact. */
  readonly smaller?: readonly CoreScenario[] | undefined;
}

/** A function that resolves, and may have a table of how requests fare on each release. */
export interface Resolver {
  (universe: IndexFile, request: Request, options?: ResolverOptions): Promise<Outcome>;
  /** Answers for every release that `options.crossplane` admits, each in one row. */
  readonly matrix?:
    | ((
        universe: IndexFile,
        request: Request,
        options: ResolverOptions,
      ) => Promise<readonly MatrixOutcome[]>)
    | undefined;
}

/** A row of a resolver's table. */
export interface MatrixOutcome {
  readonly releases: readonly string[];
  readonly outcome: Outcome;
}
