import { type KeyObject, X509Certificate as NodeCertificate, verify } from 'node:crypto';
import { RFC3161Timestamp, X509Certificate, dsse } from '@sigstore/core';
import { type SignedEntity, type Signer, VerificationError, Verifier } from '@sigstore/verify';
import { bundleFromJSON, type TransparencyLogEntry } from '@sigstore/bundle';
import type { SigningAuthority } from './signature-policy.js';
import { keyDer, keyFingerprint, type TrustedAuthorities } from './trust.js';
import { type Digest, isDigest, sha256 } from '../../base/digest.js';
import { printable } from '../../base/escape.js';
import { fieldsOf, listOf, stringOf } from '../../base/json.js';
import { shortList } from '../../base/messages.js';
import { readJson, type JsonShape } from '../../base/strict-json.js';
import type { Descriptor } from '../image/descriptor.js';

/** An unverified signature or attestation with its material. */
export interface SignedPayload {
  readonly message: Buffer;
  readonly signature: Buffer;
  /** SHA-256 by which a transparency log identifies the content. */
  readonly logged: Buffer;
  /** Certificate in DER; undefined if there is none. */
  readonly certificate: Buffer | undefined;
  readonly entries: readonly TransparencyLogEntry[];
  /** RFC 3161 timestamps. */
  readonly timestamps: readonly Buffer[];
  /** Digests of the images that the signed content names. */
  readonly subjects: readonly Digest[];
  /** Predicate type of an attestation; undefined for a signature. */
  readonly predicateType: string | undefined;
}

const LAYER = {
  simple: 'application/vnd.dev.cosign.simplesigning.v1+json',
  envelope: 'application/vnd.dsse.envelope.v1+json',
} as const;
const BUNDLE =
  /^application\/vnd\.dev\.sigstore\.bundle(?:\.v0\.[1-3])?\+json(?:;version=0\.[1-3])?$/;

export function isSignatureType(mediaType: string): boolean {
  return mediaType === LAYER.simple || mediaType === LAYER.envelope || isBundleType(mediaType);
}

export function isBundleType(mediaType: string): boolean {
  return BUNDLE.test(mediaType);
}

/** Parses a layer and its annotations. Returns the reason if it cannot be read. */
export function readSignedPayload(layer: Descriptor, bytes: Uint8Array): SignedPayload | string {
  try {
    if (isBundleType(layer.mediaType)) return fromBundle(bytes);
    return layer.mediaType === LAYER.simple
      ? fromSimpleSigning(layer, Buffer.from(bytes))
      : fromEnvelope(layer, bytes);
  } catch (error) {
    return error instanceof AmbiguousJson ? error.message : 'it is damaged';
  }
}

/** Thrown for JSON that other programs could read differently. The message is the reason. */
class AmbiguousJson extends Error {}

function strictJson(json: string | Uint8Array, what: string, shape?: JsonShape): unknown {
  const read = readJson(json, shape);
  if ('problem' in read) throw new AmbiguousJson(`${what} ${read.problem}`);
  return read.value;
}

/** The fields that cosign reads from the signed content. */
const SIMPLE_SIGNING: JsonShape = {
  fields: {
    critical: {
      fields: {
        identity: { fields: { 'docker-reference': 'string' } },
        image: { fields: { 'docker-manifest-digest': 'string' } },
        type: 'string',
      },
    },
    optional: { each: 'any' },
  },
};

/** The fields of cosign's `bundle.RekorBundle`. */
const LOG_BUNDLE: JsonShape = {
  fields: {
    SignedEntryTimestamp: 'bytes',
    Payload: {
      fields: { body: 'any', integratedTime: 'integer', logIndex: 'integer', logID: 'string' },
    },
  },
};

const LOG_ENTRY: JsonShape = { fields: { apiVersion: 'string', kind: 'string', spec: 'any' } };

/** The fields of the Go library `dsse`. */
const ENVELOPE: JsonShape = {
  fields: {
    payloadType: 'string',
    payload: 'string',
    signatures: [{ fields: { keyid: 'string', sig: 'string' } }],
  },
};

