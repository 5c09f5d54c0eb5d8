import { NOT_FLAG } from './blocked-by-text.js';
import { type HeldBy, heldByInAnswer } from './blocked-by.js';
import { formatOrigin } from '../../base/errors.js';
import type { Candidate } from '../../crossplane/packages/package.js';
import type { Request, RequestEdit } from '../../project/inputs/request.js';
import { lockedIn } from '../../project/lockfile/lockfile.js';
import type { GaveUp, Solved, Unsolvable } from './answer.js';
import { resolve, update, violatedOverride } from './resolve.js';
import type { ResolveOptions } from './to-problem.js';

/** Why the answer does not have a version. */
export type WhyNot =
  /** A package set with the version exists. `heldBy`: why it was not chosen. */
  | { readonly status: 'possible'; readonly answer: Solved; readonly heldBy?: HeldBy | undefined }
  /** No package set contains the version. */
  | {
      readonly status: 'refused';
      readonly refusal: Unsolvable;
      readonly heldBy?: HeldBy | undefined;
    }
  /** An override of the user selects another version. */
  | { readonly status: 'overridden'; readonly place: string; readonly text: string }
  | { readonly status: 'gave-up'; readonly answer: GaveUp };

/**
 * Searches for a package set that contains a version and satisfies the request. If the options have
 * a lockfile, changes are relative to it, but its versions are not preferred.
 */
export async function whyNotChosen(
  request: Request,
  wanted: Candidate,
  options: ResolveOptions,
): Promise<WhyNot> {
  const pins = [{ ...wanted, origin: NOT_FLAG }];
  const answer = await resolve(request, { ...options, pins });
  if (answer.status === 'gave-up') return { status: 'gave-up', answer };
  // An override beats the pin, so the set may lack the version.
  const override =
    answer.status === 'solved' ? violatedOverride(request, wanted, answer) : undefined;
  if (override !== undefined) {
    return { status: 'overridden', place: formatOrigin(override.origin), text: override.text };
  }
  const by = await currentlyHeldBy(request, wanted, options);
  if (answer.status === 'solved') return { status: 'possible', answer, heldBy: by };
  const suggestions = answer.suggestions.filter(({ edits }) =>
    edits.every((edit) => keepsVersion(edit, wanted)),
  );
  return { status: 'refused', refusal: { ...answer, suggestions }, heldBy: by };
}

/** Returns what keeps the package from the version, as `outdated` does; undefined if unknown. */
async function currentlyHeldBy(
  request: Request,
  wanted: Candidate,
  options: ResolveOptions,
): Promise<HeldBy | undefined> {
  const { lockfile } = options;
  const { repository } = wanted;
  const current =
    lockfile !== undefined && lockedIn(lockfile, repository) !== undefined
      ? await update(request, [{ repository }], { ...options, lockfile })
      : await resolve(request, options);
  if (current.status !== 'solved') return undefined;
  if (lockedIn(current.lockfile, repository)?.version === wanted.version) return undefined;
  return heldByInAnswer(wanted, current, request, options);
}

/** Returns whether the package set has the version after an edit. */
function keepsVersion(edit: RequestEdit, { repository, version }: Candidate): boolean {
  if ('at' in edit && edit.at?.file === NOT_FLAG.file) return false;
  if (edit.edit === 'replace') return edit.repository !== repository;
  return edit.edit !== 'override' || edit.repository !== repository || edit.version === version;
}
