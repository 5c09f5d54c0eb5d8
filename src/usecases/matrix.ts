import { parseConstraint } from '../semver/constraint.js';
import { compareVersions } from '../semver/version.js';
import { InputError } from '../model/input-error.js';
import type { Candidate } from '../model/package.js';
import type { Request } from '../model/request.js';
import { sameRules, type Target } from '../model/target/target.js';
import { stretchOf, type Shard } from '../model/parts/shard.js';
import { minimalProof } from '../explain/minimal-proof.js';
import type { Problem } from '../solver/problem.js';
import type { Solving } from '../solver/question.js';
import { solve } from '../solver/solve.js';
import type { SearchResult } from '../solver/search-result.js';
import { Driver } from '../driver/driver.js';
import type { ReadCounts } from '../driver/read-stats.js';
import { SourceMemory } from '../driver/source-memory.js';
import { refusalOf } from '../explain/refusal.js';
import type { CoreEntry } from '../explain/core-entries.js';
import { candidateRules } from './resolve/policy/policy-rules.js';
import type { ResolveOptions } from './resolve/resolve.js';
import { allReleases, chooseTargets, versionOf } from '../model/target/target-choice.js';
import { toProblem } from './resolve/to-problem.js';

/** How a set fares on the releases of Crossplane. */
export interface Matrix {
  /** Oldest release first; neighbours that fare alike are one row. */
  readonly rows: readonly MatrixRow[];
  readonly stats: ReadCounts;
}

export type MatrixRow = { readonly releases: readonly string[] } & Verdict;

/** What becomes of the set on one release. */
export type Verdict =
  | {
      readonly status: 'solved';
      /** In the order of decision. */
      readonly packages: readonly Candidate[];
    }
  | {
      readonly status: 'unsolvable';
      /** What blocks it, in one line. */
      readonly reason: string;
      /** Empty: what is asked for makes no sense on that release. */
      readonly core: readonly CoreEntry[];
    }
  | { readonly status: 'gave-up'; readonly reason: string };

export interface MatrixOptions extends ResolveOptions {
  /** Which part of the releases to look at; undefined: all. */
  readonly shard?: Shard | undefined;
}

/** What was found for one release, and what it takes for another to share it. */
interface Finding {
  readonly target: Target;
  readonly verdict: Verdict;
  /** Every Crossplane constraint that the search came across. */
  readonly constraints: ReadonlySet<string>;
}

/**
 * Resolves for every known release of Crossplane, or those that `crossplane` in the options
 * or `crossplanes` in the request admit; the request's own target does not count.
 *
 * A search learns of the release by its rules and by the Crossplane constraints it meets: what
 * agrees with a release solved before in both is not solved again.
 */
export async function matrix(request: Request, options: MatrixOptions): Promise<Matrix> {
  const memory = SourceMemory.of(options.source);
  const findings: Finding[] = [];
  const errors: InputError[] = [];
  const all = targetsOf(request, options);
  const { shard } = options;
  const driverOptions = { ...options, rules: candidateRules(request, options) };
  if (shard !== undefined) refuseNonsense(request, all, options);
  const targets = shard === undefined ? all : stretchOf(all, shard);
  for (const target of targets) {
    const alike = findings.findLast((finding) => fareAlike(finding, target));
    if (alike !== undefined) {
      findings.push({ ...alike, target });
      continue;
    }
    // Each release has a driver of its own, lest what another one read shows in a reason.
    const driver = new Driver(memory, driverOptions);
    try {
      findings.push(await find(toProblem(request, [target], options), target, driver));
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      errors.push(error);
      const verdict: Verdict = { status: 'unsolvable', reason: error.message, core: [] };
      findings.push({ target, verdict, constraints: new Set() });
    }
  }
  if (shard === undefined && errors.length === all.length) throw errors.at(-1)!;
  const { listed, fetched } = memory.stats;
  return { rows: rowsOf(findings), stats: { listed, fetched } };
}

/** What makes sense to no release is a mistake, whichever part of the releases is looked at. */
function refuseNonsense(
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

/** What the options name, or else the request as those that it is meant for, or else all; oldest first. */
function targetsOf(
  { crossplanes }: Request,
  { crossplane, crossplaneVersions }: ResolveOptions,
): readonly Target[] {
  const asked =
    crossplane === undefined
      ? crossplanes?.texts.map((text) => ({ text, origin: crossplanes.origin }))
      : [{ text: crossplane, origin: { file: '--crossplane' } }];
  if (asked === undefined) return allReleases(crossplaneVersions ?? []).reverse();
  const chosen = asked.flatMap((one) => chooseTargets(one, crossplaneVersions).groups.flat());
  const byVersion = new Map(chosen.map((target) => [target.version, target]));
  return [...byVersion.values()].sort((a, b) => compareVersions(versionOf(a), versionOf(b)));
}

function fareAlike({ target, verdict, constraints }: Finding, other: Target): boolean {
  if (verdict.status === 'gave-up' || !sameRules(target, other)) return false;
  if (verdict.status === 'unsolvable' && verdict.core.length === 0) return false;
  return [...constraints].every((text) => {
    const constraint = parseConstraint(text, target.rules.dialect);
    return (
      constraint.invalid ||
      constraint.admits(versionOf(target)) === constraint.admits(versionOf(other))
    );
  });
}

async function find(problem: Problem, target: Target, driver: Driver): Promise<Finding> {
  const constraints = new Set(
    problem.roots.flatMap((each) => (each.requires === 'crossplane' ? [each.constraint] : [])),
  );
  const outcome = await driver.drive(noting(solve(problem), constraints), target);
  return { target, verdict: await verdictOf(outcome, problem, target, driver), constraints };
}

/** Passes a search on, and collects the Crossplane constraints of the packages it is told of. */
function* noting(solving: Solving<SearchResult>, constraints: Set<string>): Solving<SearchResult> {
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
      return {
        status: 'gave-up',
        reason: `gave up after ${outcome.effort.conflicts} conflicts`,
      };
    case 'unsolvable': {
      const proof = await driver.driveFromMemory(minimalProof(problem, outcome), target);
      const core = refusalOf(problem, proof).core.filter((entry) => !restates(entry, target));
      return { status: 'unsolvable', reason: tersest(core), core };
    }
  }
}

/** Which release a row is about need not be said in it. */
function restates({ kind, text }: CoreEntry, target: Target): boolean {
  return kind === 'crossplane' && text === `Crossplane is ${target.version}`;
}

/** The shortest fact, of those that say more than that something is required. */
function tersest(core: readonly CoreEntry[]): string {
  const telling = core.filter(({ kind }) => kind !== 'requirement');
  const texts = (telling.length > 0 ? telling : core).map(({ text }) => text);
  const [first, ...more] = texts.sort((a, b) => a.length - b.length);
  return more.length === 0 ? first! : `${first!} (and ${more.length} more)`;
}

function rowsOf(findings: readonly Finding[]): MatrixRow[] {
  const rows: { releases: string[]; verdict: Verdict }[] = [];
  for (const { target, verdict } of findings) {
    const last = rows.at(-1);
    if (last !== undefined && sameVerdict(last.verdict, verdict))
      last.releases.push(target.version);
    else rows.push({ releases: [target.version], verdict });
  }
  return rows.map(({ releases, verdict }) => ({ releases, ...verdict }));
}

function sameVerdict(a: Verdict, b: Verdict): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
