import type { Repository } from '../../model/package.js';
import type { Ruling } from '../../model/policy/ruling.js';
import { formatOrigin } from '../../model/input-error.js';
import { selectorText, type Selector } from '../../model/selector.js';
import type { Target } from '../../model/target/target.js';
import type { Problem, Rule } from '../../solver/problem.js';
import { meetsSelector } from './meets-selector.js';
import type { Requirer, Requirers } from './requirers.js';

/** What does not admit a version. */
type RuledOut =
  | { readonly by: 'override' | 'exclusion'; readonly rule: Rule }
  | { readonly by: 'policy'; readonly ruling: Ruling }
  | { readonly by: 'requirer'; readonly requirer: Requirer };

export interface RuleContext {
  readonly requirers: Requirers;
  readonly problem: Problem;
  readonly target: Target;
}

/** What rules a version out: an override decides alone, then exclusions and policies count, then requirers. */
export function ruledOut(
  repository: Repository,
  version: string,
  { requirers, problem, target }: RuleContext,
): RuledOut | undefined {
  const meets = (selector: Selector) => meetsSelector(version, selector, target, 'all');
  const override = problem.overrides.get(repository);
  if (override !== undefined) {
    return meets(override.selector) ? undefined : { by: 'override', rule: override };
  }
  const rule = problem.exclude.get(repository)?.find(({ selector }) => meets(selector));
  if (rule !== undefined) return { by: 'exclusion', rule };
  const ruling =
    problem.policy?.repository(repository) ??
    problem.policy?.versions(repository).find(({ selector }) => meets(selector))?.ruling;
  if (ruling !== undefined) return { by: 'policy', ruling };
  const requirer = requirers
    .get(repository)
    ?.find(({ selector }) => selector !== undefined && !meets(selector));
  return requirer && { by: 'requirer', requirer };
}

/** A rule of the user's, and where it stands. */
export function ruleText({ selector, origin }: Rule): string {
  return `\`${selectorText(selector)}\` (${formatOrigin(origin)})`;
}