const IN_TOTO: JsonShape = {
  fields: {
    _type: 'string',
    predicateType: 'string',
    subject: [{ fields: { name: 'string', digest: { each: 'string' } } }],
    predicate: 'any',
  },
};

const ANNOTATION = {
  signature: 'dev.cosignproject.cosign/signature',
  certificate: 'dev.sigstore.cosign/certificate',
  bundle: 'dev.sigstore.cosign/bundle',
} as const;

function fromSimpleSigning(layer: Descriptor, payload: Buffer): SignedPayload | string {
  const signature = layer.annotations.get(ANNOTATION.signature);
  if (signature === undefined) return `it lacks the annotation \`${ANNOTATION.signature}\``;
  const signed = strictJson(payload, 'what is signed', SIMPLE_SIGNING);
  const critical = fieldsOf(fieldsOf(signed)?.get('critical'));
  const subject = stringOf(fieldsOf(critical?.get('image'))?.get('docker-manifest-digest')) ?? '';
  return {
    message: payload,
    signature: Buffer.from(signature, 'base64'),
    logged: sha256Bytes(payload),
    ...annotationMaterial(layer),
    subjects: isDigest(subject) ? [subject] : [],
    predicateType: undefined,
  };
}

function annotationMaterial({ annotations }: Descriptor) {
  const pem = annotations.get(ANNOTATION.certificate);
  const entry = annotations.get(ANNOTATION.bundle);
  return {
    certificate: pem === undefined ? undefined : new NodeCertificate(pem).raw,
    entries: entry === undefined ? [] : [parseLogEntry(entry)],
    timestamps: [],
  };
}

/** Parses a log entry with its inclusion promise from cosign's annotation. */
function parseLogEntry(text: string): TransparencyLogEntry {
  const fields = fieldsOf(strictJson(text, 'its log entry', LOG_BUNDLE))!;
  const payload = fieldsOf(fields.get('Payload'))!;
  const body = Buffer.from(stringOf(payload.get('body'))!, 'base64');
  const entry = fieldsOf(strictJson(body, 'its log entry', LOG_ENTRY))!;
  return {
    logIndex: String(payload.get('logIndex')),
    logId: { keyId: Buffer.from(stringOf(payload.get('logID'))!, 'hex') },
    kindVersion: { kind: String(entry.get('kind')), version: String(entry.get('apiVersion')) },
    integratedTime: String(payload.get('integratedTime')),
    inclusionPromise: {
      signedEntryTimestamp: Buffer.from(stringOf(fields.get('SignedEntryTimestamp'))!, 'base64'),
    },
    inclusionProof: undefined,
    canonicalizedBody: body,
  };
}

function fromEnvelope(layer: Descriptor, bytes: Uint8Array): SignedPayload | string {
  const fields = fieldsOf(strictJson(bytes, 'its envelope', ENVELOPE));
  const signatures = listOf(fields?.get('signatures')) ?? [];
  const signature = stringOf(fieldsOf(signatures[0])?.get('sig'));
  const payload = stringOf(fields?.get('payload'));
  if (signatures.length !== 1 || signature === undefined || payload === undefined) {
    return 'it is no envelope with one signature';
  }
  const envelope = {
    payloadType: stringOf(fields?.get('payloadType')) ?? '',
    payload: Buffer.from(payload, 'base64'),
    signature: Buffer.from(signature, 'base64'),
  };
  return fromStatement(envelope, annotationMaterial(layer));
}

const STATEMENT = 'application/vnd.in-toto+json';
/** Predicate type of a signature in the bundle format, where every payload is a statement. */
const SIGNING = 'https://sigstore.dev/cosign/sign/v1';

