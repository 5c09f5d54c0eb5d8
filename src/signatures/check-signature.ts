import type { KeyObject } from 'node:crypto';
import { RFC3161Timestamp, X509Certificate } from '@sigstore/core';
import { VerificationError, Verifier, type SignedEntity, type Signer } from '@sigstore/verify';
import { fieldsOf, listOf, parseJson, stringOf } from '../text/json.js';
import { printable } from '../text/printable.js';
import { isSignedBy, type SignedPayload } from './signed-payload.js';
import type { SigningAuthority } from './signature-policy.js';
import { isForSigning, signerNames } from './signer-certificate.js';
import { keyDer, keyFingerprint, type TrustedAuthorities } from './trust.js';
import type { Digest } from '../text/digest.js';

/** Who signed: the key, or what the certificate says. */
export type SignedBy =
  { readonly key: Digest } | { readonly subject: string; readonly issuer: string };

/** The key of an authority, or what certificates are checked with. */
export type AuthorityTrust =
  | { readonly key: KeyObject; readonly root: TrustedAuthorities | undefined }
  | { readonly key: undefined; readonly root: TrustedAuthorities };

/** Checks a signature or an attestation as one authority wants it; a text: why it will not do. */
export function checkSignature(
  payload: SignedPayload,
  authority: SigningAuthority,
  trust: AuthorityTrust,
  image: Digest,
): SignedBy | string {
  const signer =
    trust.key === undefined
      ? certifiedSigner(payload, authority, trust.root)
      : knownSigner(payload, authority, trust);
  if (typeof signer === 'string') return signer;
  if (payload.subjects.includes(image)) return signer;
  const [other] = payload.subjects;
  return other === undefined ? 'it is about no image' : `it is about another image, ${other}`;
}

/** A signature by a key; its entry in a log is checked where logs are known, as the cluster does. */
function knownSigner(
  payload: SignedPayload,
  authority: SigningAuthority,
  { key, root }: Extract<AuthorityTrust, { readonly key: KeyObject }>,
): SignedBy | string {
  const hash = authority.key?.hash ?? 'sha256';
  if (!isSignedBy(payload, key, hash)) return `it is not signed by the key ${keyFingerprint(key)}`;
  if (root === undefined) return { key: keyFingerprint(key) };
  const verifier = new Verifier(
    { ...root, publicKey: () => ({ publicKey: key, validFor: () => true }) },
    { tlogThreshold: 1, ctlogThreshold: 0, timestampThreshold: 0 },
  );
  const entity: SignedEntity = {
    signature: signatureContent(payload, hash),
    key: { $case: 'public-key', hint: '' },
    tlogEntries: [...payload.entries],
    timestamps: [],
  };
  const checked = verified(verifier, entity, payload);
  if (typeof checked === 'string') return checked;
  return entriesName(payload, keyDer(key)) ? { key: keyFingerprint(key) } : OTHER_KEY;
}

const OTHER_KEY = 'its entry in the transparency log names another key';

/** A signature by a key that an authority certified: authority, logs and identity are checked. */
function certifiedSigner(
  payload: SignedPayload,
  { identities, ignoreSct }: SigningAuthority,
  root: TrustedAuthorities,
): SignedBy | string {
  const { certificate } = payload;
  if (certificate === undefined) return 'it comes without a certificate';
  const verifier = new Verifier(
    { ...root, publicKey: noKey },
    { tlogThreshold: 1, ctlogThreshold: ignoreSct ? 0 : 1, timestampThreshold: 1 },
  );
  const signer = verified(verifier, () => entityOf(payload, certificate), payload);
  if (typeof signer === 'string') return signer;
  if (!entriesName(payload, certificate)) return OTHER_KEY;
  if (!isForSigning(certificate)) return 'its certificate is not for signing code';
  const names = signerNames(certificate);
  const issuer = signer.identity?.extensions?.issuer ?? '';
  const subject = acceptedName(names, identities, issuer);
  if (subject !== undefined) return { subject, issuer };
  const wanted = identities.map(({ text }) => text).join('; or ');
  const found = names.length === 0 ? 'a signer without a name' : named(names);
  return `it is signed by ${found} (issuer \`${printable(issuer)}\`), and not by ${wanted}`;
}

/** The name of a signer that an identity of the policy fits, each name counting, as for cosign. */
function acceptedName(
  names: readonly string[],
  identities: SigningAuthority['identities'],
  issuer: string,
): string | undefined {
  const [first = ''] = names;
  if (identities.length === 0) return first;
  for (const identity of identities) {
    if (!identity.issuer(issuer)) continue;
    if (identity.subject === undefined) return first;
    const fitting = names.find(identity.subject);
    if (fitting !== undefined) return fitting;
  }
  return undefined;
}

