import { printable } from '../model/printable.js';
import type { TargetRules } from '../model/target.js';
import type { Descriptor } from './descriptor.js';
import type { ImageManifest } from './manifest.js';

export const PACKAGE_ANNOTATION = 'io.crossplane.xpkg';

/** Where a target looks for package.yaml in an image. */
export type PackagePlace =
  | { readonly place: 'layer'; readonly layer: Descriptor }
  /** No layer is marked: in the file system that all layers make together. */
  | { readonly place: 'flattened'; readonly layers: readonly Descriptor[] }
  /** `artifact`: what it is, if not an image at all. */
  | { readonly place: 'refused'; readonly why: string; readonly artifact?: string };

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
  if (artifact === undefined) return { place: 'flattened', layers };
  const why = `it is no package but an artifact (\`${printable(artifact)}\`), and no layer of it is marked \`${PACKAGE_ANNOTATION}: base\``;
  return { place: 'refused', why, artifact };
}

/**
 * What is stored like an image and is none: signatures, documents; undefined: it may be one.
 *
 * Crossplane looks into whatever unpacks, whatever config and artifactType say.
 */
function artifactTypeOf({
  config,
  layers,
  artifactType = '',
}: Pick<ImageManifest, 'config' | 'layers' | 'artifactType'>): string | undefined {
  const types = layers.map(({ mediaType }) => mediaType);
  if (types.some((type) => type === '' || type.includes('tar'))) return undefined;
  return artifactType === '' ? (types[0] ?? config.mediaType) : artifactType;
}