function fromStatement(
  {
    payloadType,
    payload,
    signature,
  }: Record<'payload' | 'signature', Buffer> & { readonly payloadType: string },
  material: Pick<SignedPayload, 'certificate' | 'entries' | 'timestamps'>,
): SignedPayload | string {
  if (payloadType !== STATEMENT) return 'what is signed is no in-toto statement';
  const statement = fieldsOf(strictJson(payload, 'what is signed', IN_TOTO));
  const type = stringOf(statement?.get('predicateType'));
  if (type === undefined) return 'what is signed is no in-toto statement';
  const subjects = (listOf(statement?.get('subject')) ?? []).map(
    (subject) => `sha256:${stringOf(fieldsOf(fieldsOf(subject)?.get('digest'))?.get('sha256'))}`,
  );
  return {
    message: dsse.preAuthEncoding(payloadType, payload),
    signature,
    logged: sha256Bytes(payload),
    ...material,
    subjects: subjects.filter((subject) => isDigest(subject)),
    predicateType: type === SIGNING ? undefined : type,
  };
}

function fromBundle(bytes: Uint8Array): SignedPayload | string {
  const { content, verificationMaterial } = bundleFromJSON(strictJson(bytes, 'its bundle'));
  if (content.$case !== 'dsseEnvelope') return 'what is signed is no in-toto statement';
  const { payloadType, payload, signatures } = content.dsseEnvelope;
  const { tlogEntries, timestampVerificationData } = verificationMaterial;
  return fromStatement(
    { payloadType, payload: Buffer.from(payload), signature: Buffer.from(signatures[0]!.sig) },
    {
      certificate: certificateIn(verificationMaterial.content),
      entries: tlogEntries,
      timestamps: (timestampVerificationData?.rfc3161Timestamps ?? []).map(({ signedTimestamp }) =>
        Buffer.from(signedTimestamp),
      ),
    },
  );
}

type BundleKey = ReturnType<typeof bundleFromJSON>['verificationMaterial']['content'];

function certificateIn(key: BundleKey): Buffer | undefined {
  if (key.$case === 'publicKey') return undefined;
  const raw =
    key.$case === 'certificate'
      ? key.certificate.rawBytes
      : key.x509CertificateChain.certificates[0]!.rawBytes;
  return Buffer.from(raw);
}

function sha256Bytes(bytes: Uint8Array): Buffer {
  return Buffer.from(sha256(bytes).slice('sha256:'.length), 'hex');
}

/** Whether a key signed a payload. Ed25519 signs the message itself, all others its hash. */
function isSignedBy({ message, signature }: SignedPayload, key: KeyObject, hash: string): boolean {
  const algorithm = key.asymmetricKeyType === 'ed25519' ? null : hash;
  try {
    return verify(algorithm, message, key, signature);
  } catch {
    return false;
  }
}

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
  const checked = runVerifier(verifier, payload, () => ({
    signature: signatureContent(payload, hash),
    key: { $case: 'public-key', hint: '' },
    tlogEntries: [...payload.entries],
    timestamps: [],
  }));
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
  const signer = runVerifier(verifier, payload, () => signedEntity(payload, certificate));
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
  const quoted = names.map((name) => `\`${printable(name)}\``);
  return shortList(quoted, MAX_NAMES);
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
  { entries }: SignedPayload,
  entity: () => SignedEntity,
): Signer | string {
  try {
    return verifier.verify(entity());
  } catch (error) {
    const { code, message, cause } = error as Partial<VerificationError>;
    if (entries.length === 0) return 'it has no entry in a transparency log';
    if (code === 'SIGNATURE_ERROR') return 'it is not signed by the key of its certificate';
    const what = code === 'CERTIFICATE_ERROR' ? 'certificate' : 'entry in the transparency log';
    if (code === undefined) return `its ${what} cannot be read`;
    return `its ${what} does not hold (${printable((cause instanceof Error ? cause.message : message) ?? '')})`;
  }
}

/** Whether all log entries are about this certificate or key. */
function entriesMatch({ entries }: SignedPayload, der: Buffer): boolean {
  return entries.every(({ canonicalizedBody }) => {
    const body = readJson(canonicalizedBody, { fields: { spec: 'any' } });
    const spec = 'value' in body ? fieldsOf(fieldsOf(body.value)?.get('spec')) : undefined;
    const signer = spec === undefined ? undefined : signerInEntry(spec);
    return signer !== undefined && signer.equals(der);
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
  const body = pem && PEM.exec(Buffer.from(pem, 'base64').toString('utf8'))?.[2];
  return body ? Buffer.from(body, 'base64') : undefined;
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
