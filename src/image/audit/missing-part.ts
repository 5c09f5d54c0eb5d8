import { SourceError } from '../../model/source-error.js';
import type { ImageRepository } from '../image-repository.js';

/** The answer; undefined: `--offline` forbids to fetch it. */
export async function undefinedIfOffline<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof SourceError && error.code === 'OFFLINE') return undefined;
    throw error;
  }
}

/** Whether a repository is expected to hold everything that its manifests name. */
export function isComplete({ partial }: ImageRepository): boolean {
  return partial !== true;
}

export function missingPart(subject: string, what: string): SourceError {
  return new SourceError('BAD_IMAGE', subject, `${what} is named, and is not there`, {
    hint: 'the image cannot be pulled whole: push it again, or name another source with `--from`',
  });
}
