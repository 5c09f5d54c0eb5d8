import {
  type AuthorityTrust,
  checkSignature,
  type SignerIdentity,
  isBundleType,
  isSignatureType,
  readSignedPayload,
  type SignedPayload,
} from './check-signature.js';
import type { SignaturePolicy, SigningAuthority } from './signature-policy.js';
import { keyForReference, type SignatureTrust } from './trust.js';
import { byCodePoint } from '../../base/collections.js';
import { type Digest, sha256 } from '../../base/digest.js';
import { SourceError } from '../../base/errors.js';
import type { Descriptor } from '../image/descriptor.js';
import type { ImageRepository } from '../image/image-repository.js';
import { parseManifest } from '../image/manifest.js';

export type SignatureVerdict = VerifiedSignature | RefusedImage;

/** The first authority of the policy that signed the image. */
export interface VerifiedSignature {
  readonly policy: string;
  readonly authority: string;
  readonly by: SignerIdentity;
  readonly signature: Digest;
  readonly place: SignaturePlace;
  /** Predicate type of the attestation; undefined for a signature. */
  readonly predicateType: string | undefined;
  /** Whether it has an entry in a transparency log, verified or not. */
  readonly isLogged: boolean;
}

/** No authority signed the image. */
export interface RefusedImage {
  readonly policy: string;
  /** Reason per authority, in the order of the policy. */
  readonly reasons: readonly { readonly authority: string; readonly why: string }[];
}

export function isVerified(verdict: SignatureVerdict): verdict is VerifiedSignature {
  return 'by' in verdict;
}

const PLACES: readonly SignaturePlace[] = ['tag', 'referrer'];

/**
 * Finds a signature that an authority of the policy accepts. Tags are checked first, because
 * clusters check only those; referrers are requested only if no tag is accepted.
 */
export async function checkImage(
  image: SignedImage,
  policy: SignaturePolicy,
  trust: SignatureTrust,
): Promise<SignatureVerdict> {
  const authorities = policy.authorities.map((authority) => {
    return { authority, known: trustOf(authority, trust), reasons: new Set<string>() };
  });
  for (const place of PLACES) {
    const signatures = new Map<SignatureKind, readonly StoredSignature[]>();
    for (const { authority, known, reasons } of authorities) {
      if (typeof known === 'string') {
        reasons.add(known);
        continue;
      }
      const kind = requiredKind(authority);
      const all = signatures.get(kind) ?? (await storedSignatures(image, kind, place));
      signatures.set(kind, all);
      for (const { digest: signature, payload } of all) {
        if (typeof payload === 'string') {
          reasons.add(payload);
          continue;
        }
        const by = checkPayload(payload, authority, known, image.digest);
        if (typeof by !== 'string') {
          const { predicateType, entries } = payload;
          const signer = { policy: policy.name, authority: authority.name, by };
          return { ...signer, signature, place, predicateType, isLogged: entries.length > 0 };
        }
        reasons.add(by);
      }
    }
  }
  return {
    policy: policy.name,
    reasons: authorities.map(({ authority, reasons }) => ({
      authority: authority.name,
      why: summarize([...reasons], requiredKind(authority)),
    })),
  };
}

/** Returns the keys and roots to check an authority with, or why they are missing. */
export function trustOf(
  authority: SigningAuthority,
  trust: SignatureTrust,
): AuthorityTrust | string {
  const { root } = trust;
  if (authority.key === undefined) {
    if (root !== undefined) return { key: undefined, root };
    return 'it is not checked, for no trusted root was given (`--trusted-root FILE`)';
  }
  const key = keyForReference(authority.key, trust);
  if (key !== undefined) return { key, root };
  const { secret, field } = authority.key;
  return `it is not checked, for its key was not given (\`--public-key ${secret}/${field}=FILE\`)`;
}

