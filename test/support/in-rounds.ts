import type { ImageRepository } from '../../src/image/image-repository.js';

/** Lets blobs wait until nothing more is asked for, gives all at once, and counts how often. */
export class InRounds implements ImageRepository {
  readonly name: string;
  /** Digests that were asked for, by round. */
  readonly rounds: string[][] = [];
  readonly #images: ImageRepository;
  #round: Promise<void> | undefined;

  constructor(images: ImageRepository) {
    this.name = images.name;
    this.#images = images;
  }

  tags() {
    return this.#images.tags();
  }

  manifest(reference: string) {
    return this.#images.manifest(reference);
  }

  async blob(descriptor: Parameters<ImageRepository['blob']>[0]) {
    if (this.#round === undefined) {
      this.rounds.push([]);
      // All that does not wait for an answer is done by then.
      this.#round = new Promise((resolve) => setImmediate(resolve));
      void this.#round.then(() => (this.#round = undefined));
    }
    this.rounds.at(-1)!.push(descriptor.digest);
    await this.#round;
    return this.#images.blob(descriptor);
  }
}
