import { formatOrigin } from '../../model/input-error.js';
import type { Candidate } from '../../model/package.js';
import { replacedRepository, type Request } from '../../model/request.js';
import { selectorText } from '../../model/selector.js';
import type { Target } from '../../model/target/target.js';
import { effectiveRepository } from '../../solver/effective.js';
import type { Problem } from '../../solver/problem.js';
import { meetsSelector } from '../resolve/meets-selector.js';
import { ruleText } from '../resolve/ruled-out.js';

/** Something that the user wrote and that does not admit a version. */
export interface OwnRule {
  readonly text: string;
  /** Where it stands. */
  readonly place: string;
}

/** The user's own rule that keeps a version out; undefined: none does. */
export function ownRule(
  { repository, version }: Candidate,
  problem: Problem,
  target: Target,
): OwnRule | undefined {
  const meets = (selector: Parameters<typeof meetsSelector>[1]) =>
    meetsSelector(version, selector, target, 'all');
  const override = problem.overrides.get(repository);
  if (override !== undefined) {
    if (meets(override.selector)) return undefined;
    return { text: `overridden: ${ruleText(override)}`, place: formatOrigin(override.origin) };
  }
  const exclusion = problem.exclude.get(repository)?.find(({ selector }) => meets(selector));
  if (exclusion !== undefined) {
    const place = formatOrigin(exclusion.origin);
    return { text: `excluded (${place})`, place };
  }
  for (const root of problem.roots) {
    if (root.requires !== 'package' || meets(root.selector)) continue;
    if (effectiveRepository(problem, root.repository) !== repository) continue;
    const place = formatOrigin(root.origin);
    return { text: `${place} asks for \`${selectorText(root.selector)}\``, place };
  }
  return undefined;
}

/** The request with every rule of the user's on a package made to admit a version of it. */
export function admitting(request: Request, { repository, version }: Candidate): Request {
  return {
    ...request,
    roots: request.roots.map((root) =>
      root.root === 'package' && replacedRepository(request, root.repository) === repository
        ? { ...root, version: { form: 'tag', tag: version } }
        : root,
    ),
    overrides: request.overrides.map((rule) =>
      rule.repository === repository ? { ...rule, version } : rule,
    ),
    exclude: request.exclude.filter((rule) => rule.repository !== repository),
  };
}
