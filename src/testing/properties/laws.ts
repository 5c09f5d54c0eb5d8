import * as fc from 'fast-check';
import { InputError } from '../../base/errors.js';
import { compareVersions, parseVersion } from '../../crossplane/constraints/version.js';
import { targetFor } from '../../crossplane/releases/target.js';
import type { IndexFile } from '../../sources/index/index-file.js';
import type { Knobs } from '../generators/knobs.js';
import { scenario, type Scenario } from '../generators/scenario.js';
import {
  publishedIn,
  reorderIndex,
  targetDependence,
  universeFor,
  withoutDependency,
  withUnrelated,
  withVersion,
} from '../generators/universe-changes.js';
import { universe } from '../generators/universe.js';
import {
  answerWithoutBacktracking,
  exhaustive,
  reachableRepositories,
  targetsFor,
} from '../oracles/exhaustive.js';
import { rejectionReasons } from '../oracles/object-check.js';
import { TargetView, violationsOf } from '../oracles/target-view.js';
import type { CoreScenario, Outcome, Resolver } from '../resolver.js';

export interface LawOptions {
  /** Parameters of the generated scenarios. */
  readonly knobs?: Partial<Knobs> | undefined;
  /** Number of scenarios; 100 by default. */
  readonly runs?: number | undefined;
  /** Seed and path of a failure, to repeat it. */
  readonly seed?: number | undefined;
  readonly path?: string | undefined;
}

/** Tests a property with many scenarios. Rejects with the smallest counterexample. */
export type Law = (resolver: Resolver, options?: LawOptions) => Promise<void>;

/** Returns the property that `claim` does not reject for any scenario. */
function propertyOf(claim: (resolver: Resolver, given: Scenario) => Promise<void>): Law {
  return propertyWith(fc.constant(undefined), claim);
}

/** Returns a property with further random input, which shrinks together with the scenario. */
function propertyWith<T>(
  draws: fc.Arbitrary<T>,
  claim: (resolver: Resolver, given: Scenario, drawn: T) => Promise<void>,
): Law {
  return async (resolver, options = {}) => {
    const { knobs = {}, runs = 100, seed, path } = options;
    const property = fc.asyncProperty(scenario(knobs), draws, (given, drawn) =>
      claim(resolver, given, drawn),
    );
    const details = await fc.check(property, {
      numRuns: runs,
      // Discarded scenarios do not count as runs. Their share depends on the parameters and the
      // resolver.
      maxSkipsPerRun: 100,
      includeErrorInReport: true,
      ...(seed === undefined ? {} : { seed }),
      ...(path === undefined ? {} : { path }),
    });
    if (!details.failed) return;
    const report = await fc.asyncDefaultReportMessage(details);
    throw new Error(report, { cause: details.errorInstance });
  };
}

/** Thrown if the resolver does not report a value that the property needs. */
class MissingValue extends Error {}

/** Fails the property unless `holds` is true. */
function check(holds: boolean, message: () => string): void {
  if (!holds) throw new Error(message());
}

/** Fails the property unless both outcomes are equal, including `written` if both have it. */
function checkSame(got: Outcome, want: Outcome, otherwise: string): void {
  const [gotWords, wantWords] = [outcomeText(got), outcomeText(want)];
  check(gotWords === wantWords, () => `${otherwise}\n got: ${gotWords}\nwant: ${wantWords}`);
  if (got.status !== 'solved' || want.status !== 'solved') return;
  if (got.written !== undefined && want.written !== undefined)
    check(got.written === want.written, () => `${otherwise}: the same selection, other bytes`);
}

function outcomeText(outcome: Outcome): string {
  if (outcome.status !== 'solved') return outcome.status;
  return [...outcome.selected]
    .map(([repository, version]) => `${repository} ${version}`)
    .sort()
    .join(', ');
}

/** Returns an optional field of an outcome. Throws `MissingValue` if it is missing. */
function ensure<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new MissingValue(`the resolver does not tell ${what}`);
  return value;
}

