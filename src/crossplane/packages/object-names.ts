import { createHash } from 'node:crypto';
import type { Repository } from './package.js';
import type { Digest } from '../../base/digest.js';
import { isDnsSubdomain } from '../../base/dns-name.js';
import { parseReference, referenceRules } from './reference.js';
import type { PackageManagerRules, ReleaseRules } from '../releases/release-facts.js';

/** Index of the last byte of text that a DNS label takes. */
const LAST_BYTE = 62;
const SEPARATORS = './:-';

/**
 * Converts text to a DNS label exactly as Crossplane's `xpkg.ToDNSLabel` does.
 *
 * Separators become dashes, other characters outside `[a-z0-9]` are dropped, and the limit counts
 * bytes of the input. So a label may be shorter than necessary, contain several dashes in a row, or
 * be empty.
 */
export function toDnsLabel(text: string): string {
  const length = Buffer.byteLength(text);
  let label = '';
  let index = 0;
  for (const character of text) {
    const isEnd = index === 0 || index === LAST_BYTE || index === length - 1;
    if (/[a-z0-9]/.test(character)) label += character;
    else if (!isEnd && SEPARATORS.includes(character)) label += '-';
    if (index === LAST_BYTE) break;
    index += Buffer.byteLength(character);
  }
  return label.replaceAll(/^-+|(?<!-)-+$/g, '');
}

/** Limit for the name of a package object: Crossplane uses it as the value of a label. */
export const MAX_NAME_LENGTH = 63;

/** Returns why a package object cannot have this name, or undefined if it can. */
export function objectNameProblem(name: string): string | undefined {
  if (name.length > MAX_NAME_LENGTH) {
    return `is ${name.length} characters long; Crossplane puts it in a label, which takes ${MAX_NAME_LENGTH}`;
  }
  if (isDnsSubdomain(name)) return undefined;
  return 'is no name for an object: `a-z`, `0-9`, `-` and `.`, with a letter or digit at both ends and on both sides of a dot';
}

export function isObjectName(text: string): boolean {
  return objectNameProblem(text) === undefined;
}

/** Returns the name of a package revision, as Crossplane's `xpkg.FriendlyID` does. */
export function friendlyId(objectName: string, hash: string): string {
  return toDnsLabel(`${firstBytes(objectName, 50)}-${firstBytes(hash, 12)}`);
}

/** A package object, and how often its spec was changed: `metadata.generation`. */
interface NamedObject {
  readonly name: string;
  readonly generation: number;
}

/** The generation of a new object. */
export const FIRST_GENERATION = 1;

/** Returns the name of the revision of an image, which its Lock row has as well. */
export function revisionName(
  { name, generation }: NamedObject,
  digest: Digest,
  names: PackageManagerRules['revisionNames'],
): string {
  const hex = digest.slice('sha256:'.length);
  if (names === 'digest') return friendlyId(name, hex);
  return friendlyId(name, createHash('sha256').update(`${hex}|${generation}`).digest('hex'));
}

/**
 * Returns the name that Crossplane gives the object of a dependency; may be empty.
 *
 * The registry is not part of it. The target matters only for names such as `nginx`, which Docker
 * Hub calls `library/nginx`.
 */
export function objectNameOf(repository: Repository, target?: ReleaseRules): string {
  const rules = target === undefined ? {} : referenceRules(target);
  const reference = parseReference(repository, { ...rules, strict: false });
  return toDnsLabel(reference?.path ?? repository);
}

/** Returns the first bytes, with `_` for each byte that is not ASCII. */
function firstBytes(text: string, count: number): string {
  if (Buffer.byteLength(text) === text.length) return text.slice(0, count);
  const bytes = Buffer.from(text).subarray(0, count);
  return Array.from(bytes, (byte) => (byte < 0x80 ? String.fromCharCode(byte) : '_')).join('');
}
