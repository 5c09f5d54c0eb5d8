import type { LockedPackage, Lockfile } from '../../lock/lockfile.js';
import { byCodePoint } from '../../text/code-point-order.js';
import { bringsCrd } from '../../admission/owned.js';
import { isDigest } from '../../text/digest.js';
import type { FetchedPackage, PackageSource } from '../../model/package-source.js';
import type { PackageRoot, Request } from '../../model/request.js';
import type { Mismatch } from '../mismatch.js';
import { inputMismatches } from './lock-mismatch.js';
import { lockedNames } from './locked-names.js';
import { resolve } from '../resolve/resolve.js';
import type { ProblemOptions } from '../resolve/to-problem.js';

interface ReResolving extends Pick<ProblemOptions, 'prereleases' | 'allowCycles' | 'compat'> {
  /** undefined: exactly what is locked. */
  readonly asked: Request | undefined;
}

interface ReResolved {
  readonly mismatches: readonly Mismatch[];
  readonly notes: readonly string[];
}

/** A locked package, and what its source says that it is. */
interface LockedContent {
  readonly locked: LockedPackage;
  readonly fetched: FetchedPackage;
}

/**
 * Resolves again, from a source that has the locked versions alone, and compares the lockfile with
 * the answer. The lockfile is not given to `resolve`, lest it confirm itself.
 */
export async function reResolve(
  lockfile: Lockfile,
  reads: readonly LockedContent[],
  { asked, compat, prereleases, allowCycles }: ReResolving,
): Promise<ReResolved> {
  const answer = await resolve(asked ? ofAnyAge(asked) : everythingIn(lockfile), {
    source: lockedSource(reads),
    crossplane: lockfile.crossplane,
    compat,
    prereleases,
    allowCycles,
  });
  if (answer.status === 'solved') {
    if (asked === undefined) return { mismatches: [], notes: [] };
    const { lockfile: derived } = answer;
    const names = lockedNames(lockfile, derived, answer.target);
    return {
      mismatches: [...inputMismatches(lockfile, derived), ...names.mismatches],
      notes: names.notes,
    };
  }
  const why = answer.status === 'unsolvable' ? answer.explanation : 'it takes too long to tell';
  const text = `what is locked does not satisfy everything on Crossplane ${lockfile.crossplane}`;
  return { mismatches: [{ kind: 'constraint', text, found: why }], notes: [] };
}

/** What is locked was taken in already, whatever its age. */
function ofAnyAge(asked: Request): Request {
  const policies = asked.policies?.map((policy) => ({ ...policy, minimumAge: undefined }));
  return { ...asked, policies };
}

/** A source of the locked versions and no others. */
function lockedSource(reads: readonly LockedContent[]): PackageSource {
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
function everythingIn({ packages, skipDependencyResolution }: Lockfile): Request {
  const skip = skipDependencyResolution.length > 0;
  return {
    roots: packages.map((locked) => exactly(locked, skip)),
    overrides: [],
    replace: [],
    exclude: [],
    defaults: {},
    kept: [],
  };
}

function exactly(locked: LockedPackage, skipDependencyResolution: boolean): PackageRoot {
  const { repository, version, kind, object } = locked;
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
    skipDependencyResolution,
    origin: { file: 'the lockfile' },
  };
}
