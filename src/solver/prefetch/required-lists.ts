import type { Repository } from '../../model/package.js';
import type { PackageMeta } from '../../model/package-meta.js';
import type { Selector } from '../../model/selector.js';
import { exactTag } from '../../semver/version.js';
import { isDigest } from '../../text/digest.js';
import { effectiveRepository, effectiveSelector } from '../effective.js';
import type { Problem } from '../problem.js';

interface RequiredList {
  readonly repository: Repository;
  readonly selector: Selector;
}

/** The tag lists that must be known to say what a package requires. */
export function requiredLists(
  { requirements }: Pick<PackageMeta, 'requirements'>,
  problem: Problem,
): RequiredList[] {
  if (problem.ignoreRequirements) return [];
  return requirements.flatMap((each) => {
    if (each.requires !== 'package' || isDigest(each.constraint)) return [];
    const repository = effectiveRepository(problem, each.repository);
    if (problem.policy?.repository(repository) !== undefined) return [];
    const asked: Selector = { form: 'range', text: each.constraint };
    const selector = effectiveSelector(problem, repository, asked);
    return takesList(selector, problem) ? [{ repository, selector }] : [];
  });
}

/** Whether the tags must be known to say what is selected. */
export function takesList(selector: Selector, { dialect }: Problem): boolean {
  return selector.form === 'range' && exactTag(selector.text, dialect) === undefined;
}