const MAX_NAMES = 3;

function named(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).map((name) => `\`${printable(name)}\``);
  const rest = names.length - shown.length;
  return shown.join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

function noKey(): never {
  throw new VerificationError({ code: 'PUBLIC_KEY_ERROR', message: 'no key is known' });
}

function entityOf(payload: SignedPayload, certificate: Buffer): SignedEntity {
  const { entries, timestamps } = payload;
  const timed = entries.filter(({ integratedTime }) => Number(integratedTime) > 0);
  return {
    signature: signatureContent(payload, 'sha256'),
    key: { $case: 'certificate', certificate: X509Certificate.parse(Buffer.from(certificate)) },
    tlogEntries: [...entries],
    timestamps: [
      ...timed.map((tlogEntry) => ({ $case: 'transparency-log' as const, tlogEntry })),
      ...timestamps.map((bytes) => ({
        $case: 'timestamp-authority' as const,
        timestamp: RFC3161Timestamp.parse(Buffer.from(bytes)),
      })),
    ],
  };
}

function signatureContent(payload: SignedPayload, hash: string): SignedEntity['signature'] {
  return {
    signature: payload.signature,
    compareSignature: (signature) => signature.equals(payload.signature),
    compareDigest: (digest) => digest.equals(payload.logged),
    verifySignature: (key) => isSignedBy(payload, key, hash),
  };
}

/** What the library says; it also throws other errors, for it reads what strangers wrote. */
function verified(
  verifier: Verifier,
  entity: SignedEntity | (() => SignedEntity),
  { entries }: SignedPayload,
): Signer | string {
  try {
    return verifier.verify(typeof entity === 'function' ? entity() : entity);
  } catch (error) {
    const { code, message } = error as Partial<VerificationError>;
    if (entries.length === 0) return 'it has no entry in a transparency log';
    if (code === 'SIGNATURE_ERROR') return 'it is not signed by the key of its certificate';
    const what = code === 'CERTIFICATE_ERROR' ? 'certificate' : 'entry in the transparency log';
    if (code === undefined) return `its ${what} cannot be read`;
    return `its ${what} does not hold (${printable(causeOf(error) ?? message ?? '')})`;
  }
}

function causeOf(error: unknown): string | undefined {
  const { cause } = error as { readonly cause?: unknown };
  return cause instanceof Error ? cause.message : undefined;
}

/** Whether entries of logs are about this certificate or key, and no other that signed alike. */
function entriesName({ entries }: SignedPayload, der: Buffer): boolean {
  return entries.every(({ canonicalizedBody }) => {
    const spec = fieldsOf(fieldsOf(parseJson(canonicalizedBody)?.value)?.get('spec'));
    const named = spec === undefined ? undefined : namedIn(spec);
    return named !== undefined && named.equals(der);
  });
}

/** The certificate or key that an entry names, in DER; each kind of entry has its own place for it. */
function namedIn(spec: ReadonlyMap<string, unknown>): Buffer | undefined {
  const [kind = '', below] = [...spec].find(([key]) => key.endsWith('V002')) ?? [];
  if (kind !== '') return fromSecondLog(fieldsOf(below));
  const envelope = fieldsOf(fieldsOf(spec.get('content'))?.get('envelope'));
  const signature =
    fieldsOf(spec.get('signature')) ??
    fieldsOf((listOf(spec.get('signatures')) ?? listOf(envelope?.get('signatures')) ?? [])[0]);
  const key = signature?.get('publicKey') ?? signature?.get('verifier');
  const pem = stringOf(key) ?? stringOf(fieldsOf(key)?.get('content'));
  return pem === undefined ? undefined : derOf(Buffer.from(pem, 'base64').toString('utf8'));
}

function fromSecondLog(below: ReadonlyMap<string, unknown> | undefined): Buffer | undefined {
  const signature =
    fieldsOf(below?.get('signature')) ?? fieldsOf((listOf(below?.get('signatures')) ?? [])[0]);
  const verifier = fieldsOf(signature?.get('verifier'));
  const held = fieldsOf(verifier?.get('publicKey') ?? verifier?.get('x509Certificate'));
  const raw = stringOf(held?.get('rawBytes'));
  return raw === undefined ? undefined : Buffer.from(raw, 'base64');
}

const PEM = /^\s*-----BEGIN ([A-Z ]+)-----([A-Za-z0-9+/=\s]+)-----END \1-----\s*$/;

function derOf(pem: string): Buffer | undefined {
  const body = PEM.exec(pem)?.[2];
  return body === undefined ? undefined : Buffer.from(body, 'base64');
}
