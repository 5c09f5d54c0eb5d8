import pLimit from 'p-limit';
import type { Candidate } from '../model/package.js';
import type { Digest } from '../text/digest.js';
import type { PackageSource } from '../model/package-source.js';
import { joinReference } from '../model/reference.js';
import { SourceError } from '../model/source-error.js';
import type { Target } from '../model/target/target.js';
import { copyBlob } from '../image/layer/copy-blob.js';
import { openBlob } from '../image/layer/open-blob.js';
import type { ImageRepository } from '../image/image-repository.js';
import type { LayoutWriter } from '../store/layout-writer.js';
import { copyWholeImage } from '../image/copy-whole-image.js';
import { fetchImage } from '../sources/image/fetch-image.js';
import { findImage } from './find-image.js';

/** A package that a lockfile names. */
export interface VendoredPackage extends Candidate {
  readonly digest: Digest;
  readonly manifest: Digest | undefined;
  readonly baseLayer: Digest | undefined;
  readonly packageYaml: Digest | undefined;
}

export interface VendorOptions {
  readonly target: Target;
  /** `needed`: manifests and base layers, which resolving reads; `whole`: complete images. */
  readonly extent: 'needed' | 'whole';
  readonly concurrency: number;
  /** Called when the copy of a package begins. */
  readonly onPackage?: ((reference: string) => void) | undefined;
  /** Called with a package that no cluster of the target could read, and why. */
  readonly onUnreadable?: ((reference: string, why: string) => void) | undefined;
}

/** Copies the images of locked packages from the first source that has each, by digest. */
export async function vendor(
  packages: readonly VendoredPackage[],
  sources: readonly PackageSource[],
  layout: LayoutWriter,
  options: VendorOptions,
): Promise<void> {
  const limit = pLimit(options.concurrency);
  let failed = false;
  const outcomes = await Promise.allSettled(
    packages.map((wanted) =>
      limit(async () => {
        if (failed) return;
        try {
          await vendorOne(wanted, sources, layout, options);
        } catch (error) {
          failed = true;
          throw error;
        }
      }),
    ),
  );
  // Thrown only after all have settled, so that none still writes to the layout.
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}

async function vendorOne(
  wanted: VendoredPackage,
  sources: readonly PackageSource[],
  layout: LayoutWriter,
  { target, extent, onPackage, onUnreadable }: VendorOptions,
): Promise<void> {
  const reference = joinReference(wanted.repository, wanted.version);
  onPackage?.(reference);
  const { images, manifest } = await findImage(wanted, sources, target);
  const copied = copying(images, layout);
  await copied.manifest(manifest.digest);
  const fetched = await fetchImage(copied, wanted.digest, target);
  if (fetched?.unreadable !== undefined) onUnreadable?.(reference, fetched.unreadable);
  for (const pin of ['manifest', 'baseLayer', 'packageYaml'] as const) {
    if (wanted[pin] === undefined || fetched?.[pin] === wanted[pin]) continue;
    const what = `the lockfile says that its \`${pin}\` is ${wanted[pin]}, and its image has ${fetched?.[pin] ?? 'none'}`;
    throw new SourceError('BAD_DIGEST', reference, what, {
      hint: 'the lockfile was edited or damaged: restore it, or see with `xpkg-resolve verify` what differs',
    });
  }
  if (extent === 'whole') {
    await copyWholeImage(copied, wanted.digest, (part) =>
      layout.blobFrom(part.digest, (to) => copyBlob(images, part, to)),
    );
  }
  layout.name(reference, manifest);
}

/** Copies every manifest and blob that is read to the layout. */
function copying(images: ImageRepository, layout: LayoutWriter): ImageRepository {
  return {
    name: images.name,
    tags: () => images.tags(),
    manifest: async (reference) => {
      const found = await images.manifest(reference);
      if (found !== undefined) await layout.blob(found.digest, found.bytes);
      return found;
    },
    blob: async (descriptor) => {
      const bytes = await images.blob(descriptor);
      if (bytes !== undefined) await layout.blob(descriptor.digest, bytes);
      return bytes;
    },
    openBlob: async (descriptor) => {
      const blob = await openBlob(images, descriptor);
      if (blob === undefined) return undefined;
      await layout.blobFrom(descriptor.digest, async (to) => {
        for await (const chunk of blob.chunks()) await to.add(chunk);
        return true;
      });
      return blob;
    },
  };
}
