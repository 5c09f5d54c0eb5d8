import { bundleOf } from '../../project/manifests/bundle.js';
import { formatLockfile } from '../../project/lockfile/format-lockfile.js';
import type { Lockfile } from '../../project/lockfile/lockfile.js';
import type { IndexFile } from '../../sources/index/index-file.js';
import { objectNameOf } from '../../crossplane/packages/object-names.js';
import { type Candidate, PACKAGE_KINDS } from '../../crossplane/packages/package.js';
import type { PackageSource } from '../../sources/package-source.js';
import type { Request } from '../../project/inputs/request.js';
import type { ReleaseRules } from '../../crossplane/releases/release-facts.js';
import { matrix, type Verdict } from '../../features/matrix/matrix.js';
import { resolve } from '../../resolver/resolve/resolve.js';
import { type ResolveOptions } from '../../resolver/resolve/to-problem.js';
import type { Answer, Unsolvable } from '../../resolver/resolve/answer.js';
import { chooseTargets } from '../../crossplane/releases/target-choice.js';
import { memorySource } from '../../sources/memory-source.js';
import { coreScenario } from './core-universe.js';
import type { MatrixOutcome, Outcome, Resolver, ResolverOptions } from '../resolver.js';

/** The resolver of this package, with the universe as its source. */
export const xpkgResolver: Resolver = Object.assign(resolveIn, { matrix: matrixIn });

async function resolveIn(
  universe: IndexFile,
  request: Request,
  options: ResolverOptions = {},
): Promise<Outcome> {
  const requests: SourceRequests = { repositories: new Set(), versions: new Set() };
  const source = recordingSource(sourceOf(universe, options), requests, options);
  const answer = await resolveWithOptions(source, request, { options, universe });
  if (answer.status !== 'unsolvable') return outcomeOf(answer, requests);
  const releases = releasesOf(answer, request, options);
  const seen = options.universeFor?.(answer.target) ?? universe;
  const core = coreScenario(answer.facts, { universe: seen, request, releases });
  return { status: 'unsolvable', asked: [...requests.repositories], core };
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
  return { status: 'solved', selected: versionsOf(verdict.packages) };
}

function versionsOf(packages: readonly Candidate[]): ReadonlyMap<string, string> {
  return new Map(packages.map(({ repository, version }) => [repository, version]));
}

/** Returns the universe as a source, which depends on the target if `universeFor` is set. */
function sourceOf(universe: IndexFile, { universeFor }: ResolverOptions): PackageSource {
  if (universeFor === undefined) return memorySource(universe);
  const sourceFor = (target: ReleaseRules) => memorySource(universeFor(target));
  return {
    tags: (repository, target) => sourceFor(target).tags(repository, target),
    fetch: (candidate, target) => sourceFor(target).fetch(candidate, target),
    released: (candidate, target) => sourceFor(target).released!(candidate, target),
    owners: (demand, target) => sourceFor(target).owners!(demand, target),
  };
}

/** Returns the releases of an explanation. */
function releasesOf(
  { target }: Unsolvable,
  request: Request,
  { crossplane, crossplaneVersions }: ResolverOptions,
): string[] {
  const text = crossplane ?? request.crossplane?.text;
  const range = text === undefined ? undefined : { text, origin: { file: 'request' } };
  const { groups } = chooseTargets(range, crossplaneVersions);
  const group = groups.find((targets) => targets.some(({ version }) => version === target.version));
  return (group ?? [target]).map(({ version }) => version);
}

/** Runs `resolve` with the options of a `Resolver`. */
export function resolveWithOptions(
  source: PackageSource,
  request: Request,
  given: RunContext,
): Promise<Answer> {
  return resolve(request, resolveOptions(source, given));
}

interface RunContext {
  readonly options: ResolverOptions;
  readonly universe?: IndexFile | undefined;
}

function resolveOptions(source: PackageSource, given: RunContext): ResolveOptions {
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

/** Repositories and versions that were requested from a source. */
interface SourceRequests {
  readonly repositories: Set<string>;
  readonly versions: Set<string>;
}

function outcomeOf(
  answer: Exclude<Answer, Unsolvable>,
  { repositories, versions }: SourceRequests,
): Outcome {
  const asked = [...repositories];
  if (answer.status === 'gave-up') return { status: 'gave-up' };
  const { lockfile, target } = answer;
  return {
    status: 'solved',
    selected: versionsOf(lockfile.packages),
    crossplane: target.version,
    written: formatLockfile(lockfile),
    rendered: bundleOf(lockfile, target, 'tag').objects,
    lockfile,
    asked,
    fetched: [...versions],
  };
}

/** Returns a source that records its requests and passes its replies through `deliver`. */
function recordingSource(
  source: PackageSource,
  requests: SourceRequests,
  { deliver = (reply) => reply }: ResolverOptions,
): PackageSource {
  return {
    tags: (repository, target) => {
      requests.repositories.add(repository);
      return deliver(source.tags(repository, target));
    },
    fetch: (candidate, target) => {
      requests.repositories.add(candidate.repository);
      requests.versions.add(`${candidate.repository} ${candidate.version}`);
      return deliver(source.fetch(candidate, target));
    },
    released: (candidate, target) => deliver(source.released!(candidate, target)),
    owners: (demand, target) => deliver(source.owners!(demand, target)),
  };
}

/** Returns the lockfile of an earlier outcome, or a minimal one with the locked versions. */
function lockfileOf(
  { locked, lockfile }: ResolverOptions,
  { packages }: IndexFile,
): Lockfile | undefined {
  if (locked === undefined) return undefined;
  // a value from `outcomeOf`
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
