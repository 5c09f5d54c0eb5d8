import type { Repository } from './package.js';
import type { Digest } from '../text/digest.js';
import { isDnsSubdomain } from '../text/dns-name.js';
import { parseReference, referenceRules } from './reference.js';
import type { Target } from './target/target.js';

/** Bytes of a DNS label. */
const MAX_LABEL_BYTES = 63;
const LAST_BYTE = MAX_LABEL_BYTES - 1;

const DASHED = './:-';

/**
 * Crossplane's `xpkg.ToDNSLabel`, to the byte.
 *
 * Separators become dashes, all else outside `[a-z0-9]` is dropped, and the limit counts bytes of
 * the input: a label may come out shorter than it had to be, with dashes in a row, or empty.
 */
export function toDnsLabel(text: string): string {
  const length = Buffer.byteLength(text);
  let label = '';
  let index = 0;
  for (const character of text) {
    const isEnd = index === 0 || index === LAST_BYTE || index === length - 1;
    if (isKept(character)) label += character;
    else if (!isEnd && DASHED.includes(character)) label += '-';
    if (index === LAST_BYTE) break;
    index += utf8Length(character.codePointAt(0)!);
  }
  return trimDashes(label);
}

/** Crossplane puts the name of a package object in a label, and a label's value holds no more. */
export const MAX_NAME_LENGTH = 63;

/** Why a package object cannot have this name; undefined: it can. */
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

/** Crossplane's `xpkg.FriendlyID`: the name of a package revision. */
export function friendlyId(objectName: string, hash: string): string {
  return toDnsLabel(`${firstBytes(objectName, 50)}-${firstBytes(hash, 12)}`);
}

/** Name of the revision that an object makes of an image, which a Lock row bears. */
export function revisionName(objectName: string, digest: Digest): string {
  return friendlyId(objectName, digest.slice('sha256:'.length));
}

/**
 * The name Crossplane itself gives the object of a dependency; empty if nothing of it is left.
 *
 * The registry is no part of it. The target matters to `nginx` alone, which Docker Hub calls
 * `library/nginx`.
 */
export function objectNameOf(repository: Repository, target?: Target): string {
  const rules = target === undefined ? {} : referenceRules(target);
  const reference = parseReference(repository, { ...rules, strict: false });
  return toDnsLabel(reference?.path ?? repository);
}

function trimDashes(label: string): string {
  let start = 0;
  let end = label.length;
  while (start < end && label[start] === '-') start += 1;
  while (end > start && label[end - 1] === '-') end -= 1;
  return label.slice(start, end);
}

function isKept(character: string): boolean {
  return (character >= 'a' && character <= 'z') || (character >= '0' && character <= '9');
}

/** Bytes of one character. */
function utf8Length(code: number): number {
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x10000 ? 3 : 4;
}

/** A cut inside a character leaves bytes that a label drops; `_` stands for each. */
function firstBytes(text: string, count: number): string {
  if (Buffer.byteLength(text) === text.length) return text.slice(0, count);
  const bytes = Buffer.from(text).subarray(0, count);
  return Array.from(bytes, (byte) => (byte < 0x80 ? String.fromCharCode(byte) : '_')).join('');
}
