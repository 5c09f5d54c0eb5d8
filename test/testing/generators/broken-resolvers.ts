import type { IndexFile, IndexVersion } from '../../../src/sources/index/index-file.js';
import type { JsonObject } from '../../../src/base/json.js';
import type { Request } from '../../../src/project/inputs/request.js';
import {
  exhaustive,
  reachableRepositories,
  targetsFor,
} from '../../../src/testing/oracles/exhaustive.js';
import type { Outcome, Resolver, ResolverOptions } from '../../../src/testing/resolver.js';
import { publishedIn } from '../../../src/testing/generators/universe-changes.js';
import { TargetView } from '../../../src/testing/oracles/target-view.js';

/** Resolves by exhaustive search and reports all that the properties need. */
export const exemplary: Resolver = Object.assign(tryEverything, { matrix: releaseByRelease });

async function tryEverything(
  universe: IndexFile,
  request: Request,
  options: ResolverOptions = {},
): Promise<Outcome> {
  const outcome = firstSolved(universe, request, options);
  const asked = [...reachableRepositories(universe, request)];
  const { deliver = (reply) => reply } = options;
  await Promise.all(asked.map((name) => deliver(Promise.resolve(name))));
  if (outcome.status === 'solved')
    return {
      ...outcome,
      asked,
      fetched: [...outcome.selected].map(([repository, version]) => `${repository} ${version}`),
      rendered: bundle(universe, request, { options, outcome }),
    };
  return outcome.status === 'unsolvable'
    ? { ...outcome, asked, core: { universe, request, smaller: [] } }
    : outcome;
}

/** Returns the answer for the newest solvable release, with the universe of each release. */
function firstSolved(universe: IndexFile, request: Request, options: ResolverOptions): Outcome {
  const { universeFor } = options;
  if (universeFor === undefined) return exhaustive(universe, request, options);
  const outcomes = targetsFor(request, options).map((target) =>
    exhaustive(universeFor(target), request, { ...options, crossplane: target.version }),
  );
  return outcomes.find(({ status }) => status === 'solved') ?? { status: 'unsolvable' };
}

async function releaseByRelease(universe: IndexFile, request: Request, options: ResolverOptions) {
  return targetsFor(request, options).map(({ version }) => ({
    releases: [version],
    outcome: firstSolved(universe, request, { ...options, crossplane: version }),
  }));
}

/** Reads the universe for one release and reuses it for the others. */
const forgetful: Resolver = Object.assign(readOnce(tryEverything), {
  matrix: readOnce(releaseByRelease),
});

function readOnce<T>(
  answer: (universe: IndexFile, request: Request, options: ResolverOptions) => Promise<T>,
) {
  return (universe: IndexFile, request: Request, options: ResolverOptions = {}): Promise<T> => {
    const [first] = targetsFor(request, options);
    const read = (first && options.universeFor?.(first)) ?? universe;
    return answer(read, request, { ...options, universeFor: undefined });
  };
}

/** Prefers the oldest release of a range. */
const oldFashioned: Resolver = (universe, request, options = {}) => {
  const oldest = targetsFor(request, options).at(-1)?.version;
  return exemplary(universe, request, { ...options, crossplane: oldest });
};

type Solved = Extract<Outcome, { status: 'solved' }>;

function bundle(
  universe: IndexFile,
  request: Request,
  { options, outcome }: { options: ResolverOptions; outcome: Solved },
): JsonObject[] {
  const target = targetsFor(
    { ...request, crossplane: undefined },
    { crossplane: outcome.crossplane },
  )[0]!;
  const seen = options.universeFor?.(target) ?? universe;
  const world = new TargetView(seen, request, { target, options });
  const placed = new Set<string>();
  const place = (repository: string, above: readonly string[] = []): void => {
    if (above.includes(repository)) return;
    for (const d of world.requirementsOf(repository, outcome.selected.get(repository)!))
      place(d.repository, [...above, repository]);
    placed.add(repository);
  };
  for (const repository of outcome.selected.keys()) place(repository);
  return [...placed].map((repository, n) => {
    const version = outcome.selected.get(repository)!;
    return {
      apiVersion: 'pkg.crossplane.io/v1',
      kind: world.read(repository, version)!.kind,
      metadata: { name: `package-${n}` },
      spec: {
        package: `${repository}${version.startsWith('sha256:') ? '@' : ':'}${version}`,
        skipDependencyResolution: true,
      },
    };
  });
}

function everyVersion(universe: IndexFile, change: (version: IndexVersion) => IndexVersion) {
  const packages = Object.entries(universe.packages).map(([repository, { kind, versions }]) => [
    repository,
    {
      kind,
      versions: Object.fromEntries(
        Object.entries(versions).map(([tag, version]) => [tag, change(version)]),
      ),
    },
  ]);
  return { packages: Object.fromEntries(packages) } as IndexFile;
}

/** Takes the newest version that the first requirement allows, without backtracking. */
const greedy: Resolver = async (universe, request, options = {}) => {
  const [target] = targetsFor(request, options);
  if (target === undefined) return { status: 'unsolvable' };
  const world = new TargetView(universe, request, { target, options });
  const selected = new Map<string, string>();
  const queue = [...(world.roots() ?? [])];
  for (const want of queue) {
    if ('api' in want || selected.has(want.repository)) continue;
    const tags = Object.keys(universe.packages[want.repository]?.versions ?? {});
    const tag = tags.findLast((one) => world.satisfies(want.repository, one, want.selector));
    if (tag === undefined) return { status: 'unsolvable' };
    selected.set(want.repository, tag);
    queue.push(...world.requirementsOf(want.repository, tag));
  }
  return { status: 'solved', selected, crossplane: target.version };
};

