import { createPublicKey, type KeyObject } from 'node:crypto';
import { TrustedRoot } from '@sigstore/protobuf-specs';
import { toTrustMaterial, type TrustMaterial } from '@sigstore/verify';
import { InputError } from '../../base/errors.js';
import { sha256, type Digest } from '../../base/digest.js';
import { readJson } from '../../base/strict-json.js';
import type { KeyReference } from './signature-policy.js';

/** The keys and roots to check signatures with. */
export interface SignatureTrust {
  readonly keys: readonly GivenKey[];
  /** Certificate authorities and logs; undefined if none are known. */
  readonly root: TrustedAuthorities | undefined;
}

/** Certificate authorities and logs: `TrustMaterial` without keys. */
export type TrustedAuthorities = Omit<TrustMaterial, 'publicKey'>;

export interface GivenKey {
  readonly secret: string;
  /** Field of the Secret; undefined for any field. */
  readonly field: string | undefined;
  readonly key: KeyObject;
}

/** Returns the key that a policy refers to, or undefined if it was not given. */
export function keyForReference(
  { secret, field }: KeyReference,
  { keys }: SignatureTrust,
): KeyObject | undefined {
  const ofSecret = keys.filter((given) => given.secret === secret);
  const exact = ofSecret.find((given) => given.field === field);
  return (exact ?? ofSecret.find((given) => given.field === undefined))?.key;
}

const PUBLIC =
  /^\s*-----BEGIN (?:RSA )?PUBLIC KEY-----[\s\S]+-----END (?:RSA )?PUBLIC KEY-----\s*$/;

/** Whether a text is a public key in PEM, and not a private key or certificate. */
export function isPublicKeyText(text: string): boolean {
  return PUBLIC.test(text);
}

const KEY_TYPES = ['ec', 'rsa', 'ed25519'];

/** Parses a public key in PEM, as written by `cosign generate-key-pair`. */
export function parsePublicKey(pem: string, file: string): KeyObject {
  const hint = 'it takes a public key in PEM (`cosign.pub`), of type ECDSA, RSA or Ed25519';
  const wrong = () => new InputError('no public key is in it', { origin: { file }, hint });
  if (!isPublicKeyText(pem)) throw wrong();
  let key: KeyObject;
  try {
    key = createPublicKey(pem);
  } catch {
    throw wrong();
  }
  if (!KEY_TYPES.includes(key.asymmetricKeyType ?? '')) throw wrong();
  return key;
}

export function keyFingerprint(key: KeyObject): Digest {
  return sha256(keyDer(key));
}

export function keyDer(key: KeyObject): Buffer {
  return key.export({ type: 'spki', format: 'der' });
}

/** Parses `trusted_root.json`, as written by Sigstore or `cosign trusted-root create`. */
export function parseTrustedRoot(text: string, file: string): TrustedAuthorities {
  const hint = 'it takes a `trusted_root.json`, as `cosign trusted-root create` writes it';
  const json = readJson(text);
  if ('problem' in json) {
    const what = `not a trusted root of Sigstore: it ${json.problem}`;
    throw new InputError(what, { origin: { file }, hint });
  }
  try {
    const material = toTrustMaterial(TrustedRoot.fromJSON(json.value));
    if (material.tlogs.length + material.certificateAuthorities.length > 0) return material;
  } catch {
    // The error below states what is expected.
  }
  throw new InputError('not a trusted root of Sigstore', { origin: { file }, hint });
}
