import type { Candidate, Repository } from '../model/package.js';
import type { ClusterImage } from './cluster-image.js';

/** What a package manager asks of registries. */
export type ClusterQuestion =
  /** Every tag; undefined: there is no such repository. */
  | { readonly ask: 'tags'; readonly repository: Repository }
  /** What an image holds; undefined: there is no such image. */
  | { readonly ask: 'image'; readonly candidate: Candidate };

export type ClusterReply = readonly string[] | ClusterImage | undefined;

/** Work of a package manager that stops at each question and goes on with the reply. */
export type ClusterWork<T> = Generator<ClusterQuestion, T, ClusterReply>;

export function* askTags(repository: Repository): ClusterWork<readonly string[] | undefined> {
  // The question says which kind of reply comes back.
  return (yield { ask: 'tags', repository }) as readonly string[] | undefined;
}

export function* askImage(candidate: Candidate): ClusterWork<ClusterImage | undefined> {
  return (yield { ask: 'image', candidate }) as ClusterImage | undefined;
}

/** What registries hold, all of it at hand. */
export interface KnownImages {
  tags(repository: Repository): readonly string[] | undefined;
  image(candidate: Candidate): ClusterImage | undefined;
}

/** Runs work to its end where every reply is at hand. */
export function runOn<T>(work: ClusterWork<T>, images: KnownImages): T {
  let step = work.next();
  while (step.done !== true) {
    const question = step.value;
    step = work.next(
      question.ask === 'tags' ? images.tags(question.repository) : images.image(question.candidate),
    );
  }
  return step.value;
}