const UNRELATED = universe({ packages: 3, versions: 2, families: 0, aliases: 0 });
const ANY_NUMBER = fc.nat({ max: 9999 });

function resolveWith(resolver: Resolver, { universe: u, request, options }: Scenario) {
  return resolver(u, request, options);
}

/** The selection violates no rule of the target. */
const sound = propertyOf(async (resolver, given) => {
  const outcome = await resolveWith(resolver, given);
  fc.pre(outcome.status === 'solved');
  const { request, options } = given;
  const stated = outcome.crossplane === undefined ? undefined : targetFor(outcome.crossplane);
  const broken = (stated ? [stated] : targetsFor(request, options)).map((target) =>
    violationsOf(new TargetView(given.universe, request, { target, options }), outcome.selected),
  );
  const [least = []] = broken.sort((a, b) => a.length - b.length);
  check(least.length === 0, () => `not sound: ${least.map(({ text }) => text).join('; ')}`);
});

/** The answer equals that of an exhaustive search. */
const complete = propertyOf(async (resolver, given) => {
  const expected = exhaustive(given.universe, given.request, given.options);
  const got = await resolveWith(resolver, given);
  checkSame(got, expected, 'not the answer that trying everything finds');
  if (got.status === 'solved' && expected.status === 'solved' && got.crossplane !== undefined)
    check(
      got.crossplane === expected.crossplane,
      () => `for Crossplane ${got.crossplane}, and ${expected.crossplane} would do`,
    );
});

/** The order of packages and versions in the universe does not matter. */
const deterministic = propertyWith(ANY_NUMBER, async (resolver, given, n) => {
  const first = await resolveWith(resolver, given);
  const again = { ...given, universe: reorderIndex(given.universe, n) };
  const second = await resolveWith(resolver, again);
  checkSame(second, first, 'another answer when listed in another order');
});

/** The order in which sources reply does not matter. */
const replyOrder = propertyWith(fc.scheduler(), async (resolver, given, scheduler) => {
  const first = await resolveWith(resolver, given);
  const deliver = <T>(reply: Promise<T>) => scheduler.schedule(reply);
  const answering = resolveWith(resolver, { ...given, options: { ...given.options, deliver } });
  const second = await scheduler.waitFor(answering);
  checkSame(second, first, 'another answer when replies arrive in another order');
});

/** Packages that nothing requires change nothing. */
const stable = propertyWith(UNRELATED, async (resolver, given, unrelated) => {
  const first = await resolveWith(resolver, given);
  const enlarged = { ...given, universe: withUnrelated(given.universe, unrelated) };
  checkSame(await resolveWith(resolver, enlarged), first, 'strangers change the answer');
});

/**
 * A solvable request stays solvable without one of the dependencies. Unpublishing a version that
 * was not selected does not change the answer.
 */
const monotone = propertyWith(ANY_NUMBER, async (resolver, given, n) => {
  const first = await resolveWith(resolver, given);
  fc.pre(first.status === 'solved');
  const reduced = withoutDependency(given.universe, n);
  if (reduced) {
    const { status } = await resolveWith(resolver, { ...given, universe: reduced });
    check(status === 'solved', () => `${status} once a dependency is dropped`);
  }
  const unselected = publishedIn(given.universe).filter(
    ({ repository, tag, version }) =>
      ![tag, version.digest].includes(first.selected.get(repository)) &&
      !isSpelledTwice(given.universe, repository, tag),
  );
  const { repository, tag } = unselected[n % unselected.length] ?? {};
  if (repository === undefined || tag === undefined) return;
  const without = { ...given, universe: withVersion(given.universe, { repository, tag }) };
  const second = await resolveWith(resolver, without);
  checkSame(second, first, `another answer without ${repository} ${tag}, which was not selected`);
});

/** Without one spelling of a version, another spelling may be chosen. */
function isSpelledTwice({ packages }: IndexFile, repository: string, tag: string): boolean {
  const parsed = parseVersion(tag, '1.5.0');
  const same = Object.keys(packages[repository]!.versions).filter((other) => {
    const version = parseVersion(other, '1.5.0');
    return parsed && version && compareVersions(parsed, version) === 0;
  });
  return same.length > 1;
}

