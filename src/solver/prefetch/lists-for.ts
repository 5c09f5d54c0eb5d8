import type { Repository } from '../../model/package.js';
import type { PackageMeta } from '../../model/package-meta.js';
import type { SolverState } from '../solver-state.js';
import { isOutOfReach } from './announce-lists.js';
import { requiredLists } from './required-lists.js';

/** Says which tag lists a package will take: none, where it requires what nothing can be any more. */
export function listsFor({ problem, search, encoder }: SolverState) {
  return (meta: PackageMeta): readonly Repository[] => {
    const required = requiredLists(meta, problem);
    const isRuledOut = required.some(({ repository, selector }) => {
      const subject = encoder.packageIfKnown(repository);
      return subject !== undefined && isOutOfReach(subject, selector, search);
    });
    return isRuledOut ? [] : required.map(({ repository }) => repository);
  };
}
