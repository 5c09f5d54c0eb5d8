import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { PackageDocument } from '../../model/document/package-document.js';

interface Packed {
  readonly hash: string;
  readonly bytes: Uint8Array;
  readonly document: Omit<PackageDocument, 'text'>;
}

/**
 * Documents of the old side, packed, until those of the new side come: a provider's are a hundred
 * megabytes as text, and less than ten packed.
 */
export class HeldDocuments {
  readonly #documents = new Map<string, Packed>();

  add(key: string, { text, ...document }: PackageDocument): void {
    const bytes = deflateRawSync(text, { level: 1 });
    const packed = { hash: hashOf(text), bytes, document: detached(document) };
    this.#documents.set(detached(key), packed);
  }

  /** The document held by that key; `same`: it says the same, to the letter; undefined: there is none. */
  find(key: string, fresh: PackageDocument): PackageDocument | 'same' | undefined {
    const packed = this.#documents.get(key);
    if (packed === undefined) return undefined;
    if (packed.hash === hashOf(fresh.text)) return 'same';
    const text = inflateRawSync(packed.bytes).toString('utf8');
    return { ...packed.document, text };
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

/** A copy: V8 keeps a whole document alive for as long as a slice of it is. */
function detached<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T; // of strings and numbers
}
