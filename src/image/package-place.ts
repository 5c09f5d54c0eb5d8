import { printable } from '../text/printable.js';
import type { TargetRules } from '../model/target/target.js';
import type { Descriptor } from './descriptor.js';
import type { ImageManifest } from './manifest.js';

export const PACKAGE_ANNOTATION = 'io.crossplane.xpkg';

/** Where a target looks for package.yaml in an image. */
export type PackagePlace =
  | { readonly place: 'layer'; readonly layer: Descriptor }
  /** No layer is marked, so in the file system that results from all layers. */
  | {
      readonly place: 'flattened';
      readonly layers: readonly Descriptor[];
      /** Its type, if it claims not to be an image: its layers may hold anything. */
      readonly artifact?: string | undefined;
    }
  /** `artifact`: its type, if it is not an image. */
  | { readonly place: 'refused'; readonly why: string; readonly artifact?: string | undefined };

export function packagePlace(
  image: Pick<ImageManifest, 'config' | 'layers' | 'artifactType'>,
  rules: Pick<TargetRules, 'severalBaseLayers' | 'maxLayers'>,
): PackagePlace {
  const { layers } = image;
  if (rules.maxLayers !== undefined && layers.length > rules.maxLayers) {
    const why = `the image has ${layers.length} layers, and only ${rules.maxLayers} are allowed`;
    return { place: 'refused', why };
  }
  const marked = layers.filter((layer) => layer.annotations.get(PACKAGE_ANNOTATION) === 'base');
  if (marked.length > 1 && rules.severalBaseLayers === 'refused') {
    return { place: 'refused', why: 'several layers of the image are marked as its base layer' };
  }
  const [layer] = marked;
  if (layer !== undefined) return { place: 'layer', layer };
  const artifact = artifactTypeOf(image);
  if (isUnpackable(layers)) return { place: 'flattened', layers, artifact };
  const why = `it is no package but an artifact (\`${printable(artifact ?? 'without layers')}\`), and no layer of it is marked \`${PACKAGE_ANNOTATION}: base\``;
  return { place: 'refused', why, artifact };
}

/** Crossplane reads any layer that unpacks and ignores config and artifactType. */
function isUnpackable(layers: readonly Descriptor[]): boolean {
  return layers.some(({ mediaType }) => mediaType === '' || mediaType.includes('tar'));
}

const IMAGE_CONFIGS = new Set([
  '',
  'application/vnd.oci.image.config.v1+json',
  'application/vnd.docker.container.image.v1+json',
]);

/** The type of what is no image, such as a Helm chart; undefined: it claims to be an image. */
function artifactTypeOf({
  config,
  layers,
  artifactType = '',
}: Pick<ImageManifest, 'config' | 'layers' | 'artifactType'>): string | undefined {
  if (artifactType !== '') return artifactType;
  if (!IMAGE_CONFIGS.has(config.mediaType)) return config.mediaType;
  return isUnpackable(layers) ? undefined : layers[0]?.mediaType;
}
