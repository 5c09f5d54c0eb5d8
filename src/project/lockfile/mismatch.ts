import type { Repository } from '../../crossplane/packages/package.js';

/**
 * `tag-moved`: a version points to another digest. `gone`: no source has the locked version.
 * `content`: the package differs from the lockfile. `constraint`: the locked packages violate a
 * constraint. `input`: the lockfile does not satisfy xpkg.yaml. `stale`: resolving again would
 * change the lockfile. `bundle`: a rendered file is out of date. `missing`: there is no lockfile.
 * `mirror`: a mirror lacks an image or has a different one. `signature`: an image is not signed
 * as an ImageConfig requires.
 */
export const MISMATCH_KINDS = [
  'tag-moved',
  'gone',
  'content',
  'constraint',
  'input',
  'stale',
  'bundle',
  'missing',
  'mirror',
  'signature',
] as const;

/** A difference between a lockfile and its sources, its inputs or the rendered manifests. */
export interface Mismatch {
  readonly kind: (typeof MISMATCH_KINDS)[number];
  /** undefined if it concerns the whole project. */
  readonly repository?: Repository | undefined;
  readonly version?: string | undefined;
  /** A file that differs, and the first line that differs. */
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly text: string;
  /** Value in the lockfile or in the rendered manifest. */
  readonly locked?: string | undefined;
  /** Value that was found instead. */
  readonly found?: string | undefined;
}
