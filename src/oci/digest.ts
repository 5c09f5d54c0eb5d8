import { createHash } from 'node:crypto';
import { isDigest, type Digest } from '../model/package.js';

/** The digest of some bytes, as OCI writes it. */
export function sha256(bytes: Uint8Array | string): Digest {
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  if (!isDigest(digest)) throw new Error(`not a digest: ${digest}`);
  return digest;
}
