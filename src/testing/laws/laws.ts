import * as fc from 'fast-check';
import type { IndexFile } from '../../model/index-file.js';
import { InputError } from '../../model/input-error.js';
import { targetFor } from '../../model/target/target.js';
import { compareVersions, parseVersion } from '../../semver/version.js';
import { unacceptable } from '../oracle/unacceptable.js';
import { exhaustive, targetsFor } from '../oracle/exhaustive.js';
import { flaws } from '../oracle/flaws.js';
import { possiblyNeeded } from '../oracle/possibly-needed.js';
import { check, checkSame, law, told, varying, type Law } from './law.js';
import type { CoreScenario, Outcome, Resolver } from './resolver.js';
import type { Scenario } from '../generate/scenario.js';
import { withoutConflict } from '../oracle/without-conflict.js';
import { targetDependence, universeFor } from '../generate/target-dependence.js';
import { universe } from '../generate/universe.js';
import {
  publishedIn,
  reordered,
  withoutDependency,
  withUnrelated,
  withVersion,
} from '../generate/changed-universe.js';
import { TargetView } from '../oracle/target-view.js';

const UNRELATED = universe({ packages: 3, versions: 2, families: 0, aliases: 0 });
const ANY_NUMBER = fc.nat({ max: 9999 });

function resolveWith(resolver: Resolver, { universe: u, request, options }: Scenario) {
  return resolver(u, request, options);
}

/** A selection it gives breaks no rule of the target. */
const sound = law(async (resolver, given) => {
  const outcome = await resolveWith(resolver, given);
  fc.pre(outcome.status === 'solved');
  const { request, options } = given;
  const told = outcome.crossplane === undefined ? undefined : targetFor(outcome.crossplane);
  const broken = (told ? [told] : targetsFor(request, options)).map((target) =>
    flaws(new TargetView(given.universe, request, { target, options }), outcome.selected),
  );
  const [least = []] = broken.sort((a, b) => a.length - b.length);
  check(least.length === 0, () => `not sound: ${least.map(({ text }) => text).join('; ')}`);
});

/** It answers what trying everything answers: solvable or not, and which selection. */
const complete = law(async (resolver, given) => {
  const want = exhaustive(given.universe, given.request, given.options);
  const got = await resolveWith(resolver, given);
  checkSame(got, want, 'not the answer that trying everything finds');
  if (got.status === 'solved' && want.status === 'solved' && got.crossplane !== undefined)
    check(
      got.crossplane === want.crossplane,
      () => `for Crossplane ${got.crossplane}, and ${want.crossplane} would do`,
    );
});

/** The order in which packages and versions are listed does not matter. */
const deterministic = varying(ANY_NUMBER, async (resolver, given, n) => {
  const first = await resolveWith(resolver, given);
  const again = { ...given, universe: reordered(given.universe, n) };
  const second = await resolveWith(resolver, again);
  checkSame(second, first, 'another answer when listed in another order');
});

/** Nor does the order in which sources reply. */
const replyOrder = varying(fc.scheduler(), async (resolver, given, scheduler) => {
  const first = await resolveWith(resolver, given);
  const deliver = <T>(reply: Promise<T>) => scheduler.schedule(reply);
  const answering = resolveWith(resolver, { ...given, options: { ...given.options, deliver } });
  const second = await scheduler.waitFor(answering);
  checkSame(second, first, 'another answer when replies arrive in another order');
});

/** Packages that nothing requires change nothing. */
const stable = varying(UNRELATED, async (resolver, given, unrelated) => {
  const first = await resolveWith(resolver, given);
  const crowded = { ...given, universe: withUnrelated(given.universe, unrelated) };
  checkSame(await resolveWith(resolver, crowded), first, 'strangers change the answer');
});

/**
 * What is solvable stays so when a dependency is dropped; and when a version is unpublished that
 * was not selected, the answer is the same.
 */
const monotone = varying(ANY_NUMBER, async (resolver, given, n) => {
  const first = await resolveWith(resolver, given);
  fc.pre(first.status === 'solved');
  const freed = withoutDependency(given.universe, n);
  if (freed) {
    const { status } = await resolveWith(resolver, { ...given, universe: freed });
    check(status === 'solved', () => `${status} once a dependency is dropped`);
  }
  const spare = publishedIn(given.universe).filter(
    ({ repository, tag, version }) =>
      ![tag, version.digest].includes(first.selected.get(repository)) &&
      !isSpelledTwice(given.universe, repository, tag),
  );
  const one = spare[n % spare.length];
  if (one === undefined) return;
  const { repository, tag } = one;
  const without = { ...given, universe: withVersion(given.universe, { repository, tag }) };
  const second = await resolveWith(resolver, without);
  checkSame(second, first, `another answer without ${repository} ${tag}, which was not selected`);
});

