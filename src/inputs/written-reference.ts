import type { Repository } from '../model/package.js';
import { isDigest, type Digest } from '../text/digest.js';
import { isRepository, isTag, splitTag } from '../model/reference.js';

/** An image reference taken apart, each part as written. */
interface WrittenReference {
  readonly repository: Repository;
  readonly tag: string | undefined;
  readonly digest: Digest | undefined;
}

/** undefined: not an image reference on any Crossplane release. */
export function splitReference(text: string): WrittenReference | undefined {
  const at = text.indexOf('@');
  const digest = at < 0 ? undefined : text.slice(at + 1);
  if (digest !== undefined && !isDigest(digest)) return undefined;
  const { name, tag } = splitTag(at < 0 ? text : text.slice(0, at));
  if (tag !== undefined && !isTag(tag)) return undefined;
  return isRepository(name) ? { repository: name, tag, digest } : undefined;
}

/** Meant as a digest, and none: as a tag or a constraint it could only be refused later on. */
export function isBrokenDigest(version: string): boolean {
  return /^\s*sha(?:256|512):/i.test(version) && !isDigest(version);
}

export const BROKEN_DIGEST = 'is no digest: write `sha256:` and 64 lower-case hex digits';
