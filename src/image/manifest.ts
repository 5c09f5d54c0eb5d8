import { sha256, type Digest } from '../text/digest.js';
import { printable } from '../text/printable.js';
import { SourceError } from '../model/source-error.js';
import { descriptorFrom, MEDIA_TYPE, type Descriptor } from './descriptor.js';
import type { StoredManifest } from './image-repository.js';
import { fieldsOf, listOf, parseJson, stringOf } from '../text/json.js';
import { LIMITS, type Limits } from './limits.js';

export interface ImageManifest {
  readonly kind: 'image';
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
  /** undefined: the manifest names none, as those of images. */
  readonly artifactType: string | undefined;
}

export type Manifest =
  ImageManifest | { readonly kind: 'index'; readonly children: readonly Descriptor[] };

/** Reads an image manifest or an index, OCI's or Docker's. */
export function parseManifest(
  stored: StoredManifest,
  subject: string,
  limits: Limits = LIMITS,
): Manifest {
  const bad = (what: string) => new SourceError('BAD_IMAGE', subject, `its manifest ${what}`);
  const fields = fieldsOf(parseJson(stored.bytes)?.value);
  if (fields === undefined) throw bad('is not a JSON object');
  const [layers, children] = [listOf(fields.get('layers')), listOf(fields.get('manifests'))];
  if (layers !== undefined && children !== undefined) {
    throw bad('is both an image and an index, so two readers could see two packages');
  }
  const list = layers ?? children;
  if (list === undefined) {
    const mediaType = stringOf(fields.get('mediaType')) ?? 'no media type';
    throw bad(`is neither an image nor an index (\`${printable(mediaType)}\`)`);
  }
  const most = layers === undefined ? limits.indexChildren : limits.layers;
  if (list.length > most) {
    throw new SourceError('TOO_LARGE', subject, `its manifest lists more than ${most} entries`);
  }
  const descriptors = list.map((value) => descriptorFrom(value));
  if (!descriptors.every((descriptor) => descriptor !== undefined)) {
    throw bad('has an entry without a sha256 digest and a size');
  }
  if (layers === undefined) return { kind: 'index', children: descriptors };
  const config = descriptorFrom(fields.get('config'));
  if (config === undefined) throw bad('has no config');
  const artifactType = stringOf(fields.get('artifactType'));
  return { kind: 'image', config, layers: descriptors, artifactType };
}

/** The digest of the image that a manifest is about; undefined: it is about none. */
export function subjectOf({ bytes }: StoredManifest): Digest | undefined {
  return descriptorFrom(fieldsOf(parseJson(bytes)?.value)?.get('subject'))?.digest;
}

/**
 * A manifest whose bytes an index carries in a descriptor, as `data` of OCI image specification
 * 1.1; undefined: it carries none, or bytes of another digest.
 */
export function embeddedManifest(
  { bytes }: StoredManifest,
  digest: Digest,
): StoredManifest | undefined {
  const children = listOf(fieldsOf(parseJson(bytes)?.value)?.get('manifests')) ?? [];
  const child = children.map(fieldsOf).find((fields) => fields?.get('digest') === digest);
  const data = stringOf(child?.get('data'));
  if (data === undefined) return undefined;
  const embedded = Buffer.from(data, 'base64');
  return sha256(embedded) === digest ? { digest, bytes: embedded } : undefined;
}

/** What a media type may look like: it becomes the header of a request. */
const TYPE = /^[A-Za-z0-9!#$&^_.+-]{1,127}\/[A-Za-z0-9!#$&^_.+-]{1,127}$/;

/** The media type that a manifest names; if it names none, the one that its fields imply. */
export function manifestMediaType({ bytes }: StoredManifest): string {
  const fields = fieldsOf(parseJson(bytes)?.value);
  const implied = fields?.has('manifests') === true ? MEDIA_TYPE.ociIndex : MEDIA_TYPE.ociManifest;
  const named = stringOf(fields?.get('mediaType')) ?? '';
  return TYPE.test(named) ? named : implied;
}
