import { createHash } from 'node:crypto';

/** `sha256:` and 64 lower-case hex digits. */
export type Digest = string & { readonly brand: 'Digest' };

export const DIGEST_PATTERN = '^sha256:[0-9a-f]{64}$';

const DIGEST = new RegExp(DIGEST_PATTERN);

export function isDigest(text: string): text is Digest {
  return DIGEST.test(text);
}

export function sha256(bytes: Uint8Array | string): Digest {
  return finishDigest(createHash('sha256').update(bytes));
}

export async function sha256OfStream(chunks: AsyncIterable<Uint8Array>): Promise<Digest> {
  const hash = createHash('sha256');
  for await (const chunk of chunks) hash.update(chunk);
  return finishDigest(hash);
}

/** Returns the digest of everything that was added to a SHA-256 hash. */
export function finishDigest(hash: { digest(encoding: 'hex'): string }): Digest {
  const digest = `sha256:${hash.digest('hex')}`;
  if (!isDigest(digest)) throw new Error(`not a digest: ${digest}`);
  return digest;
}
