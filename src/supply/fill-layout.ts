import pLimit from 'p-limit';
import type { ImageRepository, StoredManifest } from '../image/image-repository.js';
import { copyBlob } from '../image/layer/copy-blob.js';
import { joinReference } from '../model/reference.js';
import { SourceError } from '../model/source-error.js';
import type { LayoutWriter } from '../store/layout-writer.js';
import { attachmentsOf } from './attachments.js';
import type { ClosureImage } from './closure-images.js';
import { platformImages, walkImage } from './image-parts.js';

interface FillOptions {
  readonly concurrency: number;
  /** Copy signatures and other attachments, too. */
  readonly signatures: boolean;
  /** Called when the copy of an image begins. */
  readonly onImage?: ((reference: string) => void) | undefined;
}

/** Copies whole images to a layout, each under its full name. */
export async function fillLayout(
  images: readonly ClosureImage[],
  layout: LayoutWriter,
  { concurrency, signatures, onImage }: FillOptions,
): Promise<void> {
  const limit = pLimit(concurrency);
  const outcomes = await Promise.allSettled(
    images.map((image) =>
      limit(async () => {
        const reference = joinReference(image.repository, image.version);
        onImage?.(reference);
        await copy(image, layout, reference);
        if (!signatures) return;
        const platforms = await platformImages(image);
        const digests = new Set([image.digest, ...platforms.map(({ digest }) => digest)]);
        for (const { reference: at, manifest } of await attachmentsOf(image.images, [...digests])) {
          const attached = { images: image.images, manifest };
          await copy(attached, layout, joinReference(image.repository, at));
        }
      }),
    ),
  );
  // Thrown only after all have settled, so that none still writes to the layout.
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}

async function copy(
  image: { readonly images: ImageRepository; readonly manifest: StoredManifest },
  layout: LayoutWriter,
  reference: string,
): Promise<void> {
  const store = (stored: StoredManifest) => layout.blob(stored.digest, stored.bytes);
  await walkImage(image, {
    image: async ({ stored, manifest }) => {
      for (const blob of [manifest.config, ...manifest.layers]) {
        const size = await layout.blobFrom(blob.digest, (to) => copyBlob(image.images, blob, to));
        if (size === blob.size) continue;
        const what = `the blob ${blob.digest} is ${size === undefined ? 'not there' : 'of another size'}`;
        throw new SourceError('BAD_IMAGE', reference, what, {
          hint: 'the source holds only a part of the image (a layout written without `--full`, perhaps)',
        });
      }
      await store(stored);
    },
    index: store,
  });
  layout.name(reference, image.manifest);
}
