import type { IndexFile } from '../../src/model/index-file.js';
import type { Request } from '../../src/model/request.js';
import { resolve, type ResolveOptions } from '../../src/usecases/resolve/resolve.js';
import type { Solved } from '../../src/usecases/resolve/answer.js';
import { memorySource } from '../../src/sources/memory-source.js';

/** The answer to a request that has one. */
export async function solved(
  universe: IndexFile,
  request: Request,
  options: Partial<ResolveOptions> = {},
): Promise<Solved> {
  const source = memorySource(universe);
  const answer = await resolve(request, { source, crossplane: 'v2.3.4', ...options });
  if (answer.status !== 'solved') throw new Error('the test wants an answer');
  return answer;
}

/** `repository from → to`, each with its reason. */
export function told({ changes }: Solved): Record<string, string | undefined> {
  return Object.fromEntries(
    changes.map(({ repository, from, to, reason }) => [
      `${repository.slice(-1)} ${from ?? 'none'} → ${to ?? 'none'}`,
      reason,
    ]),
  );
}
