import type { Candidate, Origin } from '../package.js';
import type { PackageSource } from '../package-source.js';
import type { Target } from '../target/target.js';

/**
 * Why a rule of the user's forbids a version that could be chosen otherwise: one member a kind of
 * rule. `origin` is where the rule stands.
 */
export type Ruling =
  /** The package comes from none of these registries. */
  | {
      readonly by: 'registries';
      readonly allowed: readonly string[];
      readonly origin: Origin;
    }
  | { readonly by: 'deny'; readonly reason: string | undefined; readonly origin: Origin }
  /** It was published too short a time ago. */
  | {
      readonly by: 'age';
      /** As written: `7d`. */
      readonly minimum: string;
      /** When it may be chosen, in ISO 8601; of several versions, the first of them. */
      readonly from: string;
      readonly origin: Origin;
    }
  /** When it was published is not known. */
  | {
      readonly by: 'unknown-age';
      readonly minimum: string;
      /** Why, in a few words: `its image names no date`; undefined: several versions differ in it. */
      readonly because: string | undefined;
      readonly origin: Origin;
    }
  /** Its image is not signed as an ImageConfig asks. */
  | {
      readonly by: 'signature';
      /** Name of the ImageConfig. */
      readonly policy: string;
      /** Why not, by authority; undefined: several versions differ in it. */
      readonly because: string | undefined;
      readonly origin: Origin;
    };

export type RulingKind = Ruling['by'];

/**
 * A rule that takes looking at each version: when it was published, who signed it. It is asked
 * before the version is read, once for each that the search comes to.
 */
export interface CandidateRule {
  /**
   * Why the version may not be chosen; undefined: it may, or there is no such version. Depends on
   * nothing but its arguments, for the whole of a run; failures throw `SourceError`.
   */
  judge(
    candidate: Candidate,
    at: { readonly source: PackageSource; readonly target: Target },
  ): Promise<Ruling | undefined>;
}

/** Two rulings of one rule, on different versions of one package, as one on them all. */
export function joinedRuling(one: Ruling, other: Ruling): Ruling {
  if (one.by === 'age' && other.by === 'age') return other.from < one.from ? other : one;
  if (!('because' in one) || !('because' in other)) return one;
  return one.because === other.because ? one : { ...one, because: undefined };
}

/** Equal for rulings that one rule makes. */
export function rulingKey({ by, origin }: Ruling): string {
  return JSON.stringify([by, origin.file, origin.document, origin.path, origin.line]);
}
