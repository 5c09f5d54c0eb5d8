import { verify, type KeyObject } from 'node:crypto';
import { X509Certificate as NodeCertificate } from 'node:crypto';
import { bundleFromJSON, type TransparencyLogEntry } from '@sigstore/bundle';
import { dsse } from '@sigstore/core';
import type { Descriptor } from '../image/descriptor.js';
import { isDigest, sha256, type Digest } from '../text/digest.js';
import { fieldsOf, listOf, parseJson, stringOf } from '../text/json.js';

/** A signature or an attestation, with all that came with it; nothing of it is checked. */
export interface SignedPayload {
  /** What is signed. */
  readonly message: Buffer;
  readonly signature: Buffer;
  /** SHA-256 of what a log knows it by. */
  readonly logged: Buffer;
  /** In DER; undefined: it comes without one. */
  readonly certificate: Buffer | undefined;
  readonly entries: readonly TransparencyLogEntry[];
  /** RFC 3161. */
  readonly timestamps: readonly Buffer[];
  /** Images that it is about, as what is signed says. */
  readonly subjects: readonly Digest[];
  /** Of an attestation; undefined: it is a signature. */
  readonly predicateType: string | undefined;
}

const LAYER = {
  simple: 'application/vnd.dev.cosign.simplesigning.v1+json',
  envelope: 'application/vnd.dsse.envelope.v1+json',
} as const;
const BUNDLE =
  /^application\/vnd\.dev\.sigstore\.bundle(?:\.v0\.[1-3])?\+json(?:;version=0\.[1-3])?$/;

/** Whether a layer, or an artifact by its type, may hold a signature or an attestation. */
export function isSignatureType(mediaType: string): boolean {
  return mediaType === LAYER.simple || mediaType === LAYER.envelope || isBundleType(mediaType);
}

export function isBundleType(mediaType: string): boolean {
  return BUNDLE.test(mediaType);
}

/** Reads a layer and its annotations; a text: why it cannot be read. */
export function readSignedPayload(layer: Descriptor, bytes: Uint8Array): SignedPayload | string {
  try {
    if (isBundleType(layer.mediaType)) return fromBundle(bytes);
    return layer.mediaType === LAYER.simple
      ? fromSimpleSigning(layer, Buffer.from(bytes))
      : fromEnvelope(layer, bytes);
  } catch {
    return 'it is damaged';
  }
}

const ANNOTATION = {
  signature: 'dev.cosignproject.cosign/signature',
  certificate: 'dev.sigstore.cosign/certificate',
  bundle: 'dev.sigstore.cosign/bundle',
} as const;

function fromSimpleSigning(layer: Descriptor, payload: Buffer): SignedPayload | string {
  const signature = layer.annotations.get(ANNOTATION.signature);
  if (signature === undefined) return `it lacks the annotation \`${ANNOTATION.signature}\``;
  const critical = fieldsOf(fieldsOf(parseJson(payload)?.value)?.get('critical'));
  const subject = stringOf(fieldsOf(critical?.get('image'))?.get('docker-manifest-digest')) ?? '';
  return {
    message: payload,
    signature: Buffer.from(signature, 'base64'),
    logged: hashOf(payload),
    ...annotated(layer),
    subjects: isDigest(subject) ? [subject] : [],
    predicateType: undefined,
  };
}

/** What annotations of cosign hold beside the signature: the certificate, and the entry of a log. */
function annotated({ annotations }: Descriptor) {
  const pem = annotations.get(ANNOTATION.certificate);
  const entry = annotations.get(ANNOTATION.bundle);
  return {
    certificate: pem === undefined ? undefined : new NodeCertificate(pem).raw,
    entries: entry === undefined ? [] : [entryFrom(entry)],
    timestamps: [],
  };
}

/** The entry of a log with its promise, as cosign writes it into an annotation. */
function entryFrom(text: string): TransparencyLogEntry {
  const fields = fieldsOf(JSON.parse(text))!;
  const payload = fieldsOf(fields.get('Payload'))!;
  const body = Buffer.from(stringOf(payload.get('body'))!, 'base64');
  const { kind, apiVersion } = JSON.parse(body.toString('utf8')) as Record<string, unknown>;
  return {
    logIndex: String(payload.get('logIndex')),
    logId: { keyId: Buffer.from(stringOf(payload.get('logID'))!, 'hex') },
    kindVersion: { kind: String(kind), version: String(apiVersion) },
    integratedTime: String(payload.get('integratedTime')),
    inclusionPromise: {
      signedEntryTimestamp: Buffer.from(stringOf(fields.get('SignedEntryTimestamp'))!, 'base64'),
    },
    inclusionProof: undefined,
    canonicalizedBody: body,
  };
}

function fromEnvelope(layer: Descriptor, bytes: Uint8Array): SignedPayload | string {
  const fields = fieldsOf(parseJson(bytes)?.value);
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
  return fromStatement(envelope, annotated(layer));
}

const STATEMENT = 'application/vnd.in-toto+json';
/** The predicate of a signature in the bundle format, which has statements alone. */
const SIGNING = 'https://sigstore.dev/cosign/sign/v1';

function fromStatement(
  envelope: {
    readonly payloadType: string;
    readonly payload: Buffer;
    readonly signature: Buffer;
  },
  material: Pick<SignedPayload, 'certificate' | 'entries' | 'timestamps'>,
): SignedPayload | string {
  const { payloadType, payload, signature } = envelope;
  if (payloadType !== STATEMENT) return `what is signed is no in-toto statement`;
  const statement = fieldsOf(parseJson(payload)?.value);
  const type = stringOf(statement?.get('predicateType'));
  if (type === undefined) return 'what is signed is no in-toto statement';
  const subjects = (listOf(statement?.get('subject')) ?? []).map((subject) => {
    const hex = stringOf(fieldsOf(fieldsOf(subject)?.get('digest'))?.get('sha256'));
    return `sha256:${hex}`;
  });
  return {
    message: dsse.preAuthEncoding(payloadType, payload),
    signature,
    logged: hashOf(payload),
    ...material,
    subjects: subjects.filter((subject) => isDigest(subject)),
    predicateType: type === SIGNING ? undefined : type,
  };
}

function fromBundle(bytes: Uint8Array): SignedPayload | string {
  const { content, verificationMaterial } = bundleFromJSON(parseJson(bytes)?.value);
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

function hashOf(bytes: Uint8Array): Buffer {
  return Buffer.from(sha256(bytes).slice('sha256:'.length), 'hex');
}

/** Whether a key signed a payload; Ed25519 signs what it is given, all others a hash of it. */
export function isSignedBy(
  { message, signature }: SignedPayload,
  key: KeyObject,
  hash: string,
): boolean {
  const algorithm = key.asymmetricKeyType === 'ed25519' ? null : hash;
  try {
    return verify(algorithm, message, key, signature);
  } catch {
    return false;
  }
}
