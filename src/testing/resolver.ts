import type { IndexFile } from '../sources/index/index-file.js';
import type { JsonObject } from '../base/json.js';
import type { Request } from '../project/inputs/request.js';
import type { ReleaseRules } from '../crossplane/releases/release-facts.js';

export interface ResolverOptions {
  /** An exact release or a constraint. Overrides the request. */
  readonly crossplane?: string | undefined;
  /** Further known releases. */
  readonly crossplaneVersions?: readonly string[] | undefined;
  /** Preferred versions; by default `locked` if there are locked versions. */
  readonly prefer?: 'newest' | 'lowest' | 'locked' | undefined;
  /** Repositories whose prereleases count as releases. */
  readonly prereleases?: readonly string[] | undefined;
  readonly allowCycles?: boolean | undefined;
  /** Current time in milliseconds, for policies with a minimum age. */
  readonly now?: number | undefined;
  /** Locked versions by repository. */
  readonly locked?: ReadonlyMap<string, string> | undefined;
  /** The `lockfile` of the outcome with that selection, if it had one. */
  readonly lockfile?: unknown;
  /**
   * Passes on replies of a source, possibly delayed. A resolver that reads from a source must pass
   * every reply through this function, so that properties can vary their order.
   */
  readonly deliver?: (<T>(reply: Promise<T>) => Promise<T>) | undefined;
  /**
   * Returns the universe of a source for a target, equal for targets with equal rules; undefined if
   * all targets have the whole universe. A resolver that reads from a source must use it, so that
   * properties can vary the replies.
   */
  readonly universeFor?: ((target: ReleaseRules) => IndexFile) | undefined;
}

/** An answer of a resolver. A property that needs a missing optional field is not tested. */
export type Outcome = SolvedOutcome | UnsolvableOutcome | { readonly status: 'gave-up' };

export interface SolvedOutcome {
  readonly status: 'solved';
  /** One version of each repository. */
  readonly selected: ReadonlyMap<string, string>;
  /** Crossplane release of the selection. */
  readonly crossplane?: string | undefined;
  /** Passed back with the selection when a property resolves again with locked versions. */
  readonly lockfile?: unknown;
  /** Content of the lockfile that the resolver would write. */
  readonly written?: string | undefined;
  /** Objects in the order of applying them. */
  readonly rendered?: readonly JsonObject[] | undefined;
  /** Repositories that were requested from the source. */
  readonly asked?: readonly string[] | undefined;
  /** Versions whose metadata was read, each as `<repository> <version>`. */
  readonly fetched?: readonly string[] | undefined;
}

export interface UnsolvableOutcome {
  readonly status: 'unsolvable';
  readonly core?: Core | undefined;
  readonly asked?: readonly string[] | undefined;
}

/** A universe and a request, reduced to some facts. */
export interface CoreScenario {
  readonly universe: IndexFile;
  readonly request: Request;
  /** Options that override those of the resolver. */
  readonly options?: ResolverOptions | undefined;
}

/**
 * The facts of an explanation as a universe and a request without other conflicts: all packages and
 * versions are present, but only the named dependencies, constraints and objects.
 */
export interface Core extends CoreScenario {
  /** For each fact, the scenario without it. */
  readonly smaller?: readonly CoreScenario[] | undefined;
}

/** A resolver function, optionally with a compatibility matrix. */
export interface Resolver {
  (universe: IndexFile, request: Request, options?: ResolverOptions): Promise<Outcome>;
  /** Returns the answers for every release that `options.crossplane` allows, with one row for equal answers. */
  readonly matrix?:
    | ((
        universe: IndexFile,
        request: Request,
        options: ResolverOptions,
      ) => Promise<readonly MatrixOutcome[]>)
    | undefined;
}

/** A row of the matrix. */
export interface MatrixOutcome {
  readonly releases: readonly string[];
  readonly outcome: Outcome;
}
