import type { LockedPackage, Lockfile } from '../lock/lockfile.js';
import { byCodePoint } from '../model/code-point-order.js';
import { isRejection, judge } from '../model/judge.js';
import { bringsCrd } from '../model/owned.js';
import { isDigest } from '../model/package.js';
import type { FetchedPackage, PackageSource } from '../model/package-source.js';
import type { PackageRoot, Request } from '../model/request.js';
import { SourceError } from '../model/source-error.js';
import { targetFor, type Target } from '../model/target.js';
import { contentMismatches, inputMismatches, type Mismatch } from './lock-mismatch.js';
import { readLocked, type LockedRead } from './read-locked.js';
import { resolve } from './resolve.js';
import { staleness } from './stale.js';
import { askedRelease, isMeant } from './target-choice.js';
import { toProblem, type Wishes } from './to-problem.js';

export interface VerifyOptions extends Pick<Wishes, 'prereleases' | 'allowCycles' | 'compat'> {
  readonly source: PackageSource;
  /** The Crossplane release that is asked for, or a range; beats the request's own. */
  readonly crossplane?: string | undefined;
}

export interface Verification {
  readonly target: Target;
  /** Packages that were read. */
  readonly read: number;
  readonly mismatches: readonly Mismatch[];
  /** Sources that failed; what they have could not be checked. */
  readonly failures: readonly SourceError[];
  readonly notes: readonly string[];
}

/**
 * Holds a lockfile against its sources and against what is asked for.
 *
 * What each package says is read again and nothing in the lockfile is believed: the set is derived
 * anew, from the locked versions alone. Without a request, it must still hold together by itself.
 */
export async function verify(
  lockfile: Lockfile,
  request: Request | undefined,
  options: VerifyOptions,
): Promise<Verification> {
  const target = targetFor(lockfile.crossplane)!;
  const stale = request === undefined ? [] : unanswered(lockfile, request, target, options);
  const { reads, failures } = await readAll(lockfile, options.source, target);
  const fetched = reads.filter((read): read is Read => read.fetched !== undefined);
  const content = fetched.flatMap((read) => contentOf(read, target, options));
  const notes = reads.flatMap(({ locked, fetched: found, notes: unchecked }) =>
    [...(found?.notes ?? []), ...unchecked].map(
      (note) => `${locked.repository} ${locked.version}: ${note}`,
    ),
  );
  const mismatches = [...stale, ...reads.flatMap((read) => read.mismatches), ...content];
  const common = { target, read: fetched.length, failures };
  if (fetched.length < lockfile.packages.length) {
    notes.push('whether the set fits together was not checked: not all of it could be read');
    return { ...common, mismatches, notes };
  }
  const asked = stale.length === 0 ? request : undefined;
  if (asked === undefined && lockfile.skipDependencyResolution.length > 0) {
    notes.push('constraints were not checked: the lockfile breaks some on purpose');
    return { ...common, mismatches, notes };
  }
  const derived = await derivedAnew(lockfile, fetched, { ...options, asked });
  return { ...common, mismatches: [...mismatches, ...derived], notes };
}

type Read = LockedRead & { readonly fetched: FetchedPackage };

/** Why the lockfile does not answer the request, as far as can be told from the two. */
function unanswered(
  lockfile: Lockfile,
  request: Request,
  target: Target,
  options: VerifyOptions,
): Mismatch[] {
  const mismatches = staleness(lockfile, toProblem(request, [target], options), target).map(
    (text): Mismatch => ({ kind: 'input', text }),
  );
  const asked = askedRelease(request, options.crossplane);
  if (asked === undefined || isMeant(target, asked)) return mismatches;
  const text = 'the Crossplane release is not the one that is asked for';
  return [{ kind: 'input', text, locked: target.version, found: asked.text }, ...mismatches];
}

/** Every package, whatever becomes of the others. */
async function readAll(lockfile: Lockfile, source: PackageSource, target: Target) {
  const outcomes = await Promise.allSettled(
    lockfile.packages.map((locked) => readLocked(locked, source, target)),
  );
  const reads: LockedRead[] = [];
  const failures: SourceError[] = [];
  for (const outcome of outcomes) {
    if (outcome.status === 'fulfilled') reads.push(outcome.value);
    else if (outcome.reason instanceof SourceError) failures.push(outcome.reason);
    else throw outcome.reason;
  }
  return { reads, failures };
}

function contentOf(
  { locked, fetched }: Read,
  target: Target,
  { compat = false }: VerifyOptions,
): Mismatch[] {
  const meta = judge(fetched.contents, target, { compat });
  if (!isRejection(meta)) return contentMismatches(locked, fetched, meta);
  const { repository, version } = locked;
  const [first] = meta.findings.filter(({ severity }) => severity === 'error');
  const text = `Crossplane ${target.version} refuses it: ${first?.message ?? 'it is no package'}`;
  return [{ kind: 'content', repository, version, text }];
}

interface Deriving extends VerifyOptions {
  readonly asked: Request | undefined;
}

/** Resolves again, with the locked versions for a world. */
async function derivedAnew(
  lockfile: Lockfile,
  reads: readonly Read[],
  { asked, compat, prereleases, allowCycles }: Deriving,
): Promise<Mismatch[]> {
  const answer = await resolve(asked ?? everythingIn(lockfile), {
    source: lockedWorld(reads),
    crossplane: lockfile.crossplane,
    lockfile,
    compat,
    prereleases,
    allowCycles,
  });
  if (answer.status === 'solved') {
    return asked === undefined ? [] : inputMismatches(lockfile, answer.lockfile);
  }
  const why = answer.status === 'unsolvable' ? answer.explanation : 'it takes too long to tell';
  const text = `what is locked does not satisfy everything on Crossplane ${lockfile.crossplane}`;
  return [{ kind: 'constraint', text, found: why }];
}

/** The locked versions, and no others. */
function lockedWorld(reads: readonly Read[]): PackageSource {
  const byRepository = new Map(reads.map((read) => [read.locked.repository, read]));
  const repositories = [...byRepository.keys()].sort(byCodePoint);
  return {
    tags: async (repository) => {
      const version = byRepository.get(repository)?.locked.version;
      if (version === undefined) return undefined;
      return isDigest(version) ? [] : [version];
    },
    fetch: async ({ repository, version }) => {
      const read = byRepository.get(repository);
      return read?.locked.version === version ? read.fetched : undefined;
    },
    owners: async (demand, target) =>
      repositories
        .map((repository) => byRepository.get(repository)!)
        .filter(({ fetched }) => bringsCrd(fetched.contents, demand, target))
        .map(({ locked }) => ({ repository: locked.repository, versions: [locked.version] })),
    repositories: async () => repositories,
  };
}

/** A request for exactly what is locked. */
function everythingIn({ packages }: Lockfile): Request {
  return {
    roots: packages.map(exactly),
    overrides: [],
    replace: [],
    exclude: [],
    defaults: {},
    kept: [],
  };
}

function exactly({ repository, version, kind, object }: LockedPackage): PackageRoot {
  return {
    root: 'package',
    repository,
    kind,
    version: isDigest(version)
      ? { form: 'digest', digest: version }
      : { form: 'tag', tag: version },
    name: undefined,
    spec: {},
    object: undefined,
    ignoreCrossplaneConstraints: object.spec['ignoreCrossplaneConstraints'] === true,
    skipDependencyResolution: false,
    origin: { file: 'the lockfile' },
  };
}
