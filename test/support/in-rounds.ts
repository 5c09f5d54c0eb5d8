import type { ImageRepository } from '../../src/oci/image/image-repository.js';

/** Holds blob requests until no more arrive, answers them together, and counts the rounds. */
export class InRounds implements ImageRepository {
  readonly name: string;
  /** Requested digests by round. */
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
      // By then, everything that does not wait for an answer is done.
      this.#round = new Promise((resolve) => setImmediate(resolve));
      void this.#round.then(() => (this.#round = undefined));
    }
    this.rounds.at(-1)!.push(descriptor.digest);
    await this.#round;
    return this.#images.blob(descriptor);
  }
}