/** A request that is solvable with one preference is solvable with the other. */
const preferenceFree = propertyOf(async (resolver, given) => {
  const prefer = (order: 'newest' | 'lowest') =>
    resolveWith(resolver, { ...given, options: { ...given.options, prefer: order } });
  const [newest, lowest] = [await prefer('newest'), await prefer('lowest')];
  check(
    newest.status === lowest.status,
    () => `${newest.status} newest first, ${lowest.status} lowest first`,
  );
});

/** Its own lockfile does not change the answer. */
const lockIdempotent = propertyOf(async (resolver, given) => {
  const { prefer: _, ...options } = given.options;
  const first = await resolveWith(resolver, given);
  fc.pre(first.status === 'solved');
  const lock = { locked: first.selected, lockfile: first.lockfile };
  const locked = { ...given, options: { ...options, ...lock } };
  checkSame(await resolveWith(resolver, locked), first, 'its own lockfile changes the answer');
});

/**
 * The resolver requests only repositories that can be required. Without conflicts, it reads only
 * the versions that it selects.
 */
const lazy = propertyWith(UNRELATED, async (resolver, given, unrelated) => {
  const enlarged = { ...given, universe: withUnrelated(given.universe, unrelated) };
  const outcome = await resolveWith(resolver, enlarged);
  fc.pre(outcome.status !== 'gave-up');
  const requested = ensure(outcome.asked, 'which repositories the source was `asked` about');
  const needed = reachableRepositories(enlarged.universe, given.request);
  const unneeded = requested.filter((repository) => !needed.has(repository));
  check(unneeded.length === 0, () => `asked about ${unneeded.join(', ')}, which nothing requires`);
  const { request, options } = given;
  const [target] = targetsFor(request, options);
  if (outcome.status !== 'solved' || target === undefined) return;
  const withoutBacktracking = answerWithoutBacktracking(
    new TargetView(enlarged.universe, request, { target, options }),
  );
  if (withoutBacktracking === undefined) return;
  const fetched = ensure(outcome.fetched, 'which versions it `fetched`');
  const surplus = fetched.filter((name) => {
    const [repository = '', version] = name.split(' ');
    return withoutBacktracking.get(repository) !== version;
  });
  check(surplus.length === 0, () => `read ${surplus.join(', ')}, though nothing conflicts`);
});

/** The facts of an explanation alone make the request unsolvable. */
const explanationSuffices = propertyOf(async (resolver, given) => {
  const outcome = await resolveWith(resolver, given);
  fc.pre(outcome.status === 'unsolvable');
  const core = ensure(outcome.core, 'what the `core` of its explanation is');
  check(!isSolvable(core, given), () => 'solvable, were what it names all that stands in the way');
});

/** Without any one of its facts, an explanation is solvable. */
const explanationMinimal = propertyOf(async (resolver, given) => {
  const outcome = await resolveWith(resolver, given);
  fc.pre(outcome.status === 'unsolvable');
  const smaller = ensure(outcome.core?.smaller, 'what its `core` is without one of the facts');
  const stillUnsolvable = smaller.findIndex((core) => !isSolvable(core, given));
  check(
    stillUnsolvable < 0,
    () => `unsolvable even without the fact at place ${stillUnsolvable} of its core`,
  );
});

function isSolvable({ universe: u, request, options }: CoreScenario, given: Scenario): boolean {
  const outcome = exhaustive(u, request, { ...given.options, ...options });
  return outcome.status === 'solved';
}

/** The rendered objects are valid on the target and install the selection. */
const acceptable = propertyOf(async (resolver, given) => {
  const outcome = await resolveWith(resolver, given);
  fc.pre(outcome.status === 'solved');
  const rendered = ensure(outcome.rendered, 'which objects are `rendered`');
  const problems = rejectionReasons(rendered, { ...given, outcome });
  check(problems.length === 0, () => `not acceptable: ${problems.join('; ')}`);
});

