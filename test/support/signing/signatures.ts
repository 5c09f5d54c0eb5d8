import { createHash, createPublicKey, sign, X509Certificate, type KeyObject } from 'node:crypto';
import { blobOf, imageOf, type Image } from '../registry/image.js';
import type { CertificateAuthority } from './certificate-authority.js';
import type { TransparencyLog } from './transparency-log.js';

export const LAYER = {
  simple: 'application/vnd.dev.cosign.simplesigning.v1+json',
  envelope: 'application/vnd.dsse.envelope.v1+json',
  bundle: 'application/vnd.dev.sigstore.bundle.v0.3+json',
} as const;
export const SIGNING = 'https://sigstore.dev/cosign/sign/v1';
const STATEMENT = 'application/vnd.in-toto+json';

export interface SigningOptions {
  readonly key: KeyObject;
  /** Certificates of keyless signers, in PEM. */
  readonly certificate?: string | undefined;
  readonly hash?: string | undefined;
  /** The transparency log; undefined: the signature is in no log. */
  readonly log?: TransparencyLog | undefined;
  /** Time of the log entry. */
  readonly at?: Date | undefined;
}

/** One signature or attestation as cosign stores it: a layer, its type and its annotations. */
export interface SignatureLayer {
  readonly mediaType: string;
  readonly bytes: string;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Returns the payload that cosign signs in the older format. */
export function simplePayload(digest: string): string {
  return JSON.stringify({
    critical: {
      identity: { 'docker-reference': 'registry.example.test/acme/p' },
      image: { 'docker-manifest-digest': digest },
      type: 'cosign container image signature',
    },
    optional: null,
  });
}

export function simpleSignature(
  digest: string,
  options: SigningOptions,
  payload = simplePayload(digest),
): SignatureLayer {
  const signature = signed(Buffer.from(payload), options);
  const body = {
    apiVersion: '0.0.1',
    kind: 'hashedrekord',
    spec: {
      data: { hash: { algorithm: 'sha256', value: hex(payload) } },
      signature: {
        content: signature.toString('base64'),
        publicKey: { content: Buffer.from(verifierOf(options)).toString('base64') },
      },
    },
  };
  return {
    mediaType: LAYER.simple,
    bytes: payload,
    annotations: {
      'dev.cosignproject.cosign/signature': signature.toString('base64'),
      ...annotationsOf(options, body),
    },
  };
}

export interface Statement {
  readonly digest: string;
  readonly predicateType: string;
}

/** Returns an attestation in the older format. */
export function attestation(statement: Statement, options: SigningOptions): SignatureLayer {
  const { envelope, body } = envelopeOf(statement, options);
  return {
    mediaType: LAYER.envelope,
    bytes: JSON.stringify(envelope),
    annotations: { predicateType: statement.predicateType, ...annotationsOf(options, body) },
  };
}

/** Returns a signature (of type `SIGNING`) or an attestation in the bundle format. */
export function bundle(statement: Statement, options: SigningOptions): SignatureLayer {
  const { envelope, body } = envelopeOf(statement, options);
  const { certificate, log } = options;
  const content = {
    mediaType: LAYER.bundle,
    verificationMaterial: {
      ...(certificate === undefined
        ? { publicKey: { hint: 'hint' } }
        : {
            certificate: { rawBytes: new X509Certificate(certificate).raw.toString('base64') },
          }),
      tlogEntries: log === undefined ? [] : [log.tlogEntry(entryOf(options, body))],
    },
    dsseEnvelope: envelope,
  };
  return { mediaType: LAYER.bundle, bytes: JSON.stringify(content), annotations: {} };
}

function envelopeOf({ digest, predicateType }: Statement, options: SigningOptions) {
  const payload = Buffer.from(
    JSON.stringify({
      _type: 'https://in-toto.io/Statement/v1',
      subject: [{ name: '', digest: { sha256: digest.slice('sha256:'.length) } }],
      predicateType,
      predicate: {},
    }),
  );
  const encoded = Buffer.concat([
    Buffer.from(`DSSEv1 ${STATEMENT.length} ${STATEMENT} ${payload.length} `),
    payload,
  ]);
  const sig = signed(encoded, options).toString('base64');
  const envelope = {
    payload: payload.toString('base64'),
    payloadType: STATEMENT,
    signatures: [{ sig }],
  };
  const verifier = Buffer.from(verifierOf(options)).toString('base64');
  const body = {
    apiVersion: '0.0.1',
    kind: 'dsse',
    spec: {
      envelopeHash: { algorithm: 'sha256', value: hex(JSON.stringify(envelope)) },
      payloadHash: { algorithm: 'sha256', value: hex(payload) },
      signatures: [{ signature: sig, verifier }],
    },
  };
  return { envelope, body };
}

function annotationsOf(options: SigningOptions, body: object): Record<string, string> {
  const { certificate, log } = options;
  return {
    ...(certificate !== undefined && { 'dev.sigstore.cosign/certificate': certificate }),
    ...(log !== undefined && {
      'dev.sigstore.cosign/bundle': log.annotation(entryOf(options, body)),
    }),
  };
}

function entryOf({ at = new Date() }: SigningOptions, body: object) {
  return { body: Buffer.from(JSON.stringify(body)), at: Math.floor(at.getTime() / 1000) };
}

function signed(bytes: Uint8Array, { key, hash = 'sha256' }: SigningOptions): Buffer {
  return sign(key.asymmetricKeyType === 'ed25519' ? null : hash, bytes, key);
}

function verifierOf({ key, certificate }: SigningOptions): string {
  return certificate ?? publicPem(key);
}

export function publicPem(key: KeyObject): string {
  return createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString();
}

function hex(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Returns a manifest with signatures; with a subject, it is a referrer of that image. */
export function signatureManifest(
  layers: readonly SignatureLayer[],
  referring?: { readonly subject: Image; readonly artifactType: string },
): Image {
  const blobs = layers.map(({ bytes, annotations }) => ({ ...blobOf(bytes), annotations }));
  const plain = imageOf(blobs, '{}', {
    layer: layers[0]?.mediaType ?? LAYER.simple,
    ...(referring !== undefined && { artifactType: referring.artifactType }),
  });
  if (referring === undefined) return plain;
  const { mediaType, digest, bytes } = referring.subject;
  const manifest = {
    ...(JSON.parse(Buffer.from(plain.bytes).toString('utf8')) as object),
    subject: { mediaType, digest, size: bytes.length },
  };
  return { ...plain, ...blobOf(JSON.stringify(manifest)) };
}

/** Returns the `trusted_root.json` of an authority and its logs. */
export function trustedRoot(
  authority: CertificateAuthority,
  { log, certificates }: { readonly log: TransparencyLog; readonly certificates: TransparencyLog },
): string {
  return JSON.stringify({
    mediaType: 'application/vnd.dev.sigstore.trustedroot+json;version=0.1',
    tlogs: [log.instance],
    certificateAuthorities: [authority.instance],
    ctlogs: [certificates.instance],
    timestampAuthorities: [],
  });
}
