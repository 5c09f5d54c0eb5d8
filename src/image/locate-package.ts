import type { Digest } from '../text/digest.js';
import { printable } from '../text/printable.js';
import { SourceError } from '../model/source-error.js';
import type { TargetRules } from '../model/target/target.js';
import { packagePlace, type PackagePlace } from './package-place.js';
import type { Descriptor } from './descriptor.js';
import type { ImageRepository, StoredManifest } from './image-repository.js';
import { LIMITS, type Limits } from './limits.js';
import { parseManifest, type ImageManifest } from './manifest.js';

const MAX_PLATFORMS_SHOWN = 10;

/** A package found by its reference; none of its layers has been read. */
export interface LocatedPackage {
  /** Digest that the reference points at, of the index where there is one. */
  readonly digest: Digest;
  /** Manifest chosen from the index; undefined when `digest` is that manifest. */
  readonly manifest: Digest | undefined;
  /** That manifest; undefined: the index has none for the platform. */
  readonly image: ImageManifest | undefined;
  readonly at: PackagePlace;
  /** The chosen child names no platform, so it may be an attachment instead of the package. */
  readonly platformless: boolean;
}

/** Finds where the target would read package.yaml; undefined: there is no such tag or digest. */
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
  let platformless = false;
  const located = (at: PackagePlace, image?: ImageManifest): LocatedPackage => ({
    digest: top.digest,
    manifest: current === top ? undefined : current.digest,
    image,
    at,
    platformless,
  });
  for (let depth = 0; depth <= limits.indexDepth; depth += 1) {
    const manifest = parseManifest(current, subject, limits);
    if (manifest.kind === 'image') {
      return located(packagePlace(manifest, rules), manifest);
    }
    if (manifest.children.length === 0) {
      // Taken for a package that is refused, it would let a lying registry choose an older version.
      throw new SourceError('BAD_IMAGE', subject, 'its index names no image at all', {
        hint: 'if it was published so, `spec.exclude` leaves the version out',
      });
    }
    const child = amd64Child(manifest.children);
    if (child === undefined) {
      const why = `the index has no child for linux/amd64, the only platform Crossplane asks for (it has ${platformsOf(manifest.children)})`;
      return located({ place: 'refused', why });
    }
    platformless = child.platform === undefined;
    current = await manifestOfChild(repository, child, subject);
  }
  throw new SourceError('BAD_IMAGE', subject, `more than ${limits.indexDepth} indexes in a row`);
}

/** The first child for linux/amd64, on every machine; one without a platform counts as that. */
function amd64Child(children: readonly Descriptor[]): Descriptor | undefined {
  return children.find(
    ({ platform }) =>
      platform === undefined || (platform.os === 'linux' && platform.architecture === 'amd64'),
  );
}

function platformsOf(children: readonly Descriptor[]): string {
  const named = children.map(({ platform }) =>
    printable(`${platform?.os}/${platform?.architecture}`, 40),
  );
  return `\`${named.slice(0, MAX_PLATFORMS_SHOWN).join('`, `')}\``;
}

/** The manifest that a child of an index points at. */
export async function manifestOfChild(
  repository: ImageRepository,
  child: Descriptor,
  subject: string,
): Promise<StoredManifest> {
  const stored = await repository.manifest(child.digest);
  if (stored === undefined) {
    const what = `its index names the manifest ${child.digest}, which is not there`;
    throw new SourceError('BAD_IMAGE', subject, what);
  }
  if (stored.bytes.length !== child.size) {
    const what = `the manifest ${child.digest} has ${stored.bytes.length} bytes, and its index says ${child.size}`;
    throw new SourceError('BAD_DIGEST', subject, what);
  }
  return stored;
}
