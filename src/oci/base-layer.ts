import type { TargetRules } from '../model/target.js';
import type { Descriptor } from './descriptor.js';

export const PACKAGE_ANNOTATION = 'io.crossplane.xpkg';

/** Where a target looks for package.yaml in an image. */
export type PackagePlace =
  | { readonly place: 'layer'; readonly layer: Descriptor }
  /** No layer is marked: in the file system that all layers make together. */
  | { readonly place: 'flattened'; readonly layers: readonly Descriptor[] }
  | { readonly place: 'refused'; readonly why: string };

export function packagePlace(
  layers: readonly Descriptor[],
  rules: Pick<TargetRules, 'severalBaseLayers' | 'maxLayers'>,
): PackagePlace {
  if (rules.maxLayers !== undefined && layers.length > rules.maxLayers) {
    const why = `the image has ${layers.length} layers, and only ${rules.maxLayers} are allowed`;
    return { place: 'refused', why };
  }
  const marked = layers.filter((layer) => layer.annotations.get(PACKAGE_ANNOTATION) === 'base');
  if (marked.length > 1 && rules.severalBaseLayers === 'refused') {
    return { place: 'refused', why: 'several layers of the image are marked as its base layer' };
  }
  const [layer] = marked;
  return layer === undefined ? { place: 'flattened', layers } : { place: 'layer', layer };
}
