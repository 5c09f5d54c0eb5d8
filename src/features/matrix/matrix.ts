import { uncheckedObjects, uncheckedText } from '../../crossplane/packages/api-rules.js';
import { packageKind } from '../../crossplane/packages/admission.js';
import { parseConstraint } from '../../crossplane/constraints/constraint.js';
import { compareVersions } from '../../crossplane/constraints/version.js';
import { InputError } from '../../base/errors.js';
import type { Candidate } from '../../crossplane/packages/package.js';
import type { Request } from '../../project/inputs/request.js';
import { sameRules, type Target } from '../../crossplane/releases/target.js';
import { getOrCreate, contiguousShard, type Shard } from '../../base/collections.js';
import { minimalProof } from '../../resolver/explain/minimal-proof.js';
import type { Problem } from '../../resolver/solver/problem.js';
import type { Solving } from '../../resolver/solver/question.js';
import { solve } from '../../resolver/solver/solve.js';
import type { SearchResult } from '../../resolver/solver/search-result.js';
import { Driver } from '../../resolver/driver/driver.js';
import type { ReadCounts } from '../../resolver/driver/read-stats.js';
import { SourceReader } from '../../resolver/driver/source-reader.js';
import { refusalOf } from '../../resolver/explain/explain-refusal.js';
import type { CoreEntry } from '../../resolver/explain/refusal.js';
import { findDroppedFields, firstAndMore, uncheckedFieldsText } from '../diff/dropped-fields.js';
import { candidateRules } from '../../resolver/resolve/policy-rules.js';
import { type ResolveOptions, toProblem } from '../../resolver/resolve/to-problem.js';
import { allReleases, chooseTargets, versionOf } from '../../crossplane/releases/target-choice.js';

/** The result of resolving a request for several releases of Crossplane. */
export interface Matrix {
  /** Oldest release first. Consecutive releases with equal results share a row. */
  readonly rows: readonly MatrixRow[];
  /** Metadata of packages that some releases ignore. */
  readonly warnings: readonly string[];
  /** Checks that were not possible. */
  readonly notes: readonly string[];
  readonly stats: ReadCounts;
}

export type MatrixRow = { readonly releases: readonly string[] } & Verdict;

/** The result for one release. */
export type Verdict =
  | {
      readonly status: 'solved';
      /** In the order in which the search selected them. */
      readonly packages: readonly Candidate[];
    }
  | {
      readonly status: 'unsolvable';
      /** The conflict in one line. */
      readonly reason: string;
      /** Empty: the request is invalid on that release. */
      readonly core: readonly CoreEntry[];
    }
  | { readonly status: 'gave-up'; readonly reason: string };

export interface MatrixOptions extends ResolveOptions {
  /** The part of the releases to check; undefined: all. */
  readonly shard?: Shard | undefined;
}

/** The result for one release, and the data to decide whether other releases share it. */
interface Finding {
  readonly target: Target;
  readonly verdict: Verdict;
  /** Every Crossplane constraint that the search encountered. */
  readonly constraints: ReadonlySet<string>;
}

/**
 * Resolves a request for every known release of Crossplane, or for those that `crossplane` in the
 * options or `crossplanes` in the request select. The request's own target is ignored.
 *
 * A search depends on the release only through its rules and through the Crossplane constraints
 * that it encounters. A release with the same rules and the same results for these constraints as
 * an earlier one is not solved again.
 */
