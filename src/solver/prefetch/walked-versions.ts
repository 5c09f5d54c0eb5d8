import type { Candidate } from '../../model/package.js';
import type { PackageSubject } from '../encoder/subject.js';
import type { SolverState } from '../solver-state.js';

/** At most so many versions of one package are asked for at once. */
const MAX_AT_ONCE = 8;

/**
 * The next versions of a package whose versions fall one after the other, half as many as have been
 * read of it already: the longer this goes on, the longer it will probably go on.
 */
export function walkedVersions(
  { repository, variable, versions, read }: PackageSubject,
  { search }: SolverState,
): Candidate[] {
  const most = Math.min(MAX_AT_ONCE, Math.ceil(read.size / 2));
  const allowed = search.allowed(variable);
  const next: Candidate[] = [];
  for (const value of versions.preference()) {
    if (next.length >= most) break;
    if (read.has(value) || !allowed.has(value)) continue;
    next.push({ repository, version: versions.label(value) });
  }
  return next;
}
