import type { ImageRepository } from '../../../src/oci/image/image-repository.js';
import { sha256 } from '../../../src/base/digest.js';
import type { Image } from './image.js';

/** A repository in memory with one image that is tagged `v1`. */
export class MemoryRepository implements ImageRepository {
  readonly name = 'registry.example.test/a/p';
  /** Digests of the requested blobs, in order. */
  readonly asked: string[] = [];
  readonly #image: Image;

  constructor(image: Image) {
    this.#image = image;
  }

  async tags(): Promise<readonly string[]> {
    return ['v1'];
  }

  async manifest(reference: string) {
    const wanted = reference === 'v1' ? this.#image.digest : reference;
    const all = [this.#image, ...this.#image.manifests];
    const found = all.find(({ digest }) => digest === wanted);
    return found && { digest: sha256(found.bytes), bytes: found.bytes };
  }

  async blob({ digest: wanted }: { readonly digest: string }): Promise<Uint8Array | undefined> {
    this.asked.push(wanted);
    return this.#image.blobs.find(({ digest }) => digest === wanted)?.bytes;
  }
}
