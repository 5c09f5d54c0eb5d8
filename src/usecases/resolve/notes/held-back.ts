import { isRejection } from '../../../admission/judge.js';
import { rulingText } from '../../../explain/sentences/ruling-text.js';
import type { Candidate, Repository } from '../../../model/package.js';
import type { Ruling } from '../../../model/policy/ruling.js';
import type { PackageMeta, Rejection } from '../../../model/package-meta.js';
import type { Target } from '../../../model/target/target.js';
import { compareVersions, parseVersion, type Version } from '../../../semver/version.js';
import { effectiveRepository } from '../../../solver/effective.js';
import type { RootPackage, Problem } from '../../../solver/problem.js';
import type { Selected } from '../../../solver/search-result.js';
import type { Driver } from '../../../driver/driver.js';
import { newestOf } from '../../../semver/newest.js';
import { misfitOf } from '../misfit.js';
import { meetsSelector } from '../meets-selector.js';
import { selectorOf } from '../../../model/selector.js';

/**
 * A note for each package asked for by name that is behind the newest release the user would take,
 * and who holds it back. Reads nothing: only tags listed and versions read already count.
 */
export async function heldBack(
  selected: readonly Selected[],
  problem: Problem,
  target: Target,
  driver: Driver,
): Promise<string[]> {
  const notes: string[] = [];
  for (const one of selected) {
    const { repository, version } = one;
    // A version that is locked, or preferred for being low, is not held back by a package.
    if (problem.prefer !== 'newest' || problem.locked.get(repository) === version) continue;
    const newest = newestAdmitted(
      one,
      problem,
      target,
      (await driver.tagsIfListed(repository, target)) ?? [],
    );
    if (newest === undefined || !isBehind(version, newest, problem)) continue;
    const meta = await driver.metaIfRead({ repository, version: newest.raw }, target);
    const ruling = await rulingOn({ repository, version: newest.raw }, { problem, target, driver });
    const by =
      ruling === undefined
        ? holder({ repository, newest, meta }, selected, { problem, target })
        : `a policy: the newest ${rulingText(ruling, false)}`;
    notes.push(`${repository} is held back at ${version} (newest is ${newest.raw}) by ${by}`);
  }
  return notes;
}

/** Why a policy forbids a version, as far as is known without asking. */
async function rulingOn(
  candidate: Candidate,
  { problem, target, driver }: { problem: Problem; target: Target; driver: Driver },
): Promise<Ruling | undefined> {
  const named = problem.policy
    ?.versions(candidate.repository)
    .find(({ selector }) => meetsSelector(candidate.version, selector, target, 'named'));
  return named?.ruling ?? driver.rulingIfAsked(candidate, target);
}

function isBehind(version: string, newest: Version, { dialect }: Problem): boolean {
  const taken = parseVersion(version, dialect);
  return taken !== undefined && compareVersions(newest, taken) > 0;
}

/** undefined: the user did not ask for it by name, or admits nothing that is listed. */
function newestAdmitted(
  { repository }: Selected,
  problem: Problem,
  target: Target,
  tags: readonly string[],
): Version | undefined {
  const roots = problem.roots.filter(
    (each): each is RootPackage =>
      each.requires === 'package' && effectiveRepository(problem, each.repository) === repository,
  );
  if (roots.length === 0 || problem.overrides.has(repository)) return undefined;
  const selectors = roots.map(({ selector }) => selector);
  const unwanted = (problem.exclude.get(repository) ?? []).map(({ selector }) => selector);
  return newestOf(
    tags,
    problem,
    ({ raw, prerelease }) =>
      prerelease === '' &&
      selectors.every((selector) => meetsSelector(raw, selector, target, 'all')) &&
      !unwanted.some((selector) => meetsSelector(raw, selector, target, 'all')),
  );
}

interface Newest {
  readonly repository: Repository;
  readonly newest: Version;
  /** What the newest is, where the search has read it. */
  readonly meta: PackageMeta | Rejection | undefined;
}

function holder(
  { repository, newest, meta }: Newest,
  selected: readonly Selected[],
  { problem, target }: { readonly problem: Problem; readonly target: Target },
): string {
  const others = selected.filter((one) => one.repository !== repository);
  for (const other of others) {
    for (const requirement of other.meta.requirements) {
      if (requirement.requires !== 'package') continue;
      if (effectiveRepository(problem, requirement.repository) !== repository) continue;
      if (meetsSelector(newest.raw, selectorOf(requirement.constraint), target, 'all')) continue;
      return `${other.repository} ${other.version}, which requires \`${requirement.constraint}\``;
    }
  }
  if (meta !== undefined && isRejection(meta)) {
    const error = meta.findings.find(({ severity }) => severity === 'error');
    return `Crossplane ${target.version}, which would refuse the newest (${error?.message ?? ''})`;
  }
  return (
    (meta && misfitText({ repository, meta }, others, { problem, target })) ??
    `what other packages require: \`xpkg-resolve why --not ${repository}@${newest.raw}\` tells`
  );
}

/** What stands against a version beside what was selected. */
function misfitText(
  { repository, meta }: { readonly repository: Repository; readonly meta: PackageMeta },
  selected: readonly Selected[],
  context: { readonly problem: Problem; readonly target: Target },
): string | undefined {
  const others = selected.map((other) => ({ ...other, owns: other.meta.owns }));
  const found = misfitOf({ repository, said: meta }, others, context);
  switch (found?.because) {
    case 'crossplane':
      return `Crossplane ${context.target.version}: the newest needs \`${found.constraint}\``;
    case 'owns': {
      const { other, object } = found;
      return `${other.repository} ${other.version}, which owns ${object.kind} ${object.name} too`;
    }
    case 'requires': {
      const { other, requirement } = found;
      return `${other.repository} ${other.version}: the newest requires \`${requirement.constraint}\``;
    }
    case undefined:
      return undefined;
  }
}