function checkPayload(
  payload: SignedPayload,
  authority: SigningAuthority,
  known: AuthorityTrust,
  digest: Digest,
): SignerIdentity | string {
  const by = checkSignature(payload, authority, known, digest);
  const { predicateType } = payload;
  if (typeof by === 'string' || predicateType === undefined) return by;
  if (authority.predicateTypes.includes(predicateType)) return by;
  return `it attests \`${predicateType}\`, and not ${authority.predicateTypes.map((type) => `\`${type}\``).join(' or ')}`;
}

const MAX_REASONS = 3;

function summarize(reasons: readonly string[], kind: SignatureKind): string {
  if (reasons.length === 0) return `there is no ${kind}`;
  const shown = reasons.slice(0, MAX_REASONS).join('; ');
  const rest = reasons.length - MAX_REASONS;
  return rest > 0 ? `${shown}; and ${rest} more` : shown;
}

function requiredKind({ predicateTypes }: SigningAuthority): SignatureKind {
  return predicateTypes.length > 0 ? 'attestation' : 'signature';
}

interface SignedImage {
  readonly images: ImageRepository;
  readonly digest: Digest;
}

/** Where a signature is stored: under a tag made of the digest, or as a referrer. */
type SignaturePlace = 'tag' | 'referrer';

type SignatureKind = 'signature' | 'attestation';

interface StoredSignature {
  /** Digest of the signature itself, which does not change when others are added. */
  readonly digest: Digest;
  /** The payload, or why it cannot be read. */
  readonly payload: SignedPayload | string;
}

/** Limits, because anyone with push access can attach data to an image. */
const MAX_SIGNATURES = 100;
const MAX_PAYLOAD_BYTES = 16 * 1024 * 1024;
const MAX_TOTAL_BYTES = 64 * 1024 * 1024;

/** Returns the signatures or attestations of an image at one place, in listed order. */
async function storedSignatures(
  image: SignedImage,
  kind: SignatureKind,
  place: SignaturePlace,
): Promise<readonly StoredSignature[]> {
  const found: StoredSignature[] = [];
  const { images } = image;
  const subject = `${images.name}@${image.digest}`;
  let totalBytes = 0;
  const suffix = kind === 'signature' ? 'sig' : 'att';
  const references =
    place === 'tag'
      ? [`${image.digest.replace(':', '-')}.${suffix}`]
      : await signatureReferrers(image, subject);
  for (const reference of references) {
    for (const layer of await signatureLayers(images, reference)) {
      totalBytes += layer.size;
      if (found.length >= MAX_SIGNATURES) throw tooManySignaturesError(subject);
      if (layer.size > MAX_PAYLOAD_BYTES || totalBytes > MAX_TOTAL_BYTES) {
        throw new SourceError('TOO_LARGE', subject, 'its signatures are too large to be read');
      }
      const bytes = await images.blob(layer);
      const payload = bytes === undefined ? 'it is not there' : readSignedPayload(layer, bytes);
      const digest = typeof payload === 'string' ? layer.digest : sha256(payload.signature);
      found.push({ digest, payload });
    }
  }
  return found.filter(
    ({ payload }) =>
      typeof payload === 'string' ||
      (payload.predicateType === undefined) === (kind === 'signature'),
  );
}

/** Artifact types of cosign, apart from bundles; for an empty one, the layers decide. */
const REFERRER_TYPES = new Set([
  '',
  'application/vnd.oci.empty.v1+json',
  'application/vnd.dev.cosign.artifact.sig.v1+json',
  'application/vnd.dev.cosign.artifact.att.v1+json',
  'application/vnd.in-toto+json',
]);

/** Returns the sorted digests of referrers that may be signatures. */
async function signatureReferrers(
  { images, digest }: SignedImage,
  subject: string,
): Promise<readonly Digest[]> {
  // A cache has no referrers lists, so a missing signature does not mean that there is none.
  if (images.referrers === undefined && images.partial === true) {
    const what =
      'no tag that is kept has a signature that will do, and what refers to it is not known offline';
    throw new SourceError('OFFLINE', subject, what, {
      hint: 'ask the registry, without `--offline`; or `xpkg-resolve bundle FILE.tar` copies signatures, and `--from layout:FILE.tar` reads them there',
    });
  }
  const all = (await images.referrers?.(digest)) ?? [];
  const matching = all.filter(
    ({ artifactType = '' }) => REFERRER_TYPES.has(artifactType) || isBundleType(artifactType),
  );
  if (matching.length > MAX_SIGNATURES) throw tooManySignaturesError(subject);
  return [...new Set(matching.map((each) => each.digest))].sort(byCodePoint);
}

async function signatureLayers(
  images: ImageRepository,
  reference: string,
): Promise<readonly Descriptor[]> {
  const stored = await images.manifest(reference);
  const manifest = stored && parseManifest(stored, `${images.name} ${reference}`);
  if (manifest?.kind !== 'image') return [];
  return manifest.layers.filter(({ mediaType }) => isSignatureType(mediaType));
}

function tooManySignaturesError(subject: string): SourceError {
  const what = `it has more than ${MAX_SIGNATURES} signatures`;
  return new SourceError('TOO_LARGE', subject, what);
}