const ownershipBlind: Resolver = (universe, request, options) =>
  exemplary(
    everyVersion(universe, (version) => ({ ...version, crds: [], xrds: [], compositions: [] })),
    request,
    options,
  );

const crossplaneBlind: Resolver = (universe, request, options) =>
  exemplary(
    everyVersion(universe, (version) => ({ ...version, crossplane: undefined })),
    request,
    options,
  );

/** Ignores policies. */
const policyBlind: Resolver = (universe, request, options) =>
  exemplary(universe, { ...request, policies: [] }, options);

/** Prefers versions in the order in which they are listed. */
const orderDependent: Resolver = (universe, request, options) => {
  const first = publishedIn(universe)[0]?.tag;
  return exemplary(universe, request, {
    ...options,
    prefer: first === 'v1.0.0' ? 'newest' : 'lowest',
  });
};

/** Depends on which of two replies comes first. */
const impatient: Resolver = async (universe, request, options = {}) => {
  const deliver = options.deliver ?? ((reply) => reply);
  const prefer = await Promise.race([
    deliver(Promise.resolve('newest' as const)),
    deliver(Promise.resolve('lowest' as const)),
  ]);
  return exemplary(universe, request, { ...options, prefer });
};

/** Depends on the number of packages. */
const distracted: Resolver = (universe, request, options) => {
  const crowd = Object.keys(universe.packages).length;
  return exemplary(universe, request, { ...options, prefer: crowd > 9 ? 'lowest' : 'newest' });
};

/** Finds no answer in a universe where most versions have no dependencies. */
const clingy: Resolver = async (universe, request, options) => {
  const outcome = await exemplary(universe, request, options);
  if (outcome.status !== 'solved') return outcome;
  const versions = publishedIn(universe);
  const needy = versions.filter(({ version }) => (version.dependsOn ?? []).length > 0);
  return needy.length * 2 < versions.length ? { status: 'unsolvable' } : outcome;
};

const optimist: Resolver = async (universe, request, options = {}) => {
  const outcome = await exemplary(universe, request, { ...options, prefer: 'newest' });
  if (options.prefer !== 'lowest' || outcome.status !== 'solved') return outcome;
  const lowest = await exemplary(universe, request, options);
  return JSON.stringify([...outcome.selected]) ===
    JSON.stringify(lowest.status === 'solved' ? [...lowest.selected] : [])
    ? outcome
    : { status: 'unsolvable' };
};

/** Avoids locked versions. */
const restless: Resolver = (universe, request, options = {}) =>
  exemplary(universe, request, {
    ...options,
    prefer: options.locked && options.prefer !== 'lowest' ? 'lowest' : 'newest',
  });

const nosy: Resolver = async (universe, request, options) => ({
  ...(await exemplary(universe, request, options)),
  asked: Object.keys(universe.packages),
});

/** Reads every version of every package that might be needed. */
const thorough: Resolver = async (universe, request, options) => {
  const outcome = await exemplary(universe, request, options);
  if (outcome.status !== 'solved') return outcome;
  const needed = reachableRepositories(universe, request);
  const read = publishedIn(universe).filter(({ repository }) => needed.has(repository));
  return { ...outcome, fetched: read.map(({ repository, tag }) => `${repository} ${tag}`) };
};

/** Explains failures by the roots alone. */
const terse: Resolver = async (universe, request, options) => {
  const outcome = await exemplary(universe, request, options);
  if (outcome.status !== 'unsolvable') return outcome;
  const bare = everyVersion(universe, ({ digest }) => ({ digest }));
  return { ...outcome, core: { universe: bare, request } };
};

/** Explains failures by all facts. */
const longWinded: Resolver = async (universe, request, options) => {
  const outcome = await exemplary(universe, request, options);
  if (outcome.status !== 'unsolvable') return outcome;
  const [, ...others] = Object.entries(universe.packages);
  const smaller = [{ universe: { packages: Object.fromEntries(others) }, request }];
  return { ...outcome, core: { universe, request, smaller } };
};

/** Renders dependents first. */
const hasty: Resolver = async (universe, request, options) => {
  const outcome = await exemplary(universe, request, options);
  if (outcome.status !== 'solved') return outcome;
  return { ...outcome, rendered: [...(outcome.rendered ?? [])].reverse() };
};

/** Renders both tag and digest. */
const doublyPinning: Resolver = async (universe, request, options) => {
  const outcome = await exemplary(universe, request, options);
  if (outcome.status !== 'solved') return outcome;
  return { ...outcome, rendered: outcome.rendered?.map(withDigest) };
};

function withDigest(object: JsonObject): JsonObject {
  const { package: reference, ...spec } = object['spec'] as { package: string };
  return { ...object, spec: { ...spec, package: `${reference}@sha256:${'0'.repeat(64)}` } };
}

export const BROKEN = {
  forgetful,
  oldFashioned,
  greedy,
  ownershipBlind,
  crossplaneBlind,
  policyBlind,
  orderDependent,
  impatient,
  distracted,
  clingy,
  optimist,
  restless,
  nosy,
  thorough,
  terse,
  longWinded,
  hasty,
  doublyPinning,
};
