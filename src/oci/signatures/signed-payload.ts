import { type KeyObject, verify, X509Certificate as NodeCertificate } from 'node:crypto';
import { bundleFromJSON, type TransparencyLogEntry } from '@sigstore/bundle';
import { dsse } from '@sigstore/core';
import type { Descriptor } from '../image/descriptor.js';
import { isDigest, sha256, type Digest } from '../../base/digest.js';
import { fieldsOf, listOf, stringOf } from '../../base/json.js';
import { readJson, type JsonShape } from '../../base/strict-json.js';

/** An unverified signature or attestation with its material. */
export interface SignedPayload {
  /** Signed bytes. */
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

/** Whether a layer or artifact type may be a signature or attestation. */
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

/** Returns the certificate and log entry in cosign's annotations. */
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
  envelope: {
    readonly payloadType: string;
    readonly payload: Buffer;
    readonly signature: Buffer;
  },
  material: Pick<SignedPayload, 'certificate' | 'entries' | 'timestamps'>,
): SignedPayload | string {
  const { payloadType, payload, signature } = envelope;
  if (payloadType !== STATEMENT) return `what is signed is no in-toto statement`;
  const statement = fieldsOf(strictJson(payload, 'what is signed', IN_TOTO));
  const type = stringOf(statement?.get('predicateType'));
  if (type === undefined) return 'what is signed is no in-toto statement';
  const subjects = (listOf(statement?.get('subject')) ?? []).map((subject) => {
    const hex = stringOf(fieldsOf(fieldsOf(subject)?.get('digest'))?.get('sha256'));
    return `sha256:${hex}`;
  });
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
