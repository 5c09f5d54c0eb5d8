import { imageConfigsIn } from '../model/cluster/image-config.js';
import { joinReference, splitTag } from '../model/reference.js';
import type { KeptObject } from '../model/request.js';
import type { Target } from '../model/target/target.js';
import { isDigest } from '../text/digest.js';

/** That an ImageConfig rewrites a tag, to a digest or not. */
export interface ImagePin {
  /** `repository:tag`, and what every longer tag begins with. */
  readonly prefix: string;
  /**
   * `repository@digest`; undefined: something else, which keeps shorter prefixes from the tag. Where it
   * is read then is, as with mirrors, the business of sources.
   */
  readonly pulled: string | undefined;
}

/** What the ImageConfigs among some objects make of tags. */
export function imagePins(kept: readonly KeptObject[], { rules }: Target): readonly ImagePin[] {
  if (rules.imageConfig?.rewrite !== true) return [];
  return imageConfigsIn(kept).flatMap(({ prefixes, rewriteTo = '' }) => {
    if (rewriteTo === '') return [];
    const digest = rewriteTo.slice(rewriteTo.indexOf('@') + 1);
    return prefixes
      .filter((prefix) => splitTag(prefix).tag !== undefined && !prefix.includes('@'))
      .map((prefix) => ({
        prefix,
        pulled: isDigest(digest) ? joinReference(splitTag(prefix).name, digest) : undefined,
      }));
  });
}

/** What is pulled for a reference; of a tag that is longer than a pinned one, no reference at all. */
export function pulledReference(reference: string, pins: readonly ImagePin[]): string {
  let best: ImagePin | undefined;
  for (const pin of pins) {
    const isLonger = pin.prefix.length > (best?.prefix.length ?? 0);
    if (reference.startsWith(pin.prefix) && isLonger) best = pin;
  }
  if (best?.pulled === undefined) return reference;
  return best.pulled + reference.slice(best.prefix.length);
}
