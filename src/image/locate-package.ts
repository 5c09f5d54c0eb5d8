import type { Digest } from '../text/digest.js';
import { printable } from '../text/printable.js';
import { SourceError } from '../model/source-error.js';
import type { TargetRules } from '../model/target/target.js';
import { packagePlace, type PackagePlace } from './package-place.js';
import type { Descriptor } from './descriptor.js';
import type { ImageRepository, StoredManifest } from './image-repository.js';
import { LIMITS, type Limits } from './limits.js';
import { parseManifest, type ImageManifest } from './manifest.js';

/** A package found by its reference, nothing of it unpacked yet. */
export interface LocatedPackage {
  /** What the reference points at: the index where there is one. */
  readonly digest: Digest;
  /** Manifest chosen from the index; undefined when `digest` is that manifest. */
  readonly manifest: Digest | undefined;
  /** That manifest; undefined: the index has none that will do. */
  readonly image: ImageManifest | undefined;
  readonly at: PackagePlace;
  /** The chosen child names no platform: an attachment taken for the package, perhaps. */
  readonly platformless: boolean;
}

/** Follows a reference to the place of package.yaml as the target does; undefined: no such tag. */
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

/** The first for linux/amd64, whatever machine this is; one that names no platform counts as that. */
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
  return named.length === 0 ? 'none at all' : `\`${named.slice(0, 10).join('`, `')}\``;
}

/** The manifest that an entry of an index points to. */
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
