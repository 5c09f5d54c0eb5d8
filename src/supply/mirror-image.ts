import { Spool } from '../files/spool/spool.js';
import type { Descriptor } from '../image/descriptor.js';
import type { ImageDestination } from '../image/image-destination.js';
import type { ImageRepository, StoredManifest } from '../image/image-repository.js';
import { copyBlob } from '../image/layer/copy-blob.js';
import { SourceError } from '../model/source-error.js';
import { walkImage } from './image-parts.js';

interface CopyOptions {
  /** Tag or digest to store it under. */
  readonly reference: string;
  /** The name stands for this image there already, so that only blobs may be missing. */
  readonly isNamed: boolean;
  /** Called with the size of each blob that was sent. */
  readonly onBytes?: ((count: number) => void) | undefined;
}

/**
 * Copies an image to a registry, byte for byte: what is there already is not sent again, and the
 * name is given last, so that a copy that was broken off goes on where it ended. Returns whether
 * anything was missing.
 */
export async function mirrorImage(
  image: { readonly images: ImageRepository; readonly manifest: StoredManifest },
  to: ImageDestination,
  { reference, isNamed, onBytes }: CopyOptions,
): Promise<boolean> {
  const top = image.manifest.digest;
  let isNew = !isNamed;
  const store = async (manifest: StoredManifest) => {
    if (manifest.digest === top) return;
    if (isNamed && (await to.manifest(manifest.digest)) !== undefined) return;
    await to.putManifest(manifest.digest, manifest);
    isNew = true;
  };
  await walkImage(image, {
    image: async ({ stored, manifest }) => {
      for (const blob of [manifest.config, ...manifest.layers]) {
        if (await to.hasBlob(blob)) continue;
        await send(image.images, blob, to);
        isNew = true;
        onBytes?.(blob.size);
      }
      await store(stored);
    },
    index: store,
  });
  if (isNew) await to.putManifest(reference, image.manifest);
  return isNew;
}

/** Keeps a blob until it is known to be right: a registry that got wrong bytes might keep them. */
async function send(
  images: ImageRepository,
  blob: Descriptor,
  to: ImageDestination,
): Promise<void> {
  const spool = new Spool();
  try {
    if (!(await copyBlob(images, blob, spool))) {
      throw new SourceError('BAD_IMAGE', images.name, `the blob ${blob.digest} is not there`, {
        hint: 'the source holds only a part of the image (a layout written without `--full`, perhaps)',
      });
    }
    await to.putBlob(blob, () => spool.chunks());
  } finally {
    await spool.close();
  }
}
