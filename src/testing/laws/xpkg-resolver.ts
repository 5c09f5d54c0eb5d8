import { bundleOf } from '../../bundle/bundle.js';
import { formatLockfile } from '../../lock/format-lockfile.js';
import type { Lockfile } from '../../lock/lockfile.js';
import type { IndexFile } from '../../model/index-file.js';
import { objectNameOf } from '../../model/name.js';
import { PACKAGE_KINDS } from '../../model/package.js';
import type { PackageSource } from '../../model/package-source.js';
import type { Request } from '../../model/request.js';
import type { Target } from '../../model/target/target.js';
import { matrix, type Verdict } from '../../usecases/matrix.js';
import { resolve, type ResolveOptions } from '../../usecases/resolve/resolve.js';
import type { Answer, Unsolvable } from '../../usecases/resolve/answer.js';
import { chooseTargets } from '../../model/target/target-choice.js';
import { memorySource } from '../../sources/memory-source.js';
import { coreScenario } from './core-scenario.js';
import type { MatrixOutcome, Outcome, Resolver, ResolverOptions } from './resolver.js';

/** The resolver of this package, with the universe as its source. */
export const xpkgResolver: Resolver = Object.assign(resolveIn, { matrix: matrixIn });

async function resolveIn(
  universe: IndexFile,
  request: Request,
  options: ResolverOptions = {},
): Promise<Outcome> {
  const asked: AskedOfSource = { repositories: new Set(), versions: new Set() };
  const source = watched(sourceOf(universe, options), asked, options);
  const answer = await answerTo(source, request, { options, universe });
  if (answer.status !== 'unsolvable') return outcomeOf(answer, asked);
  const releases = releasesOf(answer, request, options);
  const seen = options.universeFor?.(answer.target) ?? universe;
  const core = coreScenario(answer.facts, { universe: seen, request, releases });
  return { status: 'unsolvable', asked: [...asked.repositories], core };
}

async function matrixIn(
  universe: IndexFile,
  request: Request,
  options: ResolverOptions,
): Promise<MatrixOutcome[]> {
  const source = sourceOf(universe, options);
  const { rows } = await matrix(request, resolveOptions(source, { options, universe }));
  return rows.map(({ releases, ...verdict }) => ({ releases, outcome: outcomeOfRow(verdict) }));
}

function outcomeOfRow(verdict: Verdict): Outcome {
  if (verdict.status !== 'solved') return { status: verdict.status };
  const selected = verdict.packages.map(
    ({ repository, version }) => [repository, version] as const,
  );
  return { status: 'solved', selected: new Map(selected) };
}

/** The universe as a source; where it depends on the target, as one that does. */
function sourceOf(universe: IndexFile, { universeFor }: ResolverOptions): PackageSource {
  if (universeFor === undefined) return memorySource(universe);
  const held = (target: Target) => memorySource(universeFor(target));
  return {
    tags: (repository, target) => held(target).tags(repository, target),
    fetch: (candidate, target) => held(target).fetch(candidate, target),
    released: (candidate, target) => held(target).released!(candidate, target),
    owners: (demand, target) => held(target).owners!(demand, target),
  };
}

/** The releases that an explanation is about. */
function releasesOf(
  { target }: Unsolvable,
  request: Request,
  { crossplane, crossplaneVersions }: ResolverOptions,
): string[] {
  const text = crossplane ?? request.crossplane?.text;
  const asked = text === undefined ? undefined : { text, origin: { file: 'request' } };
  const { groups } = chooseTargets(asked, crossplaneVersions);
  const group = groups.find((targets) => targets.some(({ version }) => version === target.version));
  return (group ?? [target]).map(({ version }) => version);
}

/** What `resolve` answers, with the options of a `Resolver`. */
export function answerTo(source: PackageSource, request: Request, given: Given): Promise<Answer> {
  return resolve(request, resolveOptions(source, given));
}

interface Given {
  readonly options: ResolverOptions;
  readonly universe?: IndexFile | undefined;
}

function resolveOptions(source: PackageSource, given: Given): ResolveOptions {
  const { options, universe = { packages: {} } } = given;
  const { crossplane, crossplaneVersions, prefer = 'locked', prereleases = [] } = options;
  return {
    source,
    crossplane,
    crossplaneVersions,
    prefer: prefer === 'lowest' ? 'lowest' : 'newest',
    prereleases,
    allowCycles: options.allowCycles,
    now: options.now,
    lockfile: prefer === 'locked' ? lockfileOf(options, universe) : undefined,
  };
}

/** What a source was asked about in one run. */
interface AskedOfSource {
  readonly repositories: Set<string>;
  readonly versions: Set<string>;
}

function outcomeOf(
  answer: Exclude<Answer, Unsolvable>,
  { repositories, versions }: AskedOfSource,
): Outcome {
  const asked = [...repositories];
  if (answer.status === 'gave-up') return { status: 'gave-up' };
  const { lockfile, target } = answer;
  return {
    status: 'solved',
    selected: new Map(lockfile.packages.map((locked) => [locked.repository, locked.version])),
    crossplane: target.version,
    written: formatLockfile(lockfile),
    rendered: bundleOf(lockfile, target, 'tag').objects,
    lockfile,
    asked,
    fetched: [...versions],
  };
}

/** A source that notes what it is asked about; its replies go through `deliver`. */
function watched(
  source: PackageSource,
  asked: AskedOfSource,
  { deliver = (reply) => reply }: ResolverOptions,
): PackageSource {
  return {
    tags: (repository, target) => {
      asked.repositories.add(repository);
      return deliver(source.tags(repository, target));
    },
    fetch: (candidate, target) => {
      asked.repositories.add(candidate.repository);
      asked.versions.add(`${candidate.repository} ${candidate.version}`);
      return deliver(source.fetch(candidate, target));
    },
    released: (candidate, target) => deliver(source.released!(candidate, target)),
    owners: (demand, target) => deliver(source.owners!(demand, target)),
  };
}

/** The lockfile that this resolver gave out; else one with the versions given and little else. */
function lockfileOf(
  { locked, lockfile }: ResolverOptions,
  { packages }: IndexFile,
): Lockfile | undefined {
  if (locked === undefined) return undefined;
  // `lockfile` comes back from a law as `outcomeOf` gave it out.
  if (lockfile !== undefined) return lockfile as Lockfile;
  return {
    crossplane: 'v2.3.4',
    packages: [...locked].map(([repository, version]) => ({
      repository,
      version,
      digest: undefined,
      manifest: undefined,
      baseLayer: undefined,
      packageYaml: undefined,
      kind: PACKAGE_KINDS.find((kind) => kind === packages[repository]?.kind) ?? 'Provider',
      name: objectNameOf(repository),
      direct: false,
      crossplane: undefined,
      requirements: [],
      owns: [],
      object: { apiVersion: undefined, metadata: {}, spec: {} },
    })),
    objects: [],
    skipDependencyResolution: [],
  };
}
