import { sha256, type Digest } from '../../base/digest.js';
import { printable } from '../../base/escape.js';
import { SourceError } from '../../base/errors.js';
import { DESCRIPTOR_SHAPE, parseDescriptor, MEDIA_TYPE, type Descriptor } from './descriptor.js';
import type { StoredManifest } from './image-repository.js';
import { fieldsOf, listOf, stringOf } from '../../base/json.js';
import { readJson, type JsonShape } from '../../base/strict-json.js';
import { LIMITS, type Limits } from './limits.js';

export interface ImageManifest {
  readonly kind: 'image';
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
  /** undefined for images. */
  readonly artifactType: string | undefined;
}

export type Manifest =
  ImageManifest | { readonly kind: 'index'; readonly children: readonly Descriptor[] };

/** The fields of go-containerregistry's `v1.Manifest` and `v1.IndexManifest`. */
const MANIFEST_SHAPE: JsonShape = {
  fields: {
    schemaVersion: 'integer',
    mediaType: 'string',
    artifactType: 'string',
    config: DESCRIPTOR_SHAPE,
    layers: [DESCRIPTOR_SHAPE],
    manifests: [DESCRIPTOR_SHAPE],
    annotations: { each: 'string' },
    subject: DESCRIPTOR_SHAPE,
  },
};

type Fields = ReadonlyMap<string, unknown>;

/** Returns the fields of a manifest or an index, or why other programs could read it differently. */
export function readManifestFields(bytes: Uint8Array): Fields | { readonly problem: string } {
  const json = readJson(bytes, MANIFEST_SHAPE);
  return 'problem' in json ? json : (fieldsOf(json.value) ?? { problem: 'is not an object' });
}

/** Returns the fields, or undefined if the manifest cannot be read. */
function manifestFields({ bytes }: Pick<StoredManifest, 'bytes'>): Fields | undefined {
  const fields = readManifestFields(bytes);
  return 'problem' in fields ? undefined : fields;
}

/**
 * Reads an image manifest or an index, OCI's or Docker's. Throws if go-containerregistry, with
 * which Crossplane pulls packages, would reject it or read anything else from the same bytes.
 */
export function parseManifest(
  stored: StoredManifest,
  subject: string,
  limits: Limits = LIMITS,
): Manifest {
  const bad = (what: string) => new SourceError('BAD_IMAGE', subject, `its manifest ${what}`);
  const fields = readManifestFields(stored.bytes);
  if ('problem' in fields) throw bad(fields.problem);
  const [layers, children] = [listOf(fields.get('layers')), listOf(fields.get('manifests'))];
  if (layers !== undefined && children !== undefined) {
    throw bad('is both an image and an index, so two readers could see two packages');
  }
  const list = layers ?? children;
  if (list === undefined) {
    const mediaType = stringOf(fields.get('mediaType')) ?? 'no media type';
    throw bad(`is neither an image nor an index (\`${printable(mediaType)}\`)`);
  }
  const kind = layers === undefined ? 'index' : 'image';
  const mediaType = stringOf(fields.get('mediaType')) ?? '';
  if (isManifestType(mediaType) && kindOfType(mediaType) !== kind) {
    throw bad(`has the media type of an ${kindOfType(mediaType)} and is an ${kind}`);
  }
  const limit = layers === undefined ? limits.indexChildren : limits.layers;
  if (list.length > limit) {
    throw new SourceError('TOO_LARGE', subject, `its manifest lists more than ${limit} entries`);
  }
  const descriptors = list.map((value) => parseDescriptor(value));
  if (!descriptors.every((descriptor) => descriptor !== undefined)) {
    throw bad('has an entry without a sha256 digest and a size');
  }
  if ([fields.get('config'), ...list].some(hasWrongData)) {
    throw bad('has a descriptor with embedded `data` of another digest or size');
  }
  if (layers === undefined) return { kind: 'index', children: descriptors };
  const config = parseDescriptor(fields.get('config'));
  if (config === undefined) throw bad('has no config with a sha256 digest and a size');
  const ambiguous = ambiguousDigest([config, ...descriptors]);
  if (ambiguous !== undefined) throw bad(`lists ${ambiguous} with two sizes`);
  const artifactType = stringOf(fields.get('artifactType'));
  return { kind: 'image', config, layers: descriptors, artifactType };
}

