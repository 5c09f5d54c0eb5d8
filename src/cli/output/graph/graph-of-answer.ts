import { graphOfDiff } from '../../../graph/graph-of-diff.js';
import { graphOfLockfile } from '../../../graph/graph-of-lockfile.js';
import { graphOfRefusal } from '../../../graph/graph-of-refusal.js';
import type { PackageGraph } from '../../../graph/package-graph.js';
import type { Lockfile } from '../../../lock/lockfile.js';
import type { Solved, Unsolvable } from '../../../usecases/resolve/answer.js';

/** An answer to draw: why there is none, what changes of the lockfile that was there, or all of it. */
export function graphOfAnswer(
  answer: Solved | Unsolvable,
  before: Lockfile | undefined,
): PackageGraph {
  if (answer.status === 'unsolvable') return graphOfRefusal(answer, answer.target.version);
  return before === undefined || answer.changes.length === 0
    ? graphOfLockfile(answer.lockfile)
    : graphOfDiff(before, answer.lockfile);
}
