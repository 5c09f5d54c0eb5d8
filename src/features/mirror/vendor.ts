import { blobsOf, copyAll, type FoundImage, incompleteError, walkImage } from './image-parts.js';
import { type DigestedPackage, findImage } from './lockfile-images.js';
import { SourceError } from '../../base/errors.js';
import { joinReference } from '../../crossplane/packages/reference.js';
import type { Target } from '../../crossplane/releases/target.js';
import type { Descriptor } from '../../oci/image/descriptor.js';
import { copyBlob, type ImageRepository, openBlob } from '../../oci/image/image-repository.js';
import type { LayoutWriter } from '../../oci/store/layout-writer.js';
import { fetchImage } from '../../sources/images/fetch-image.js';
import type { PackageSource } from '../../sources/package-source.js';

const PINS = ['manifest', 'baseLayer', 'packageYaml'] as const;

interface VendorOptions {
  readonly sources: readonly PackageSource[];
  readonly target: Target;
  /** `needed`: only the manifests and base layers that resolving reads; `whole`: complete images. */
  readonly extent: 'needed' | 'whole';
  readonly concurrency: number;
  /** Called when the copy of a package begins. */
  readonly onImage: (reference: string) => void;
  /** Called with a package that the target release cannot read, and the reason. */
  readonly onUnreadable: (reference: string, why: string) => void;
}

/** Copies the images of locked packages by digest, each from the first source that has it. */
export async function vendor(
  packages: readonly DigestedPackage[],
  layout: LayoutWriter,
  { sources, target, extent, concurrency, onImage, onUnreadable }: VendorOptions,
): Promise<void> {
  await copyAll(packages, concurrency, async (locked) => {
    const reference = joinReference(locked.repository, locked.version);
    onImage(reference);
    const { images, manifest } = await findImage(locked, sources, target);
    const copying = copyingRepository(images, layout);
    await copying.manifest(manifest.digest);
    const fetched = await fetchImage(copying, locked.digest, target);
    if (fetched?.unreadable !== undefined) onUnreadable(reference, fetched.unreadable);
    for (const pin of PINS) {
      if (locked[pin] === undefined || fetched?.[pin] === locked[pin]) continue;
      const what = `the lockfile says that its \`${pin}\` is ${locked[pin]}, and its image has ${fetched?.[pin] ?? 'none'}`;
      throw new SourceError('BAD_DIGEST', reference, what, {
        hint: 'the lockfile was edited or damaged: restore it, or see with `xpkg-resolve verify` what differs',
      });
    }
    if (extent === 'whole') {
      await copyWholeImage({ images: copying, manifest }, (blob) =>
        layout.blobFrom(blob.digest, (to) => copyBlob(images, blob, to)),
      );
    }
    layout.name(reference, manifest);
  });
}

/** Returns a repository that copies each manifest and blob that is read to the layout. */
function copyingRepository(images: ImageRepository, layout: LayoutWriter): ImageRepository {
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

/**
 * Copies the configs and layers of an image, and of every image of an index.
 *
 * `copy` returns the size of the config or layer in bytes, or undefined if it is missing.
 */
export async function copyWholeImage(
  image: FoundImage,
  copy: (blob: Descriptor) => Promise<number | undefined>,
): Promise<void> {
  await walkImage(image, {
    image: async ({ stored, manifest }) => {
      const subject = `${image.images.name}@${stored.digest}`;
      for (const blob of blobsOf(manifest)) {
        const size = await copy(blob);
        if (size === blob.size) continue;
        const name = `the blob ${blob.digest}`;
        if (size === undefined) throw incompleteError(subject, `${name} is not there`);
        const what = `${name} has ${size} bytes, where the manifest says ${blob.size}`;
        throw new SourceError('BAD_DIGEST', subject, what);
      }
    },
  });
}
