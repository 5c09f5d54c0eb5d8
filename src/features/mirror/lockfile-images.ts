import type { FoundImage } from './image-parts.js';
import { byCodePoint, inParallel } from '../../base/collections.js';
import type { Digest } from '../../base/digest.js';
import { InputError, SourceError } from '../../base/errors.js';
import {
  type JsonObject,
  type JsonValue,
  listOf,
  mappingOf,
  stringOf,
  valueAtSteps,
} from '../../base/json.js';
import type { Candidate, Repository } from '../../crossplane/packages/package.js';
import { joinReference, splitPackageReference } from '../../crossplane/packages/reference.js';
import type { ReleaseRules } from '../../crossplane/releases/release-facts.js';
import type { Target } from '../../crossplane/releases/target.js';
import { packagesWithoutDigest } from '../../project/lockfile/lock-graph.js';
import type { LockedPackage, Lockfile } from '../../project/lockfile/lockfile.js';
import { fetchImage, hasImages } from '../../sources/images/fetch-image.js';
import type { PackageSource } from '../../sources/package-source.js';

/** An image that a cluster pulls for a lockfile. */
export interface ClosureImage extends FoundImage {
  /** `runtime`: the metadata of a package or a runtime config names the image to run. */
  readonly role: 'package' | 'runtime';
  readonly repository: Repository;
  /** Tag, or digest if the image is named by digest. */
  readonly version: string;
  readonly digest: Digest;
}

interface ClosureOptions {
  readonly sources: readonly PackageSource[];
  readonly target: Target;
  readonly concurrency: number;
  /** Called before the search for an image. */
  readonly onImage?: ((reference: string) => void) | undefined;
}

/**
 * Finds every image that a lockfile needs, sorted by repository and version, without reading layers.
 * `verb` completes the error for a missing digest: "it cannot be …".
 */
export async function closureImages(
  lockfile: Lockfile,
  verb: string,
  options: ClosureOptions,
): Promise<readonly ClosureImage[]> {
  const { concurrency } = options;
  const packages = packagesWithDigests(lockfile, verb);
  const found = await inParallel(packages, concurrency, (locked) => ofPackage(locked, options));
  const named = new Set([
    ...found.flatMap(({ runtime }) => runtime ?? []),
    ...lockfile.objects.flatMap((object) => containerImages(object)),
  ]);
  const runtime = await inParallel([...named], concurrency, (text) => ofRuntime(text, options));
  return [...found.map(({ image }) => image), ...runtime].sort(
    (a, b) => byCodePoint(a.repository, b.repository) || byCodePoint(a.version, b.version),
  );
}

/** Returns a locked image and the reference of the runtime image that its metadata names. */
async function ofPackage(locked: DigestedPackage, { sources, target, onImage }: ClosureOptions) {
  const { repository, version, digest } = locked;
  onImage?.(joinReference(repository, version));
  const found = await findImage(locked, sources, target);
  const image = { role: 'package', repository, version, digest, ...found } as const;
  if (!target.rules.runtimeImages || locked.kind === 'Configuration') {
    return { image, runtime: undefined };
  }
  const fetched = await fetchImage(found.images, digest, target);
  return { image, runtime: fetched?.contents.metas[0]?.runtimeImage };
}

async function ofRuntime(text: string, options: ClosureOptions): Promise<ClosureImage> {
  options.onImage?.(text);
  const { sources, target } = options;
  const candidate = candidateOf(text, target);
  const found = await findByReference(candidate, candidate.version, sources, target);
  if (found !== undefined) {
    return { role: 'runtime', ...candidate, digest: found.manifest.digest, ...found };
  }
  throw new SourceError('BAD_SOURCE', text, 'no source has this image, which runs a package', {
    hint: 'name a source that has it with `--from`, such as `--from registry`',
  });
}

function candidateOf(text: string, target: Target): Candidate {
  const { defaultRegistry } = target.rules;
  const [first = ''] = text.split('/');
  const hasHost = text.includes('/') && /[.:]/.test(first);
  const full = hasHost || defaultRegistry === undefined ? text : `${defaultRegistry}/${text}`;
  const split = splitPackageReference(full);
  if (split !== undefined) return { repository: split.source, version: split.version };
  throw new InputError(`\`${text}\` is named as an image to run, and is none`, {
    hint: 'an image is named `REGISTRY/REPOSITORY:TAG`: correct the package, or its runtime config',
  });
}

/** Returns the container images that a DeploymentRuntimeConfig or ControllerConfig sets. */
function containerImages(object: JsonObject): string[] {
  if (object['kind'] === 'ControllerConfig') return imagesIn([object['spec']]);
  if (object['kind'] !== 'DeploymentRuntimeConfig') return [];
  const pod = valueAtSteps(object, ['spec', 'deploymentTemplate', 'spec', 'template', 'spec']);
  const { initContainers, containers } = mappingOf(pod) ?? {};
  return imagesIn([...(listOf(initContainers) ?? []), ...(listOf(containers) ?? [])]);
}

function imagesIn(values: readonly (JsonValue | undefined)[]): string[] {
  return values.flatMap((value) => stringOf(mappingOf(value)?.['image']) ?? []);
}

export interface DigestedPackage extends LockedPackage {
  readonly digest: Digest;
}

/** Returns the locked packages. Throws if one has no digest: "it cannot be `verb`". */
export function packagesWithDigests(lockfile: Lockfile, verb: string): readonly DigestedPackage[] {
  const [first] = packagesWithoutDigest(lockfile);
  if (first !== undefined) {
    throw new InputError(
      `the lockfile does not say the digest of ${first.repository} ${first.version}, so it cannot be ${verb}`,
      { hint: 'resolve again from a source that has the images' },
    );
  }
  return lockfile.packages.map((locked) => ({ ...locked, digest: locked.digest! }));
}

/** Returns a locked image from the first source that has it. Throws if no source has it. */
export async function findImage(
  { repository, version, digest }: Candidate & { readonly digest: Digest },
  sources: readonly PackageSource[],
  target: Target,
): Promise<FoundImage> {
  const found = await findByReference({ repository, version }, digest, sources, target);
  if (found !== undefined) return found;
  throw new SourceError(
    'BAD_SOURCE',
    joinReference(repository, version),
    `no source has the image ${digest} that is locked`,
    {
      hint: sources.some((source) => hasImages(source))
        ? 'name the source that it was locked from with `--from`; if a tag was pushed anew, resolve again'
        : NO_IMAGES,
    },
  );
}

/** Advice if no source has images. */
export const NO_IMAGES =
  'an index and a package cache hold no images: name a source that does with `--from`';

/** Returns the image with a tag or digest from the first source that has it, or undefined. */
export async function findByReference(
  candidate: Candidate,
  reference: string,
  sources: readonly PackageSource[],
  target: ReleaseRules,
): Promise<FoundImage | undefined> {
  for (const source of sources) {
    const images = hasImages(source) ? await source.images(candidate, target) : undefined;
    const manifest = await images?.manifest(reference);
    if (images !== undefined && manifest !== undefined) return { images, manifest };
  }
  return undefined;
}
