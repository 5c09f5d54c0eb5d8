import { clusterImage, type ClusterImage } from '../../cluster/cluster-image.js';
import type { ClusterQuestion, ClusterReply, ClusterWork } from '../../cluster/cluster-question.js';
import type { Candidate } from '../../model/package.js';
import type { PackageSource } from '../../model/package-source.js';
import { joinReference } from '../../model/reference.js';
import type { Target } from '../../model/target/target.js';

/** Puts the questions of a package manager to a source, and keeps what it makes of images. */
export class ImageReader {
  readonly #source: PackageSource;
  readonly #target: Target;
  readonly #images = new Map<string, ClusterImage | undefined>();

  constructor(source: PackageSource, target: Target) {
    this.#source = source;
    this.#target = target;
  }

  /** Makes images known that the source does not have, by reference. */
  add(images: ReadonlyMap<string, ClusterImage>): void {
    for (const [reference, image] of images) this.#images.set(reference, image);
  }

  /** Runs work to its end. */
  async run<T>(work: ClusterWork<T>): Promise<T> {
    let step = work.next();
    while (step.done !== true) step = work.next(await this.#answer(step.value));
    return step.value;
  }

  async #answer(question: ClusterQuestion): Promise<ClusterReply> {
    return question.ask === 'tags'
      ? this.#source.tags(question.repository, this.#target)
      : this.#image(question.candidate);
  }

  async #image(candidate: Candidate): Promise<ClusterImage | undefined> {
    const key = joinReference(candidate.repository, candidate.version);
    if (this.#images.has(key)) return this.#images.get(key);
    const fetched = await this.#source.fetch(candidate, this.#target);
    const image = fetched && clusterImage(fetched.contents, fetched.digest, this.#target);
    this.#images.set(key, image);
    return image;
  }
}
