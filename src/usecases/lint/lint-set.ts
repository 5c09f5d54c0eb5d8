import { formatOrigin } from '../../model/input-error.js';
import type { Repository } from '../../model/package.js';
import type { PackageContents } from '../../model/package-contents.js';
import type { PackageSource } from '../../model/package-source.js';
import type { Request } from '../../model/request.js';
import { byCodePoint } from '../../text/code-point-order.js';
import type { Solved } from '../resolve/answer.js';
import { missingFunctions, missingKinds, unusedProviders } from './compositions.js';
import { familyApart, familyVersions } from './families.js';
import { lintedSet, type SetFinding, type SetRule } from './linted-set.js';
import {
  duplicateRequirements,
  otherNames,
  patchedCrossplanes,
  skipMixtures,
  unqualifiedRoots,
} from './requirements.js';

const RULES: readonly SetRule[] = [
  familyApart,
  familyVersions,
  unqualifiedRoots,
  skipMixtures,
  patchedCrossplanes,
  missingFunctions,
  missingKinds,
  duplicateRequirements,
  otherNames,
  unusedProviders,
];

/** What is worth telling about a set that was resolved, by file and line, then by rule. */
export async function lintSet(
  request: Request,
  { lockfile, target }: Pick<Solved, 'lockfile' | 'target'>,
  source: PackageSource,
): Promise<SetFinding[]> {
  const contents = new Map<Repository, PackageContents>();
  for (const { repository, version } of lockfile.packages) {
    const found = await source.fetch({ repository, version }, target);
    if (found !== undefined) contents.set(repository, found.contents);
  }
  const set = lintedSet({ request, lockfile, target }, contents);
  return RULES.flatMap((rule) => rule(set)).sort(
    (a, b) =>
      byCodePoint(a.origin.file, b.origin.file) ||
      (a.origin.line ?? 0) - (b.origin.line ?? 0) ||
      byCodePoint(a.rule, b.rule) ||
      byCodePoint(`${formatOrigin(a.origin)} ${a.text}`, `${formatOrigin(b.origin)} ${b.text}`),
  );
}