/** Unpublishing one spelling of a version lets another be chosen. */
function isSpelledTwice({ packages }: IndexFile, repository: string, tag: string): boolean {
  const parsed = parseVersion(tag, '1.5.0');
  const same = Object.keys(packages[repository]!.versions).filter((other) => {
    const version = parseVersion(other, '1.5.0');
    return parsed && version && compareVersions(parsed, version) === 0;
  });
  return same.length > 1;
}

/** Whether there is an answer does not depend on which is preferred. */
const preferenceFree = law(async (resolver, given) => {
  const prefer = (order: 'newest' | 'lowest') =>
    resolveWith(resolver, { ...given, options: { ...given.options, prefer: order } });
  const [newest, lowest] = [await prefer('newest'), await prefer('lowest')];
  check(
    newest.status === lowest.status,
    () => `${newest.status} newest first, ${lowest.status} lowest first`,
  );
});

/** With its own answer as the lockfile, it answers the same. */
const lockIdempotent = law(async (resolver, given) => {
  const { prefer: _, ...options } = given.options;
  const first = await resolveWith(resolver, given);
  fc.pre(first.status === 'solved');
  const lock = { locked: first.selected, lockfile: first.lockfile };
  const locked = { ...given, options: { ...options, ...lock } };
  checkSame(await resolveWith(resolver, locked), first, 'its own lockfile changes the answer');
});

/**
 * It asks about no repository that nothing reachable requires; and where nothing conflicts, it
 * reads the versions it selects and no others.
 */
const lazy = varying(UNRELATED, async (resolver, given, unrelated) => {
  const crowded = { ...given, universe: withUnrelated(given.universe, unrelated) };
  const outcome = await resolveWith(resolver, crowded);
  fc.pre(outcome.status !== 'gave-up');
  const asked = told(outcome.asked, 'which repositories the source was `asked` about');
  const needed = possiblyNeeded(crowded.universe, given.request);
  const idle = asked.filter((repository) => !needed.has(repository));
  check(idle.length === 0, () => `asked about ${idle.join(', ')}, which nothing requires`);
  const { request, options } = given;
  const [target] = targetsFor(request, options);
  if (outcome.status !== 'solved' || target === undefined) return;
  const easy = withoutConflict(new TargetView(crowded.universe, request, { target, options }));
  if (easy === undefined) return;
  const fetched = told(outcome.fetched, 'which versions it `fetched`');
  const surplus = fetched.filter((name) => {
    const [repository = '', version] = name.split(' ');
    return easy.get(repository) !== version;
  });
  check(surplus.length === 0, () => `read ${surplus.join(', ')}, though nothing conflicts`);
});

/** With nothing left but what its explanation names, there still is no answer. */
const explanationSuffices = law(async (resolver, given) => {
  const outcome = await resolveWith(resolver, given);
  fc.pre(outcome.status === 'unsolvable');
  const core = told(outcome.core, 'what the `core` of its explanation is');
  check(!isSolvable(core, given), () => 'solvable, were what it names all that stands in the way');
});

/** Of what its explanation names nothing can go: without any one fact, there is an answer. */
const explanationMinimal = law(async (resolver, given) => {
  const outcome = await resolveWith(resolver, given);
  fc.pre(outcome.status === 'unsolvable');
  const smaller = told(outcome.core?.smaller, 'what its `core` is without one of the facts');
  const still = smaller.findIndex((core) => !isSolvable(core, given));
  check(still < 0, () => `unsolvable even without the fact at place ${still} of its core`);
});

function isSolvable({ universe: u, request, options }: CoreScenario, given: Scenario): boolean {
  const outcome = exhaustive(u, request, { ...given.options, ...options });
  return outcome.status === 'solved';
}

/** The objects it writes install, on the target, what it selected. */
const acceptable = law(async (resolver, given) => {
  const outcome = await resolveWith(resolver, given);
  fc.pre(outcome.status === 'solved');
  const rendered = told(outcome.rendered, 'which objects are `rendered`');
  const problems = unacceptable(rendered, { ...given, outcome });
  check(problems.length === 0, () => `not acceptable: ${problems.join('; ')}`);
});

/**
 * A range of releases answers as its best single release does: the newest that has an answer; also
 * where a source has other packages for another release.
 */
const rangeAsBestRelease = varying(targetDependence(), async (resolver, given, drawn) => {
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

/** Each row of its matrix says of each release what it answers for that release alone. */
const matrixAsResolve = varying(targetDependence(), async (resolver, given, drawn) => {
  const { universe: u, request } = given;
  const table = told(resolver.matrix, 'how requests fare on each release: it has no `matrix`');
  const options = { ...given.options, universeFor: universeFor(u, drawn) };
  const answer = table(u, request, { ...options, crossplane: drawn.range });
  const rows = await unlessSenseless(answer, []);
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
  return unlessSenseless(answer, { status: 'unsolvable' });
}

/** Requests are drawn for the newest release, and may make no sense to an old one. */
async function unlessSenseless<T>(answer: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof InputError) return otherwise;
    throw error;
  }
}

/** What holds of every resolver worth the name. */
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
