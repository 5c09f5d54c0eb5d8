import type { Descriptor } from '../image/descriptor.js';
import type { ImageRepository } from '../image/image-repository.js';
import { parseManifest } from '../image/manifest.js';
import { SourceError } from '../model/source-error.js';
import { byCodePoint } from '../text/code-point-order.js';
import { sha256, type Digest } from '../text/digest.js';
import {
  isBundleType,
  isSignatureType,
  readSignedPayload,
  type SignedPayload,
} from './signed-payload.js';

/** An image whose signatures are looked at. */
export interface SignedImage {
  readonly images: ImageRepository;
  readonly digest: Digest;
}

/** Where signatures are: under a tag made of the digest, where clusters look, or as referrers. */
export type SignaturePlace = 'tag' | 'referrer';

export type SignatureKind = 'signature' | 'attestation';

export interface StoredSignature {
  readonly place: SignaturePlace;
  /** Of the signature itself, which stays when another is added beside it. */
  readonly digest: Digest;
  /** A text: why it cannot be read. */
  readonly payload: SignedPayload | string;
}

/** What exceeds one of these is refused: strangers may attach to an image what they like. */
const MAX_SIGNATURES = 100;
const MAX_PAYLOAD_BYTES = 16 * 1024 * 1024;
const MAX_TOTAL_BYTES = 64 * 1024 * 1024;

/** Signatures, or attestations, of an image at one place; in the order in which they are listed. */
export async function storedSignatures(
  image: SignedImage,
  kind: SignatureKind,
  place: SignaturePlace,
): Promise<readonly StoredSignature[]> {
  const read = new SignatureReader(image, place);
  const suffix = kind === 'signature' ? 'sig' : 'att';
  if (place === 'tag') await read.manifest(`${image.digest.replace(':', '-')}.${suffix}`);
  else for (const digest of await read.referrers()) await read.manifest(digest);
  return read.found.filter(
    ({ payload }) =>
      typeof payload === 'string' ||
      (payload.predicateType === undefined) === (kind === 'signature'),
  );
}

/**
 * Types of artifacts that cosign attaches, beside bundles. A list that clients keep under a tag may
 * have the type of the config in its place, which is empty, or none: the layers tell then.
 */
const REFERRER_TYPES = new Set([
  '',
  'application/vnd.oci.empty.v1+json',
  'application/vnd.dev.cosign.artifact.sig.v1+json',
  'application/vnd.dev.cosign.artifact.att.v1+json',
  'application/vnd.in-toto+json',
]);

class SignatureReader {
  readonly found: StoredSignature[] = [];
  readonly #image: SignedImage;
  readonly #place: SignaturePlace;
  #bytes = 0;

  constructor(image: SignedImage, place: SignaturePlace) {
    this.#image = image;
    this.#place = place;
  }

  /** Digests of referrers that may hold what is looked for, sorted. */
  async referrers(): Promise<readonly Digest[]> {
    const { images, digest } = this.#image;
    if (images.referrers === undefined && images.partial === true) throw this.#unknown();
    const all = (await images.referrers?.(digest)) ?? [];
    const fitting = all.filter(
      ({ artifactType = '' }) => REFERRER_TYPES.has(artifactType) || isBundleType(artifactType),
    );
    if (fitting.length > MAX_SIGNATURES) throw this.#tooMany();
    return [...new Set(fitting.map((each) => each.digest))].sort(byCodePoint);
  }

  async manifest(reference: string): Promise<void> {
    const { images } = this.#image;
    const stored = await images.manifest(reference);
    if (stored === undefined) return;
    const manifest = parseManifest(stored, `${images.name} ${reference}`);
    if (manifest.kind !== 'image') return;
    for (const layer of manifest.layers) {
      if (isSignatureType(layer.mediaType)) await this.#layer(layer);
    }
  }

  async #layer(layer: Descriptor): Promise<void> {
    this.#bytes += layer.size;
    if (this.found.length >= MAX_SIGNATURES) throw this.#tooMany();
    if (layer.size > MAX_PAYLOAD_BYTES || this.#bytes > MAX_TOTAL_BYTES) {
      throw new SourceError('TOO_LARGE', this.#subject, 'its signatures are too large to be read');
    }
    const bytes = await this.#image.images.blob(layer);
    const payload = bytes === undefined ? 'it is not there' : readSignedPayload(layer, bytes);
    const digest = typeof payload === 'string' ? layer.digest : sha256(payload.signature);
    this.found.push({ place: this.#place, digest, payload });
  }

  get #subject(): string {
    return `${this.#image.images.name}@${this.#image.digest}`;
  }

  /** A cache keeps no lists of referrers: that none is in it does not say that there is none. */
  #unknown(): SourceError {
    return new SourceError(
      'OFFLINE',
      this.#subject,
      'no tag that is kept has a signature that will do, and what refers to it is not known offline',
      {
        hint: 'ask the registry, without `--offline`; or `xpkg-resolve bundle FILE.tar` copies signatures, and `--from layout:FILE.tar` reads them there',
      },
    );
  }

  #tooMany(): SourceError {
    return new SourceError(
      'TOO_LARGE',
      this.#subject,
      `it has more than ${MAX_SIGNATURES} signatures`,
    );
  }
}
