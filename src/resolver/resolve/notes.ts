import type { Requirers } from './movements.js';
import type { ProblemOptions } from './to-problem.js';
import { formatOrigin } from '../../base/errors.js';
import { shellWord } from '../../base/escape.js';
import { surpriseOfOldDialect } from '../../crossplane/constraints/constraint-meaning.js';
import { nearestFirst } from '../../crossplane/constraints/constraint.js';
import {
  satisfies,
  installableVersions,
} from '../../crossplane/constraints/installable-versions.js';
import {
  compareVersionTexts,
  parseVersion,
  type Version,
} from '../../crossplane/constraints/version.js';
import type { Repository } from '../../crossplane/packages/package.js';
import type { Target } from '../../crossplane/releases/target.js';
import type { Request } from '../../project/inputs/request.js';
import { byRepository, type Lockfile } from '../../project/lockfile/lockfile.js';
import type { SourceReader } from '../driver/source-reader.js';
import type { Driver } from '../driver/driver.js';
import type { NamedFact } from '../explain/refusal.js';
import { effectiveRepository, packageRoots, type Problem, type Rule } from '../solver/problem.js';
import type { SelectedPackage } from '../solver/search-result.js';
import { heldBy, heldByText } from './blocked-by.js';

/** Maximum number of versions that one trial may read to find a cause, if reading is fast. */
const MAX_READ = 1_000;

/** A solved request, and the driver that solved it. */
export interface SolvedRequest {
  readonly selected: readonly SelectedPackage[];
  readonly problem: Problem;
  readonly target: Target;
  readonly driver: Driver;
}

/**
 * Returns a note for each root that is behind the newest version that the user admits, with the
 * cause. If the cause is not known without more reads, and these are not allowed, the note names the
 * command that finds it.
 */
export async function heldBackNotes(
  { selected, problem, target, driver }: SolvedRequest,
  request: Request,
  options: ProblemOptions,
): Promise<string[]> {
  const notes: string[] = [];
  for (const { repository, version } of selected) {
    // No package holds back a version that is locked, or that is preferred because it is low.
    if (problem.prefer !== 'newest' || problem.locked.get(repository) === version) continue;
    const tags = (await driver.tagsIfListed(repository, target)) ?? [];
    const newest = newestAdmitted(repository, problem, target, tags);
    if (newest === undefined) continue;
    const { raw } = newest;
    if ((compareVersionTexts(raw, version, problem.dialect) ?? 0) <= 0) continue;
    const maxRead = options.readsForNotes === true ? MAX_READ : 0;
    const context = { chosen: selected, target, driver, maxRead };
    const by = await heldBy({ repository, version: raw }, context, request, options);
    const cause =
      by === undefined
        ? `: \`xpkg-resolve why --not ${shellWord(`${repository}@${raw}`)}\` tells why`
        : ` by ${heldByText(by)}`;
    notes.push(`${repository} is held back at ${version} (newest is ${raw})${cause}`);
  }
  return notes;
}

/** Returns undefined if no root names the package, or the user admits none of its tags. */
function newestAdmitted(
  repository: Repository,
  problem: Problem,
  target: Target,
  tags: readonly string[],
): Version | undefined {
  const roots = packageRoots(problem).filter(
    (root) => effectiveRepository(problem, root.repository) === repository,
  );
  if (roots.length === 0 || problem.overrides.has(repository)) return undefined;
  const excluded = problem.exclude.get(repository) ?? [];
  return installableVersions(tags, { rules: problem }).find(({ raw, prerelease }) => {
    const meets = ({ selector }: Pick<Rule, 'selector'>) => satisfies(raw, selector, target, 'all');
    return prerelease === '' && roots.every(meets) && !excluded.some(meets);
  });
}

/** Returns a warning for each root whose range newer Crossplane releases read more strictly. */
export function rangeWarnings(selected: readonly SelectedPackage[], problem: Problem): string[] {
  const versions = new Map(selected.map(({ repository, version }) => [repository, version]));
  return packageRoots(problem).flatMap((root) => {
    if (root.selector.form !== 'range') return [];
    const repository = effectiveRepository(problem, root.repository);
    const version = parseVersion(versions.get(repository) ?? '', problem.dialect);
    if (version === undefined || problem.overrides.has(repository)) return [];
    const why = surpriseOfOldDialect(root.selector.text, version, problem.dialect);
    const place = formatOrigin(root.origin);
    return why === undefined ? [] : [`${repository} ${version.raw} (${place}): ${why}`];
  });
}

/** Returns warnings about roots of the old lockfile that no input requires any more. */
export function removedRootWarnings(
  before: Lockfile | undefined,
  after: Lockfile,
  requirers: Requirers,
  isUnsaved = false,
): string[] {
  if (before === undefined) return [];
  const requires = isUnsaved ? 'would require' : 'requires';
  const count = before.packages.length;
  if (after.packages.length === 0 && count > 0) {
    const all = count === 1 ? 'the one package' : `any of the ${count} packages`;
    return [`no input ${requires} ${all} of the lockfile any more`];
  }
  const now = byRepository(after.packages);
  return before.packages
    .filter(({ repository, direct }) => direct && now.get(repository)?.direct !== true)
    .map(({ repository, version }) => {
      const unrequired = `no input ${requires} ${repository} ${version} any more`;
      if (!now.has(repository)) return unrequired;
      const by = requirers.get(repository)?.[0]?.text;
      return `${unrequired}; it ${isUnsaved ? 'would still be' : 'is still'} a dependency${by === undefined ? '' : `: ${by}`}`;
    });
}

/** Maximum number of notes on missing versions. */
const MAX_NOTES = 3;

/** Returns a note for each missing version, with the published and the nearest versions. */
export async function publishedNotes(
  facts: readonly NamedFact[],
  reader: SourceReader,
  target: Target,
): Promise<string[]> {
  const missing = facts.flatMap((fact) =>
    fact.fact === 'missing' && fact.of.versions.length === 1 ? [fact.of] : [],
  );
  const notes = missing.slice(0, MAX_NOTES).map(async ({ repository, versions: [version] }) => {
    // A failure to write this note must not fail the command.
    const tags = await reader.tags(repository, target).catch(() => undefined);
    const published = installableVersions(tags ?? [], target);
    const [newest, oldest] = [published[0], published.at(-1)];
    if (newest === undefined) return [];
    const [nearest] = nearestFirst(published, { text: version!, dialect: target.rules.dialect });
    const isOne = published.length === 1;
    const range = isOne ? newest.raw : `${oldest!.raw} to ${newest.raw}`;
    const count = isOne ? '' : ` (${published.length} versions)`;
    return `published of ${repository}: ${range}${count}; the nearest to \`${version!}\` is ${nearest!.raw}`;
  });
  return (await Promise.all(notes)).flat();
}
