import { isDigest, type Digest } from '../../base/digest.js';
import { fieldsOf, stringOf } from '../../base/json.js';
import type { JsonShape } from '../../base/strict-json.js';

export interface Descriptor {
  readonly mediaType: string;
  readonly digest: Digest;
  readonly size: number;
  /** Only annotations that this tool reads: a manifest can have hundreds of thousands. */
  readonly annotations: ReadonlyMap<string, string>;
  readonly artifactType?: string | undefined;
  /** undefined if the descriptor has no platform, which differs from an empty one. */
  readonly platform: { readonly os: string; readonly architecture: string } | undefined;
}

export const MEDIA_TYPE = {
  ociIndex: 'application/vnd.oci.image.index.v1+json',
  ociManifest: 'application/vnd.oci.image.manifest.v1+json',
  dockerList: 'application/vnd.docker.distribution.manifest.list.v2+json',
  dockerManifest: 'application/vnd.docker.distribution.manifest.v2+json',
} as const;

/** The fields of go-containerregistry's `v1.Descriptor`. */
export const DESCRIPTOR_SHAPE: JsonShape = {
  fields: {
    mediaType: 'string',
    size: 'integer',
    digest: 'digest',
    data: 'bytes',
    urls: ['string'],
    annotations: { each: 'string' },
    platform: {
      fields: {
        architecture: 'string',
        os: 'string',
        'os.version': 'string',
        'os.features': ['string'],
        variant: 'string',
        features: ['string'],
      },
    },
    artifactType: 'string',
  },
};

/** Returns undefined if the value is not a descriptor or has an unsupported digest. */
export function parseDescriptor(value: unknown): Descriptor | undefined {
  const fields = fieldsOf(value);
  const digest = stringOf(fields?.get('digest'));
  const platform = fieldsOf(fields?.get('platform'));
  const size = fields?.get('size');
  if (fields === undefined || digest === undefined || !isDigest(digest)) return undefined;
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) return undefined;
  return {
    mediaType: stringOf(fields.get('mediaType')) ?? '',
    digest,
    size,
    annotations: parseAnnotations(fields.get('annotations'), (key) => READ_ANNOTATIONS.has(key)),
    artifactType: stringOf(fields.get('artifactType')),
    platform: platform && {
      os: stringOf(platform.get('os')) ?? '',
      architecture: stringOf(platform.get('architecture')) ?? '',
    },
  };
}

const READ_ANNOTATIONS = new Set([
  'dev.cosignproject.cosign/signature',
  'dev.sigstore.cosign/bundle',
  'dev.sigstore.cosign/certificate',
  'io.crossplane.xpkg',
  'io.containerd.image.name',
  'org.opencontainers.image.ref.name',
  'org.opencontainers.image.title',
  'vnd.docker.reference.type',
]);

export function parseAnnotations(
  value: unknown,
  isIncluded: (key: string) => boolean = () => true,
): ReadonlyMap<string, string> {
  const strings = new Map<string, string>();
  for (const [key, text] of fieldsOf(value) ?? []) {
    // Go reads null as an empty string.
    const string = text === null ? '' : text;
    if (typeof string === 'string' && isIncluded(key)) strings.set(key, string);
  }
  return strings;
}