export async function matrix(request: Request, options: MatrixOptions): Promise<Matrix> {
  const reader = SourceReader.of(options.source);
  const findings: Finding[] = [];
  const errors: InputError[] = [];
  const all = targetsOf(request, options);
  const { shard } = options;
  const driverOptions = { ...options, rules: candidateRules(request, options) };
  if (shard !== undefined) rejectInvalidRequest(request, all, options);
  const targets = shard === undefined ? all : contiguousShard(all, shard);
  for (const target of targets) {
    const equal = findings.findLast((finding) => hasSameResult(finding, target));
    if (equal !== undefined) {
      findings.push({ ...equal, target });
      continue;
    }
    // Each release has its own driver, so that packages read for another one do not affect reasons.
    const driver = new Driver(reader, driverOptions);
    try {
      findings.push(await resolveFor(target, toProblem(request, [target], options), driver));
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      errors.push(error);
      const verdict: Verdict = { status: 'unsolvable', reason: error.message, core: [] };
      findings.push({ target, verdict, constraints: new Set() });
    }
  }
  const isInvalid = findings.every(
    ({ verdict }) => verdict.status === 'unsolvable' && verdict.core.length === 0,
  );
  if (shard === undefined && isInvalid && errors.length > 0) throw errors.at(-1)!;
  const { listed, fetched } = reader.stats;
  const selected = findings.flatMap(({ target, verdict }) =>
    verdict.status === 'solved' ? verdict.packages.map((candidate) => ({ candidate, target })) : [],
  );
  const { dropped, unchecked } = await droppedByReleases(selected, reader);
  const notes = [...(await uncheckedNotes(selected, reader)), ...unchecked];
  return { rows: rowsOf(findings), warnings: dropped, notes, stats: { listed, fetched } };
}

/** A package that was selected for a release. */
interface SelectedPackage {
  readonly candidate: Candidate;
  readonly target: Target;
}

/** Returns one note on packages that cannot be checked for some releases. */
async function uncheckedNotes(
  selected: readonly SelectedPackage[],
  reader: SourceReader,
): Promise<readonly string[]> {
  const releases: string[] = [];
  const packages = new Map<string, Candidate>();
  for (const { candidate, target } of selected) {
    const contents = (await reader.fetch(candidate, target))?.contents;
    const kind = contents?.metas[0] && packageKind(contents.metas[0]);
    if (!kind || uncheckedObjects(contents.objects, kind, target).length === 0) continue;
    releases.push(target.version);
    packages.set(`${candidate.repository} ${candidate.version}`, candidate);
  }
  if (packages.size === 0) return [];
  const names = firstAndMore([...packages.values()]);
  return [uncheckedText(`the Compositions of ${names}`, { version: releaseRange(releases) })];
}

/** Formats the first and the last release. `releases` is not empty. */
export function releaseRange(releases: readonly string[]): string {
  const [from, to] = [releases[0]!, releases.at(-1)!];
  return from === to ? from : `${from} to ${to}`;
}

/** Returns the metadata of packages that some releases ignore, and a note if it is unknown. */
async function droppedByReleases(
  selected: readonly SelectedPackage[],
  reader: SourceReader,
): Promise<{ readonly dropped: readonly string[]; readonly unchecked: readonly string[] }> {
  const ignoring = selected.filter(({ target }) => !target.rules.runtimeImages);
  const byPackage = new Map<string, SelectedPackage[]>();
  for (const each of ignoring) {
    const key = `${each.candidate.repository}@${each.candidate.version}`;
    getOrCreate(byPackage, key, () => []).push(each);
  }
  const dropped: string[] = [];
  const unchecked: Candidate[] = [];
  const affected = new Set<Target>();
  for (const group of byPackage.values()) {
    const { candidate, target } = group[0]!;
    const contents = (await reader.fetch(candidate, target))?.contents;
    const version = releaseRange(group.map((each) => each.target.version));
    const found = findDroppedFields([[candidate, contents]], { ...target, version });
    dropped.push(...found.dropped.map(({ text }) => text));
    unchecked.push(...found.unchecked);
    if (found.unchecked.length > 0) for (const each of group) affected.add(each.target);
  }
  if (unchecked.length === 0) return { dropped, unchecked: [] };
  const releases = ignoring.map(({ target }) => target).filter((target) => affected.has(target));
  const range = releaseRange(releases.map(({ version }) => version));
  return { dropped, unchecked: [uncheckedFieldsText(unchecked, range)] };
}

/** Throws an InputError if the request is invalid for all releases, whatever the shard. */
function rejectInvalidRequest(
  request: Request,
  targets: readonly Target[],
  options: ResolveOptions,
): void {
  for (const [place, target] of targets.entries()) {
    try {
      toProblem(request, [target], options);
      return;
    } catch (error) {
      if (!(error instanceof InputError) || place === targets.length - 1) throw error;
    }
  }
}

