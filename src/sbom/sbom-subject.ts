import { createHash } from 'node:crypto';
import type { Lockfile } from '../lock/lockfile.js';

/** What a bill of materials is about. */
export interface SbomSubject {
  readonly lockfile: Lockfile;
  /** The lockfile as it is written: what is listed depends on it alone, and so does its identity. */
  readonly text: string;
  /** What the set is called. */
  readonly name: string;
  /** When it was made; undefined: not known, so that the same lockfile makes the same bytes. */
  readonly created: Date | undefined;
  /** Version of this tool. */
  readonly tool: string;
}

/** Namespace of these identifiers, drawn once. */
const NAMESPACE = '5f0b7f0e-3c1d-4a86-9d5e-6d1d0c4f2a77';

/** A UUID that follows from name and lockfile (RFC 9562, version 5). */
export function subjectUuid({ text, name }: Pick<SbomSubject, 'text' | 'name'>): string {
  const hash = createHash('sha1');
  hash.update(Buffer.from(NAMESPACE.replaceAll('-', ''), 'hex'));
  const bytes = hash.update(`${name}\n${text}`).digest().subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x50;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join('-');
}
