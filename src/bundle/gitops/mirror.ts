import { byCodePoint } from '../../text/code-point-order.js';
import type { Repository } from '../../model/package.js';

/** Images whose names begin alike, and where a mirror has them. */
export interface MirroredPrefix {
  /** Name of the ImageConfig. */
  readonly name: string;
  /** With a slash at the end: Crossplane compares text, and knows no path. */
  readonly prefix: string;
  /** What follows the name of the mirror in its place. */
  readonly suffix: string;
}

/**
 * What to rewrite for a mirror to serve these repositories: paths stay, and the registry changes. A
 * repository without a registry is matched without one.
 */
export function mirroredPrefixes(repositories: readonly Repository[]): readonly MirroredPrefix[] {
  const heads = new Set(repositories.map((repository) => repository.split('/', 1)[0]!));
  const sorted = [...heads].sort(byCodePoint);
  const labels = sorted.map((head) => head.replaceAll(/[^a-z0-9]+/g, '-').replaceAll(/^-|-$/g, ''));
  return sorted.map((head, n) => ({
    name: labels.indexOf(labels[n]!) === n ? `mirror-${labels[n]}` : `mirror-${labels[n]}-${n}`,
    prefix: `${head}/`,
    suffix: /[.:]|^localhost$/.test(head) ? '/' : `/${head}/`,
  }));
}
