import { type KeyObject, X509Certificate as NodeCertificate } from 'node:crypto';
import { RFC3161Timestamp, X509Certificate } from '@sigstore/core';
import { type SignedEntity, type Signer, VerificationError, Verifier } from '@sigstore/verify';
import type { SigningAuthority } from './signature-policy.js';
import { isSignedBy, type SignedPayload } from './signed-payload.js';
import { keyDer, keyFingerprint, type TrustedAuthorities } from './trust.js';
import type { Digest } from '../../base/digest.js';
import { printable } from '../../base/escape.js';
import { fieldsOf, listOf, stringOf } from '../../base/json.js';
import { readJson } from '../../base/strict-json.js';

/** The signer: a key, or the identity in a certificate. */
export type SignerIdentity =
  { readonly key: Digest } | { readonly subject: string; readonly issuer: string };

/** The key of an authority, or the roots for its certificates. */
export type AuthorityTrust =
  | { readonly key: KeyObject; readonly root: TrustedAuthorities | undefined }
  | { readonly key: undefined; readonly root: TrustedAuthorities };

/** Checks a signature against one authority. Returns the signer, or why it is rejected. */
export function checkSignature(
  payload: SignedPayload,
  authority: SigningAuthority,
  trust: AuthorityTrust,
  image: Digest,
): SignerIdentity | string {
  const signer =
    trust.key === undefined
      ? checkCertificateSignature(payload, authority, trust.root)
      : checkKeySignature(payload, authority, trust);
  if (typeof signer === 'string') return signer;
  if (payload.subjects.includes(image)) return signer;
  const [other] = payload.subjects;
  return other === undefined ? 'it is about no image' : `it is about another image, ${other}`;
}

/** Checks a signature by a known key, and its log entry if logs are known, as the cluster does. */
function checkKeySignature(
  payload: SignedPayload,
  authority: SigningAuthority,
  { key, root }: Extract<AuthorityTrust, { readonly key: KeyObject }>,
): SignerIdentity | string {
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
  const checked = runVerifier(verifier, entity, payload);
  if (typeof checked === 'string') return checked;
  return entriesMatch(payload, keyDer(key)) ? { key: keyFingerprint(key) } : OTHER_KEY;
}

const OTHER_KEY = 'its entry in the transparency log names another key';

/** Checks a signature with a certificate: authority, logs and identity. */
function checkCertificateSignature(
  payload: SignedPayload,
  { identities, ignoreSct }: SigningAuthority,
  root: TrustedAuthorities,
): SignerIdentity | string {
  const { certificate } = payload;
  if (certificate === undefined) return 'it comes without a certificate';
  const verifier = new Verifier(
    { ...root, publicKey: noKey },
    { tlogThreshold: 1, ctlogThreshold: ignoreSct ? 0 : 1, timestampThreshold: 1 },
  );
  const signer = runVerifier(verifier, () => signedEntity(payload, certificate), payload);
  if (typeof signer === 'string') return signer;
  if (!entriesMatch(payload, certificate)) return OTHER_KEY;
  if (!isForSigning(certificate)) return 'its certificate is not for signing code';
  const names = signerNames(certificate);
  const issuer = signer.identity?.extensions?.issuer ?? '';
  const subject = matchingName(names, identities, issuer);
  if (subject !== undefined) return { subject, issuer };
  const wanted = identities.map(({ text }) => text).join('; or ');
  const found = names.length === 0 ? 'a signer without a name' : namesText(names);
  return `it is signed by ${found} (issuer \`${printable(issuer)}\`), and not by ${wanted}`;
}

/** Returns a signer name that matches an identity of the policy. All names count, as in cosign. */
function matchingName(
  names: readonly string[],
  identities: SigningAuthority['identities'],
  issuer: string,
): string | undefined {
  const [first = ''] = names;
  if (identities.length === 0) return first;
  for (const identity of identities) {
    if (!identity.issuer(issuer)) continue;
    if (identity.subject === undefined) return first;
    const matching = names.find(identity.subject);
    if (matching !== undefined) return matching;
  }
  return undefined;
}

const MAX_NAMES = 3;

function namesText(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).map((name) => `\`${printable(name)}\``);
  const rest = names.length - shown.length;
  return shown.join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

function noKey(): never {
  throw new VerificationError({ code: 'PUBLIC_KEY_ERROR', message: 'no key is known' });
}

