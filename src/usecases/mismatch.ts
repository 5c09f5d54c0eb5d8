import type { Repository } from '../model/package.js';

/** A difference between a lockfile and its sources, its inputs or the bundle made from it. */
export interface Mismatch {
  /**
   * `tag-moved`: a version names other bytes than were locked. `gone`: no source has what was locked.
   * `content`: the package does not say what the lockfile says of it. `constraint`: the locked set
   * does not satisfy everything. `input`: it is not what is asked for. `stale`: resolving again
   * changes it. `bundle`: a rendered file is not what it renders. `missing`: there is no lockfile.
   * `mirror`: a mirror lacks an image, or has another in its place. `signature`: an image is not
   * signed as the policy of an ImageConfig asks.
   */
  readonly kind:
    | 'tag-moved'
    | 'gone'
    | 'content'
    | 'constraint'
    | 'input'
    | 'stale'
    | 'bundle'
    | 'missing'
    | 'mirror'
    | 'signature';
  /** undefined: it is about the set. */
  readonly repository?: Repository | undefined;
  readonly version?: string | undefined;
  /** A file that differs, and the first line in which it does. */
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly text: string;
  /** What the lockfile has, or renders. */
  readonly locked?: string | undefined;
  /** What there is instead. */
  readonly found?: string | undefined;
}