/** A range of releases has the answer of its newest solvable release, with any source. */
const rangeAsBestRelease = propertyWith(targetDependence(), async (resolver, given, drawn) => {
  const options = { ...given.options, universeFor: universeFor(given.universe, drawn) };
  const range = await answerOn(drawn.range, resolver, { ...given, options });
  fc.pre(range.status !== 'gave-up');
  for (const release of drawn.releases) {
    const single = await answerOn(release, resolver, { ...given, options });
    fc.pre(single.status !== 'gave-up');
    if (single.status !== 'solved') continue;
    checkSame(range, single, `Crossplane ${drawn.range} is not answered as ${release} alone is`);
    const { crossplane = release } = range.status === 'solved' ? range : {};
    check(crossplane === release, () => `for Crossplane ${crossplane}, and ${release} would do`);
    return;
  }
  const alone = `Crossplane ${drawn.range} has an answer, and none of its releases has`;
  check(range.status === 'unsolvable', () => alone);
});

/** Each row of the matrix has the answers for its releases alone. */
const matrixAsResolve = propertyWith(targetDependence(), async (resolver, given, drawn) => {
  const { universe: u, request } = given;
  const table = ensure(resolver.matrix, 'how requests fare on each release: it has no `matrix`');
  const options = { ...given.options, universeFor: universeFor(u, drawn) };
  const answer = table(u, request, { ...options, crossplane: drawn.range });
  const rows = await unlessInvalid(answer, []);
  for (const release of drawn.releases) {
    const single = await answerOn(release, resolver, { ...given, options });
    const [row, ...more] = rows.filter(({ releases }) => releases.includes(release));
    check(more.length === 0, () => `the matrix has ${release} in ${more.length + 1} rows`);
    const outcome = row?.outcome ?? { status: 'unsolvable' };
    checkSame(outcome, single, `the matrix does not say what is answered for ${release}`);
  }
});

function answerOn(crossplane: string, resolver: Resolver, given: Scenario): Promise<Outcome> {
  const options = { ...given.options, crossplane };
  const answer = resolver(given.universe, given.request, options);
  return unlessInvalid(answer, { status: 'unsolvable' });
}

/** Requests are drawn for the newest release and may be invalid for older ones. */
async function unlessInvalid<T>(answer: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof InputError) return otherwise;
    throw error;
  }
}

/** The properties of a correct resolver. */
export const laws = {
  sound,
  complete,
  deterministic,
  replyOrder,
  stable,
  monotone,
  preferenceFree,
  lockIdempotent,
  lazy,
  explanationSuffices,
  explanationMinimal,
  acceptable,
  rangeAsBestRelease,
  matrixAsResolve,
} as const satisfies Readonly<Record<string, Law>>;

export type LawName = keyof typeof laws;

export interface CheckOptions extends Omit<LawOptions, 'path'> {
  /** Properties to test; all by default. */
  readonly laws?: readonly LawName[] | undefined;
}

/** The result of one property. */
export type LawResult =
  | { readonly law: LawName; readonly status: 'holds' }
  | {
      readonly law: LawName;
      /** `untold`: the resolver does not report a value that the property needs. */
      readonly status: 'broken' | 'untold';
      /** The smallest counterexample, as files to paste, or which value is missing. */
      readonly report: string;
    };

/** Tests properties one after the other. A failure does not stop the others. */
export async function checkLaws(
  resolver: Resolver,
  options: CheckOptions = {},
): Promise<LawResult[]> {
  const { laws: names = Object.keys(laws) as LawName[], ...settings } = options; // all keys
  const results: LawResult[] = [];
  for (const law of names) {
    try {
      await laws[law](resolver, settings);
      results.push({ law, status: 'holds' });
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      const untold = error.cause instanceof MissingValue ? error.cause : undefined;
      const status = untold === undefined ? 'broken' : 'untold';
      results.push({ law, status, report: (untold ?? error).message });
    }
  }
  return results;
}