/** Whether a descriptor embeds content that is not the content it describes. */
function hasWrongData(value: unknown): boolean {
  const data = stringOf(fieldsOf(value)?.get('data'));
  if (data === undefined) return false;
  const descriptor = parseDescriptor(value);
  const bytes = Buffer.from(data, 'base64');
  return bytes.length !== descriptor?.size || sha256(bytes) !== descriptor.digest;
}

/** Returns a digest with two sizes in the manifest: go-containerregistry uses the first one. */
function ambiguousDigest(descriptors: readonly Descriptor[]): Digest | undefined {
  const sizes = new Map<Digest, number>();
  for (const { digest, size } of descriptors) {
    if ((sizes.get(digest) ?? size) !== size) return digest;
    sizes.set(digest, size);
  }
  return undefined;
}

const INDEX_TYPES: ReadonlySet<string> = new Set([MEDIA_TYPE.ociIndex, MEDIA_TYPE.dockerList]);
/** Docker schema 1 manifests, which go-containerregistry rejects by their type. */
const SCHEMA_1 = /^application\/vnd\.docker\.distribution\.manifest\.v1\+/;

function isManifestType(mediaType: string): boolean {
  return Object.values<string>(MEDIA_TYPE).includes(mediaType);
}

/** go-containerregistry treats every type that is not an index as an image. */
function kindOfType(mediaType: string): Manifest['kind'] {
  return INDEX_TYPES.has(mediaType) ? 'index' : 'image';
}

/** Returns why go-containerregistry would read a manifest of this media type differently. */
export function mediaTypeProblem(
  stored: Pick<StoredManifest, 'bytes'>,
  servedAs: string,
): string | undefined {
  const fields = manifestFields(stored);
  if (fields === undefined) return undefined;
  const shown = servedAs === '' ? 'without a media type' : `as \`${printable(servedAs, 100)}\``;
  const kind = listOf(fields.get('manifests')) === undefined ? 'image' : 'index';
  if (kind !== kindOfType(servedAs) || SCHEMA_1.test(servedAs)) {
    return `an ${kind} comes ${shown}, so Crossplane cannot read it`;
  }
  const own = stringOf(fields.get('mediaType')) ?? '';
  return own === '' || own === servedAs || !isManifestType(servedAs)
    ? undefined
    : `it comes ${shown} and says that it is \`${printable(own, 100)}\``;
}

/** Returns the digest of the manifest's `subject`, or undefined if it has none. */
export function manifestSubject(stored: StoredManifest): Digest | undefined {
  return parseDescriptor(manifestFields(stored)?.get('subject'))?.digest;
}

/** Returns the `artifactType` of a manifest or index, or undefined if it has none. */
export function manifestArtifactType(stored: StoredManifest): string | undefined {
  return stringOf(manifestFields(stored)?.get('artifactType'));
}

/** Returns a manifest that an index embeds in `data` (OCI 1.1), if its digest matches. */
export function embeddedManifest(
  stored: StoredManifest,
  digest: Digest,
): StoredManifest | undefined {
  const children = listOf(manifestFields(stored)?.get('manifests')) ?? [];
  const child = children.map(fieldsOf).find((fields) => fields?.get('digest') === digest);
  const data = stringOf(child?.get('data'));
  if (data === undefined) return undefined;
  const embedded = Buffer.from(data, 'base64');
  return sha256(embedded) === digest ? { digest, bytes: embedded } : undefined;
}

/** Syntax of media types, which become request headers. */
const MEDIA_TYPE_SYNTAX = /^[A-Za-z0-9!#$&^_.+-]{1,127}\/[A-Za-z0-9!#$&^_.+-]{1,127}$/;

/** Returns the media type that a manifest states, or the one that its fields imply. */
export function manifestMediaType(stored: StoredManifest): string {
  const fields = manifestFields(stored);
  const implied = fields?.has('manifests') === true ? MEDIA_TYPE.ociIndex : MEDIA_TYPE.ociManifest;
  const stated = stringOf(fields?.get('mediaType')) ?? '';
  return MEDIA_TYPE_SYNTAX.test(stated) ? stated : implied;
}
