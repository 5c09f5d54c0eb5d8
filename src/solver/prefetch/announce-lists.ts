import type { Repository } from '../../model/package.js';
import type { Selector } from '../../model/selector.js';
import { effectiveSelector } from '../effective.js';
import type { EncoderContext } from '../encoder/context.js';
import type { PackageSubject } from '../encoder/subject.js';
import type { Solving } from '../question.js';
import type { Search } from '../search.js';

interface RepositorySelector {
  readonly repository: Repository;
  readonly selector: Selector;
}

/** Says which tag lists these selectors will take. */
export function* announceLists(
  selectors: readonly RepositorySelector[],
  { problem, search, subjects, announcements }: EncoderContext,
): Solving<void> {
  const next = () => {
    const lists: Repository[] = [];
    for (const { repository, selector } of selectors) {
      const subject = subjects.required(repository);
      if (problem.policy?.repository(subject.repository) !== undefined) return {};
      const effective = effectiveSelector(problem, subject.repository, selector);
      if (subject.versions.needsList(effective)) lists.push(subject.repository);
      else if (isOutOfReach(subject, effective, search)) return {};
    }
    return { lists };
  };
  yield* announcements.say(next);
}

/** Whether nothing selected is allowed any more; a version that requires it will not be chosen. */
export function isOutOfReach(
  { variable, versions }: PackageSubject,
  selector: Selector,
  search: Search,
): boolean {
  if (!versions.listed || selector.form !== 'range') return false;
  return search.allowed(variable).and(versions.selected(selector)!).isEmpty;
}
