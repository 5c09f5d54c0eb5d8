import type { IndexFile } from '../model/index-file.js';
import type { Request } from '../model/request.js';

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
  /** What a lockfile holds: one version of each repository. */
  readonly locked?: ReadonlyMap<string, string> | undefined;
}

/** A resolver's answer, reduced to what the laws are about. */
export type Outcome =
  | {
      readonly status: 'solved';
      readonly selected: ReadonlyMap<string, string>;
      readonly crossplane?: string | undefined;
    }
  | { readonly status: 'unsolvable' }
  | { readonly status: 'gave-up' };

export type Resolver = (
  universe: IndexFile,
  request: Request,
  options?: ResolverOptions,
) => Promise<Outcome>;
