import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import type { Digest } from '../../base/digest.js';
import {
  blob,
  blobDescriptor,
  jsonBlob,
  buildTar,
  type Blob,
} from '../../oci/image/build-image.js';
import { MEDIA_TYPE } from '../../oci/image/descriptor.js';
import type { ImageRepository } from '../../oci/image/image-repository.js';
import { sometimes, weighted } from './knobs.js';
import { packageYaml, type PackageStream, type PackageYamlKnobs } from './package-yaml.js';

/** The structure of an image. The same package can be read from all structures. */
export interface ImagePlan {
  readonly stream: PackageStream;
  /**
   * How the layer with package.yaml is marked: by its annotation, by a label of the config as in a
   * `.xpkg` file, or not at all, as in copies made by `docker push`.
   */
  readonly base: 'annotated' | 'labelled' | 'unmarked';
  readonly compression: 'gzip' | 'none';
  /** Further layers: examples and the runtime of the package. */
  readonly others: readonly ('examples' | 'runtime')[];
  /** Platforms other than linux/amd64 in the index; undefined for an image without an index. */
  readonly index: readonly ('linux/arm64' | 'unknown/unknown')[] | undefined;
}

export interface ImageKnobs extends PackageYamlKnobs {
  /** Share of images with an index. */
  readonly indexes: number;
  /** Share of images whose base layer is marked only by a label. */
  readonly labelled: number;
  /** Share of images without marked layers. */
  readonly unmarked: number;
}

/** Draws plans for images of generated packages. `builtImage` builds them. */
export function packageImage(knobs: Partial<ImageKnobs> = {}): fc.Arbitrary<ImagePlan> {
  const { indexes = 0.4, labelled = 0.1, unmarked = 0.1, ...rest } = knobs;
  return fc.record({
    stream: packageYaml(rest),
    base: weighted<ImagePlan['base']>(
      [Math.max(0, 1 - labelled - unmarked), 'annotated'],
      [labelled, 'labelled'],
      [unmarked, 'unmarked'],
    ),
    compression: weighted<ImagePlan['compression']>([0.8, 'gzip'], [0.2, 'none']),
    others: fc.subarray(['examples', 'runtime'] as const),
    index: sometimes(indexes, fc.subarray(['linux/arm64', 'unknown/unknown'] as const)),
  });
}

/** An image in memory: the manifest or index of its tag, and all manifests and blobs. */
export interface PackageImage {
  readonly top: Blob;
  readonly manifests: readonly Blob[];
  readonly blobs: readonly Blob[];
}

export async function builtImage(plan: ImagePlan): Promise<PackageImage> {
  const image = await imageOf(plan);
  if (plan.index === undefined) return image;
  const children = [{ platform: 'linux/amd64', image }];
  for (const platform of plan.index)
    children.push({ platform, image: await imageOf({ ...plan, others: [] }) });
  const top = jsonBlob(MEDIA_TYPE.ociIndex, {
    schemaVersion: 2,
    mediaType: MEDIA_TYPE.ociIndex,
    manifests: children.map(({ platform, image: child }) => {
      const [os, architecture] = platform.split('/');
      return { ...blobDescriptor(child.top), platform: { os, architecture } };
    }),
  });
  return {
    top,
    manifests: [top, ...children.flatMap((child) => child.image.manifests)],
    blobs: children.flatMap((child) => child.image.blobs),
  };
}

async function imageOf({ stream, base, compression, others }: ImagePlan): Promise<PackageImage> {
  const pack = async (files: Readonly<Record<string, string>>) => layerOf(files, compression);
  const packageLayer = await pack({ 'package.yaml': stream.text });
  const layers = [
    { layer: packageLayer, mark: 'base' },
    ...(others.includes('examples')
      ? [{ layer: await pack({ '.up/examples.yaml': EXAMPLE }), mark: 'upbound' }]
      : []),
    ...(others.includes('runtime')
      ? [{ layer: await pack({ 'usr/local/bin/provider': '\x7fELF' }), mark: undefined }]
      : []),
  ];
  const labels = layers.flatMap(({ layer, mark }) =>
    mark === undefined || base === 'unmarked' ? [] : [[`${ANNOTATION}:${layer.digest}`, mark]],
  );
  const config = jsonBlob('application/vnd.oci.image.config.v1+json', {
    architecture: 'amd64',
    os: 'linux',
    config: labels.length === 0 ? {} : { Labels: Object.fromEntries(labels) as object },
    rootfs: { type: 'layers', diff_ids: layers.map(({ layer }) => layer.digest) },
  });
  const top = jsonBlob(MEDIA_TYPE.ociManifest, {
    schemaVersion: 2,
    mediaType: MEDIA_TYPE.ociManifest,
    config: blobDescriptor(config),
    layers: layers.map(({ layer, mark }) => ({
      ...blobDescriptor(layer),
      ...(base === 'annotated' && mark ? { annotations: { [ANNOTATION]: mark } } : {}),
    })),
  });
  return { top, manifests: [top], blobs: [config, ...layers.map(({ layer }) => layer)] };
}

const ANNOTATION = 'io.crossplane.xpkg';
const EXAMPLE = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: example\n';

async function layerOf(
  files: Readonly<Record<string, string>>,
  compression: ImagePlan['compression'],
): Promise<Blob> {
  const tar = await buildTar(
    Object.entries(files).map(([name, text]) => ({ name, bytes: new TextEncoder().encode(text) })),
  );
  return compression === 'gzip'
    ? blob('application/vnd.oci.image.layer.v1.tar+gzip', gzipSync(tar))
    : blob('application/vnd.oci.image.layer.v1.tar', tar);
}

/** Returns a repository with images by tag, like that of `openRegistry`. */
export function imageRepository(
  name: string,
  images: ReadonlyMap<string, PackageImage>,
): ImageRepository {
  const stored = [...images.values()].flatMap(({ manifests }) => manifests);
  const blobs = [...images.values()].flatMap((image) => image.blobs);
  return {
    name,
    tags: async () => [...images.keys()],
    manifest: async (reference) =>
      images.get(reference)?.top ?? stored.find(({ digest }) => digest === reference),
    blob: async (wanted: { readonly digest: Digest }) =>
      blobs.find(({ digest }) => digest === wanted.digest)?.bytes,
  };
}
