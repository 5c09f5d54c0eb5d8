import type { RequestEdit } from '../../model/edit/request-edit.js';
import { formatOrigin } from '../../model/input-error.js';
import type { Candidate, Origin } from '../../model/package.js';
import { overrideOf, type Request } from '../../model/request.js';
import type { GaveUp, Solved, Unsolvable } from '../resolve/answer.js';
import { meetsSelector } from '../resolve/meets-selector.js';
import { resolve, type ResolveOptions } from '../resolve/resolve.js';
import { toProblem } from '../resolve/to-problem.js';

/** Why the answer does not have a version. */
export type WhyNot =
  /** It could: this is the set with it, and `changes` what that would move. */
  | { readonly status: 'possible'; readonly answer: Solved }
  /** The set with it is refused. */
  | { readonly status: 'refused'; readonly refusal: Unsolvable }
  /** The user decided on another one, whatever else is asked. */
  | { readonly status: 'overridden'; readonly place: string; readonly text: string }
  | { readonly status: 'gave-up'; readonly answer: GaveUp };

/** Who asks for the version, in a refusal. */
export const NOT_FLAG: Origin = { file: '--not' };

/**
 * Looks for the set with a version in it, beside everything that is asked for. A lockfile in the
 * options is what the changes are told from; it holds nothing back.
 */
export async function whyNotChosen(
  request: Request,
  wanted: Candidate,
  options: ResolveOptions,
): Promise<WhyNot> {
  const pins = [{ ...wanted, origin: NOT_FLAG }];
  const answer = await resolve(request, { ...options, pins });
  switch (answer.status) {
    case 'gave-up':
      return { status: 'gave-up', answer };
    case 'unsolvable':
      return { status: 'refused', refusal: aboutOthers(answer, wanted) };
    case 'solved':
      return overridden(request, wanted, answer) ?? { status: 'possible', answer };
  }
}

/** A change after which the set is one without the version is no way out. */
function aboutOthers(refusal: Unsolvable, wanted: Candidate): Unsolvable {
  const suggestions = refusal.suggestions.filter(({ edits }) =>
    edits.every((edit) => keeps(edit, wanted)),
  );
  return { ...refusal, suggestions };
}

function keeps(edit: RequestEdit, { repository, version }: Candidate): boolean {
  if ('at' in edit && edit.at?.file === NOT_FLAG.file) return false;
  if (edit.edit === 'replace') return edit.repository !== repository;
  return edit.edit !== 'override' || edit.repository !== repository || edit.version === version;
}

/** An override beats the pin, as it beats everything: the set is one without the version. */
function overridden(
  request: Request,
  { repository, version }: Candidate,
  { target }: Solved,
): WhyNot | undefined {
  const rule = overrideOf(request, repository);
  const read = toProblem(request, [target], {}).overrides.get(repository);
  if (rule === undefined || read === undefined) return undefined;
  if (meetsSelector(version, read.selector, target, 'all')) return undefined;
  const place = formatOrigin(rule.origin);
  const text = `${repository} is overridden to \`${rule.version}\` (${place})`;
  return { status: 'overridden', place, text };
}
