import { isDigest, type Digest } from '../text/digest.js';
import { fieldsOf, stringOf } from '../text/json.js';

/** What an OCI manifest says about something it points to. */
export interface Descriptor {
  readonly mediaType: string;
  readonly digest: Digest;
  readonly size: number;
  /** Those that are ever looked at: a manifest may hold hundreds of thousands. */
  readonly annotations: ReadonlyMap<string, string>;
  /** What an artifact is, where the descriptor says it. */
  readonly artifactType?: string | undefined;
  /** undefined: the descriptor has none, which is not the same as an empty one. */
  readonly platform: { readonly os: string; readonly architecture: string } | undefined;
}

export const MEDIA_TYPE = {
  ociIndex: 'application/vnd.oci.image.index.v1+json',
  ociManifest: 'application/vnd.oci.image.manifest.v1+json',
  dockerList: 'application/vnd.docker.distribution.manifest.list.v2+json',
  dockerManifest: 'application/vnd.docker.distribution.manifest.v2+json',
} as const;

/** undefined: not a descriptor, or its digest is of a kind this tool cannot check. */
export function descriptorFrom(value: unknown): Descriptor | undefined {
  const fields = fieldsOf(value);
  const digest = stringOf(fields?.get('digest'));
  const size = fields?.get('size');
  if (fields === undefined || digest === undefined || !isDigest(digest)) return undefined;
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) return undefined;
  return {
    mediaType: stringOf(fields.get('mediaType')) ?? '',
    digest,
    size,
    annotations: annotationsFrom(fields.get('annotations'), isRead),
    artifactType: stringOf(fields.get('artifactType')),
    platform: platformFrom(fields.get('platform')),
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

function isRead(key: string): boolean {
  return READ_ANNOTATIONS.has(key);
}

export function annotationsFrom(
  value: unknown,
  taken: (key: string) => boolean = () => true,
): ReadonlyMap<string, string> {
  const strings = new Map<string, string>();
  for (const [key, text] of fieldsOf(value) ?? []) {
    if (typeof text === 'string' && taken(key)) strings.set(key, text);
  }
  return strings;
}

function platformFrom(value: unknown): Descriptor['platform'] {
  const fields = fieldsOf(value);
  if (fields === undefined) return undefined;
  return {
    os: stringOf(fields.get('os')) ?? '',
    architecture: stringOf(fields.get('architecture')) ?? '',
  };
}
