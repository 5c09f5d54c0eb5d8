import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { pack, type Header } from 'tar-stream';
import { sha256 } from '../../../src/base/digest.js';

export type TarEntry = Partial<Header> & {
  readonly name: string;
  readonly content?: string | Uint8Array;
};

export interface Blob {
  readonly digest: string;
  readonly bytes: Uint8Array;
}

export interface Manifest extends Blob {
  readonly mediaType: string;
}

/** An image or index with everything that it refers to. */
export interface Image extends Manifest {
  readonly manifests: readonly Manifest[];
  readonly blobs: readonly Blob[];
}

export interface Layer extends Blob {
  readonly annotations?: Readonly<Record<string, string>>;
}

export const OCI_MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
export const OCI_INDEX = 'application/vnd.oci.image.index.v1+json';
export const BASE = { 'io.crossplane.xpkg': 'base' };

export async function tarOf(entries: readonly TarEntry[]): Promise<Uint8Array> {
  const tar = pack();
  for (const { content = '', ...header } of entries) {
    tar.entry({ mtime: new Date(0), ...header }, content);
  }
  tar.finalize();
  return buffer(tar);
}

export function blobOf(bytes: Uint8Array | string): Blob {
  const held = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
  return { digest: sha256(held), bytes: held };
}

export async function layerOf(
  entries: readonly TarEntry[],
  options: {
    readonly compress?: (tar: Uint8Array) => Uint8Array;
    readonly annotations?: Readonly<Record<string, string>>;
  } = {},
): Promise<Layer> {
  const blob = blobOf((options.compress ?? gzipSync)(await tarOf(entries)));
  return options.annotations === undefined ? blob : { ...blob, annotations: options.annotations };
}

/** Differences of an artifact from an image. */
export interface ImageTypes {
  readonly artifactType?: string;
  readonly config?: string;
  readonly layer?: string;
}

export function imageOf(layers: readonly Layer[], config = '{}', types: ImageTypes = {}): Image {
  const configBlob = blobOf(config);
  const manifest = blobOf(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: OCI_MANIFEST,
      ...(types.artifactType === undefined ? {} : { artifactType: types.artifactType }),
      config: descriptor(types.config ?? 'application/vnd.oci.image.config.v1+json', configBlob),
      layers: layers.map((layer) => ({
        ...descriptor(types.layer ?? 'application/vnd.oci.image.layer.v1.tar+gzip', layer),
        ...(layer.annotations === undefined ? {} : { annotations: layer.annotations }),
      })),
    }),
  );
  return { ...manifest, mediaType: OCI_MANIFEST, manifests: [], blobs: [configBlob, ...layers] };
}

export interface Child {
  readonly image: Image;
  /** undefined: no platform field. */
  readonly platform?: { readonly os: string; readonly architecture: string } | null;
}

export function indexOf(children: readonly Child[]): Image {
  const index = blobOf(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: OCI_INDEX,
      manifests: children.map(({ image, platform }) => ({
        ...descriptor(image.mediaType, image),
        ...(platform === undefined ? {} : { platform }),
      })),
    }),
  );
  return {
    ...index,
    mediaType: OCI_INDEX,
    manifests: children.flatMap(({ image }) => [image, ...image.manifests]),
    blobs: children.flatMap(({ image }) => image.blobs),
  };
}

/** Returns a package whose annotated base layer contains `packageYaml`. */
export async function packageImage(packageYaml: string): Promise<Image> {
  const base = await layerOf([{ name: 'package.yaml', content: packageYaml }], {
    annotations: BASE,
  });
  return imageOf([base]);
}

function descriptor(mediaType: string, { digest, bytes }: Blob) {
  return { mediaType, digest, size: bytes.byteLength };
}
