import type { Descriptor } from './descriptor.js';
import type { ImageRepository, StoredManifest } from './image-repository.js';
import { LIMITS, type Limits } from './limits.js';
import { type ImageManifest, mediaTypeProblem, parseManifest } from './manifest.js';
import type { Digest } from '../../base/digest.js';
import { SourceError } from '../../base/errors.js';
import { printable } from '../../base/escape.js';
import type { TargetRules } from '../../crossplane/releases/release-facts.js';

const MAX_PLATFORMS_SHOWN = 10;

/** The location of a package in an image, before its layers are read. */
export interface LocatedPackage {
  /** Digest that the reference points at; of the index if there is one. */
  readonly digest: Digest;
  /** Digest of the manifest chosen from the index; undefined if there is no index. */
  readonly manifest: Digest | undefined;
  /** Chosen manifest; undefined if the index has none for the platform. */
  readonly image: ImageManifest | undefined;
  readonly location: PackageLocation;
  /** Whether the chosen child has no platform and may therefore be an attachment. */
  readonly hasNoPlatform: boolean;
}

/** Finds where the target reads package.yaml. Returns undefined for an unknown tag or digest. */
export async function locatePackage(
  repository: ImageRepository,
  reference: string,
  rules: Pick<TargetRules, 'severalBaseLayers' | 'maxLayers'>,
  limits: Limits = LIMITS,
): Promise<LocatedPackage | undefined> {
  const top = await repository.manifest(reference);
  if (top === undefined) return undefined;
  const subject = `${repository.name}@${top.digest}`;
  let current: StoredManifest = top;
  let hasNoPlatform = false;
  const located = (location: PackageLocation, image?: ImageManifest): LocatedPackage => ({
    digest: top.digest,
    manifest: current === top ? undefined : current.digest,
    image,
    location,
    hasNoPlatform,
  });
  for (let depth = 0; depth <= limits.indexDepth; depth += 1) {
    const manifest = parseManifest(current, subject, limits);
    if (manifest.kind === 'image') return located(packageLocation(manifest, rules), manifest);
    if (manifest.children.length === 0) {
      // Not a refusal: otherwise a malicious registry could force an older version.
      throw new SourceError('BAD_IMAGE', subject, 'its index names no image at all', {
        hint: 'if it was published so, `spec.exclude` leaves the version out',
      });
    }
    // The first child for linux/amd64, or without a platform, on every machine.
    const child = manifest.children.find(
      ({ platform }) =>
        platform === undefined || (platform.os === 'linux' && platform.architecture === 'amd64'),
    );
    if (child === undefined) {
      const why = `the index has no child for linux/amd64, the only platform Crossplane asks for (it has ${platformsOf(manifest.children)})`;
      return located({ place: 'refused', why });
    }
    hasNoPlatform = child.platform === undefined;
    current = await childManifest(repository, child, subject);
  }
  throw new SourceError('BAD_IMAGE', subject, `more than ${limits.indexDepth} indexes in a row`);
}

function platformsOf(children: readonly Descriptor[]): string {
  const platforms = children.map(({ platform }) =>
    printable(`${platform?.os}/${platform?.architecture}`, 40),
  );
  return `\`${platforms.slice(0, MAX_PLATFORMS_SHOWN).join('`, `')}\``;
}

/** Returns the manifest of a child of an index, after checking its size and media type. */
export async function childManifest(
  repository: Pick<ImageRepository, 'manifest'>,
  child: Descriptor,
  subject: string,
): Promise<StoredManifest> {
  const bad = (what: string) => new SourceError('BAD_IMAGE', subject, what);
  const { digest, size, mediaType } = child;
  const stored = await repository.manifest(digest);
  if (stored === undefined) {
    throw bad(`its index names the manifest ${digest}, which is not there`);
  }
  const { length } = stored.bytes;
  if (length !== size) {
    const what = `the manifest ${digest} has ${length} bytes, and its index says ${size}`;
    throw new SourceError('BAD_DIGEST', subject, what);
  }
  const problem = mediaTypeProblem(stored, mediaType);
  if (problem === undefined) return stored;
  throw bad(`its index lists the manifest ${digest} with a wrong type: ${problem}`);
}

export const PACKAGE_ANNOTATION = 'io.crossplane.xpkg';

/** Where a target reads package.yaml in an image. */
export type PackageLocation =
  | { readonly place: 'layer'; readonly layer: Descriptor }
  /** No layer is annotated, so the target reads the merged file system of all layers. */
  | {
      readonly place: 'flattened';
      readonly layers: readonly Descriptor[];
      /** Artifact type, if the manifest claims not to be an image. */
      readonly artifact?: string | undefined;
    }
  /** `artifact` is the artifact type, if the manifest is not an image. */
  | { readonly place: 'refused'; readonly why: string; readonly artifact?: string | undefined };

export function packageLocation(
  image: Pick<ImageManifest, 'config' | 'layers' | 'artifactType'>,
  rules: Pick<TargetRules, 'severalBaseLayers' | 'maxLayers'>,
): PackageLocation {
  const { layers } = image;
  if (rules.maxLayers !== undefined && layers.length > rules.maxLayers) {
    return refusedPackage(
      `the image has ${layers.length} layers, and only ${rules.maxLayers} are allowed`,
    );
  }
  const annotatedLayers = layers.filter(
    (layer) => layer.annotations.get(PACKAGE_ANNOTATION) === 'base',
  );
  if (annotatedLayers.length > 1 && rules.severalBaseLayers === 'refused') {
    return refusedPackage('several layers of the image are marked as its base layer');
  }
  const [layer] = annotatedLayers;
  if (layer !== undefined) return { place: 'layer', layer };
  const artifact = imageArtifactType(image);
  if (isUnpackable(layers)) return { place: 'flattened', layers, artifact };
  const type = printable(artifact ?? 'without layers');
  return refusedPackage(
    `it is no package but an artifact (\`${type}\`), and no layer of it is marked \`${PACKAGE_ANNOTATION}: base\``,
    artifact,
  );
}

function refusedPackage(why: string, artifact?: string): PackageLocation {
  return { place: 'refused', why, artifact };
}

/** Crossplane reads any layer that it can unpack, and ignores the config and artifactType. */
function isUnpackable(layers: readonly Descriptor[]): boolean {
  return layers.some(({ mediaType }) => mediaType === '' || mediaType.includes('tar'));
}

const IMAGE_CONFIGS = new Set([
  '',
  'application/vnd.oci.image.config.v1+json',
  'application/vnd.docker.container.image.v1+json',
]);

/** Returns the type of an artifact such as a Helm chart, or undefined for an image. */
function imageArtifactType({
  config,
  layers,
  artifactType = '',
}: Pick<ImageManifest, 'config' | 'layers' | 'artifactType'>): string | undefined {
  if (artifactType !== '') return artifactType;
  if (!IMAGE_CONFIGS.has(config.mediaType)) return config.mediaType;
  return isUnpackable(layers) ? undefined : layers[0]?.mediaType;
}
