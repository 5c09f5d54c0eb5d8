import type {
  ClusterImage,
  ClusterTask,
} from '../../src/crossplane/package-manager/cluster-image.js';
import type { Candidate, Repository } from '../../src/crossplane/packages/package.js';

/** The content of registries, available without waiting. */
export interface KnownImages {
  tags(repository: Repository): readonly string[] | undefined;
  image(candidate: Candidate): ClusterImage | undefined;
}

/** Runs a task for which all replies are available. */
export function runWith<T>(work: ClusterTask<T>, images: KnownImages): T {
  let step = work.next();
  while (step.done !== true) {
    const request = step.value;
    step = work.next(
      request.ask === 'tags' ? images.tags(request.repository) : images.image(request.candidate),
    );
  }
  return step.value;
}
