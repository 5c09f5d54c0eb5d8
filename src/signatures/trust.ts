import { createPublicKey, type KeyObject } from 'node:crypto';
import { TrustedRoot } from '@sigstore/protobuf-specs';
import { toTrustMaterial, type TrustMaterial } from '@sigstore/verify';
import { InputError } from '../model/input-error.js';
import { sha256, type Digest } from '../text/digest.js';
import { parseJson } from '../text/json.js';
import type { KeyReference } from './signature-policy.js';

/** What signatures are checked with: keys by the Secrets that hold them, and authorities. */
export interface SignatureTrust {
  readonly keys: readonly GivenKey[];
  /** Authorities and logs; undefined: none are known, so certificates and logs cannot be checked. */
  readonly root: TrustedAuthorities | undefined;
}

/** Authorities that certify signers, and logs: all that `TrustMaterial` holds but a key. */
export type TrustedAuthorities = Omit<TrustMaterial, 'publicKey'>;

export interface GivenKey {
  readonly secret: string;
  /** undefined: whichever field of the Secret a policy names. */
  readonly field: string | undefined;
  readonly key: KeyObject;
}

/** The key that a policy names; undefined: it was not given. */
export function givenKey(
  { secret, field }: KeyReference,
  { keys }: SignatureTrust,
): KeyObject | undefined {
  const named = keys.filter((given) => given.secret === secret);
  const exact = named.find((given) => given.field === field);
  return (exact ?? named.find((given) => given.field === undefined))?.key;
}

const PUBLIC =
  /^\s*-----BEGIN (?:RSA )?PUBLIC KEY-----[\s\S]+-----END (?:RSA )?PUBLIC KEY-----\s*$/;

/** Whether a text is meant to be a public key; a private one and a certificate are not. */
export function isPublicKeyText(text: string): boolean {
  return PUBLIC.test(text);
}

const KEY_TYPES = ['ec', 'rsa', 'ed25519'];

/** A public key in PEM, as `cosign generate-key-pair` writes it. */
export function publicKeyFrom(pem: string, file: string): KeyObject {
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

/** What tells a key from others: the SHA-256 of its DER. */
export function keyFingerprint(key: KeyObject): Digest {
  return sha256(keyDer(key));
}

export function keyDer(key: KeyObject): Buffer {
  return key.export({ type: 'spki', format: 'der' });
}

/** Reads `trusted_root.json`, as Sigstore publishes it and `cosign trusted-root create` writes it. */
export function trustedRootFrom(text: string, file: string): TrustedAuthorities {
  const hint = 'it takes a `trusted_root.json`, as `cosign trusted-root create` writes it';
  const value = parseJson(text)?.value;
  try {
    const material = toTrustMaterial(TrustedRoot.fromJSON(value));
    if (material.tlogs.length + material.certificateAuthorities.length > 0) return material;
  } catch {
    // Told below.
  }
  throw new InputError('not a trusted root of Sigstore', { origin: { file }, hint });
}
