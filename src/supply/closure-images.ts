import pLimit from 'p-limit';
import type { Lockfile } from '../lock/lockfile.js';
import { InputError } from '../model/input-error.js';
import type { Candidate, Repository } from '../model/package.js';
import type { PackageSource } from '../model/package-source.js';
import { joinReference, splitPackageReference } from '../model/reference.js';
import { SourceError } from '../model/source-error.js';
import type { Target } from '../model/target/target.js';
import { fetchImage } from '../sources/image/fetch-image.js';
import { byCodePoint } from '../text/code-point-order.js';
import type { Digest } from '../text/digest.js';
import { listOf, mappingOf, stringOf, type JsonObject } from '../text/json.js';
import { digestedPackages, type DigestedPackage } from './digested-packages.js';
import { findByName, findImage, type FoundImage } from './find-image.js';

/** An image that a cluster pulls for what is locked. */
export interface ClosureImage extends FoundImage {
  /** `runtime`: metadata of a package, or a runtime config, names it as what runs. */
  readonly role: 'package' | 'runtime';
  readonly repository: Repository;
  /** Tag, or digest where it is asked for by digest. */
  readonly version: string;
  readonly digest: Digest;
}

export interface ClosureOptions {
  readonly sources: readonly PackageSource[];
  readonly target: Target;
  readonly concurrency: number;
  /** Called when an image is looked for. */
  readonly onImage?: ((reference: string) => void) | undefined;
}

/** Every image that a lockfile leads to, sorted by name: each is found, none is read whole. */
export async function closureImages(
  lockfile: Lockfile,
  verb: string,
  options: ClosureOptions,
): Promise<readonly ClosureImage[]> {
  const limit = pLimit(options.concurrency);
  const packages = digestedPackages(lockfile, verb);
  const found = await Promise.all(
    packages.map((locked) => limit(() => ofPackage(locked, options))),
  );
  const named = new Set([
    ...found.flatMap(({ runtime }) => runtime ?? []),
    ...lockfile.objects.flatMap((object) => containerImages(object)),
  ]);
  const runtime = await Promise.all(
    [...named].map((text) => limit(() => ofRuntime(text, options))),
  );
  return [...found.map(({ image }) => image), ...runtime].sort(
    (a, b) => byCodePoint(a.repository, b.repository) || byCodePoint(a.version, b.version),
  );
}

/** A locked image, and the image that its metadata wants run instead; undefined: none. */
async function ofPackage(
  locked: DigestedPackage,
  { sources, target, onImage }: ClosureOptions,
): Promise<{ readonly image: ClosureImage; readonly runtime: string | undefined }> {
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
  const candidate = candidateOf(text, options.target);
  const found = await findByName(candidate, candidate.version, options);
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

/** Images of the containers that a DeploymentRuntimeConfig adds or replaces. */
function containerImages(object: JsonObject): string[] {
  if (object['kind'] !== 'DeploymentRuntimeConfig') return [];
  const path = ['spec', 'deploymentTemplate', 'spec', 'template', 'spec'];
  const pod = path.reduce<JsonObject | undefined>((at, key) => mappingOf(at?.[key]), object);
  return ['initContainers', 'containers'].flatMap((key) =>
    (listOf(pod?.[key]) ?? []).flatMap((one) => stringOf(mappingOf(one)?.['image']) ?? []),
  );
}