/** Returns the releases of the options, else of the request, else all; oldest first. */
function targetsOf(
  { crossplanes }: Request,
  { crossplane, crossplaneVersions }: ResolveOptions,
): readonly Target[] {
  const selectors =
    crossplane === undefined
      ? crossplanes?.texts.map((text) => ({ text, origin: crossplanes.origin }))
      : [{ text: crossplane, origin: { file: '--crossplane' } }];
  if (selectors === undefined) return allReleases(crossplaneVersions ?? []).reverse();
  const chosen = selectors.flatMap((each) => chooseTargets(each, crossplaneVersions).groups.flat());
  const byVersion = new Map(chosen.map((target) => [target.version, target]));
  return [...byVersion.values()].sort((a, b) => compareVersions(versionOf(a), versionOf(b)));
}

function hasSameResult({ target, verdict, constraints }: Finding, other: Target): boolean {
  if (verdict.status === 'gave-up' || !sameRules(target, other)) return false;
  return [...constraints].every((text) => {
    const constraint = parseConstraint(text, target.rules.dialect);
    return (
      constraint.invalid ||
      constraint.admits(versionOf(target)) === constraint.admits(versionOf(other))
    );
  });
}

async function resolveFor(target: Target, problem: Problem, driver: Driver): Promise<Finding> {
  const constraints = new Set(
    problem.roots.flatMap((each) => (each.requires === 'crossplane' ? [each.constraint] : [])),
  );
  const outcome = await driver.drive(collectConstraints(solve(problem), constraints), target);
  return { target, verdict: await verdictOf(outcome, problem, target, driver), constraints };
}

/** Runs a search, and collects the Crossplane constraints of all packages that it reads. */
function* collectConstraints(
  solving: Solving<SearchResult>,
  constraints: Set<string>,
): Solving<SearchResult> {
  let step = solving.next();
  while (step.done !== true) {
    const answer = yield step.value;
    const meta = typeof answer === 'object' && 'requirements' in answer ? answer : undefined;
    if (meta?.crossplane !== undefined) constraints.add(meta.crossplane);
    step = solving.next(answer);
  }
  return step.value;
}

async function verdictOf(
  outcome: SearchResult,
  problem: Problem,
  target: Target,
  driver: Driver,
): Promise<Verdict> {
  switch (outcome.status) {
    case 'solved': {
      const packages = outcome.selected.map(({ repository, version }) => ({ repository, version }));
      return { status: 'solved', packages };
    }
    case 'gave-up':
      return { status: 'gave-up', reason: `gave up after ${outcome.effort.conflicts} conflicts` };
    case 'unsolvable': {
      const proof = await driver.driveWithoutReading(minimalProof(problem, outcome), target);
      const core = refusalOf(problem, proof).core.filter((entry) => !isRelease(entry, target));
      return { status: 'unsolvable', reason: shortReason(core), core };
    }
  }
}

/** Whether an entry only states the release, which each row shows anyway. */
function isRelease({ kind, text }: CoreEntry, target: Target): boolean {
  return kind === 'crossplane' && text === `Crossplane is ${target.version}`;
}

/** Returns the shortest fact. Facts other than requirements take precedence. */
function shortReason(core: readonly CoreEntry[]): string {
  const causes = core.filter(({ kind }) => kind !== 'requirement');
  const texts = (causes.length > 0 ? causes : core).map(({ text }) => text);
  const [first, ...more] = texts.sort((a, b) => a.length - b.length);
  return more.length === 0 ? first! : `${first!} (and ${more.length} more)`;
}

function rowsOf(findings: readonly Finding[]): MatrixRow[] {
  const rows: { releases: string[]; verdict: Verdict }[] = [];
  for (const { target, verdict } of findings) {
    const last = rows.at(-1);
    const isSame =
      last?.verdict === verdict || JSON.stringify(last?.verdict) === JSON.stringify(verdict);
    if (isSame) last!.releases.push(target.version);
    else rows.push({ releases: [target.version], verdict });
  }
  return rows.map(({ releases, verdict }) => ({ releases, ...verdict }));
}
