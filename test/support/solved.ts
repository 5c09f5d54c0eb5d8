import type { IndexFile } from '../../src/sources/index/index-file.js';
import type { Request } from '../../src/project/inputs/request.js';
import { resolve } from '../../src/resolver/resolve/resolve.js';
import { type ResolveOptions } from '../../src/resolver/resolve/to-problem.js';
import type { Solved } from '../../src/resolver/resolve/answer.js';
import { memorySource } from '../../src/sources/memory-source.js';

/** Returns the answer to a solvable request. */
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

/** Returns the reason of each change, by `repository from → to`. */
export function changeReasons({ changes }: Solved): Record<string, string | undefined> {
  return Object.fromEntries(
    changes.map(({ repository, from, to, reason }) => [
      `${repository.slice(-1)} ${from ?? 'none'} → ${to ?? 'none'}`,
      reason,
    ]),
  );
}