function signedEntity(payload: SignedPayload, certificate: Buffer): SignedEntity {
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

/** Runs the verifier. It also throws other errors, because the input is untrusted. */
function runVerifier(
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

/** Whether all log entries are about this certificate or key. */
function entriesMatch({ entries }: SignedPayload, der: Buffer): boolean {
  return entries.every(({ canonicalizedBody }) => {
    const body = readJson(canonicalizedBody, { fields: { spec: 'any' } });
    const spec = 'value' in body ? fieldsOf(fieldsOf(body.value)?.get('spec')) : undefined;
    const named = spec === undefined ? undefined : signerInEntry(spec);
    return named !== undefined && named.equals(der);
  });
}

/** Returns the certificate or key (DER) of a log entry. Each kind of entry stores it elsewhere. */
function signerInEntry(spec: ReadonlyMap<string, unknown>): Buffer | undefined {
  const [kind = '', below] = [...spec].find(([key]) => key.endsWith('V002')) ?? [];
  if (kind !== '') return signerInRekorV2(fieldsOf(below));
  const envelope = fieldsOf(fieldsOf(spec.get('content'))?.get('envelope'));
  const signature =
    fieldsOf(spec.get('signature')) ??
    fieldsOf((listOf(spec.get('signatures')) ?? listOf(envelope?.get('signatures')) ?? [])[0]);
  const key = signature?.get('publicKey') ?? signature?.get('verifier');
  const pem = stringOf(key) ?? stringOf(fieldsOf(key)?.get('content'));
  return pem === undefined ? undefined : pemToDer(Buffer.from(pem, 'base64').toString('utf8'));
}

function signerInRekorV2(below: ReadonlyMap<string, unknown> | undefined): Buffer | undefined {
  const signature =
    fieldsOf(below?.get('signature')) ?? fieldsOf((listOf(below?.get('signatures')) ?? [])[0]);
  const verifier = fieldsOf(signature?.get('verifier'));
  const material = fieldsOf(verifier?.get('publicKey') ?? verifier?.get('x509Certificate'));
  const raw = stringOf(material?.get('rawBytes'));
  return raw === undefined ? undefined : Buffer.from(raw, 'base64');
}

const PEM = /^\s*-----BEGIN ([A-Z ]+)-----([A-Za-z0-9+/=\s]+)-----END \1-----\s*$/;

function pemToDer(pem: string): Buffer | undefined {
  const body = PEM.exec(pem)?.[2];
  return body === undefined ? undefined : Buffer.from(body, 'base64');
}

const ALTERNATIVE_NAMES = '2.5.29.17';
/** The only type of other name that Fulcio writes. */
const USER_NAME = '1.3.6.1.4.1.57264.1.7';
const TAG = { other: 0, email: 1, dns: 2, uri: 6, ip: 7 } as const;

/** Returns all signer names in a certificate (DER), in the order of cosign. */
function signerNames(certificate: Buffer): readonly string[] {
  const extension = X509Certificate.parse(Buffer.from(certificate)).extension(ALTERNATIVE_NAMES);
  const all = extension?.valueObj.subs[0]?.subs ?? [];
  const tagged = (tag: number) => all.filter((name) => name.tag.isContextSpecific(tag));
  // Not `ascii`, which drops a bit, so that different bytes could match the expected name.
  const texts = (tag: number) => tagged(tag).map(({ value }) => value.toString('latin1'));
  return [
    ...texts(TAG.dns),
    ...texts(TAG.email),
    ...tagged(TAG.ip).flatMap(({ value }) => addressText(value) ?? []),
    ...texts(TAG.uri),
    ...userName(tagged(TAG.other)),
  ];
}

function addressText(bytes: Buffer): string | undefined {
  if (bytes.length === 4) return bytes.join('.');
  if (bytes.length !== 16) return undefined;
  const address = bytes.toString('hex').replace(/....(?=.)/g, '$&:');
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}

/** Other names count only if there is exactly one, of Fulcio's type. */
function userName(others: readonly X509Certificate['root'][]): readonly string[] {
  const [type, value] = others.length === 1 ? others[0]!.subs : [];
  const text = value?.subs[0]?.value.toString('utf8');
  if (text === undefined || type?.tag.isOID() !== true) return [];
  return type.toOID() === USER_NAME ? [text] : [];
}

const SIGNING_USES = ['1.3.6.1.5.5.7.3.3', '2.5.29.37.0'];

/** Whether a certificate (DER) allows code signing. Without key usages it allows everything. */
function isForSigning(certificate: Buffer): boolean {
  const uses = new NodeCertificate(certificate).keyUsage as readonly string[] | undefined;
  return uses === undefined || uses.some((use) => SIGNING_USES.includes(use));
}
