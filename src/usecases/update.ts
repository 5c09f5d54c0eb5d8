import { lockGraph } from '../lock/lock-graph.js';
import type { Lockfile } from '../lock/lockfile.js';
import { formatOrigin, InputError } from '../model/input-error.js';
import type { Origin, Repository } from '../model/package.js';
import { overrideOf, type Request } from '../model/request.js';
import { SourceMemory } from '../driver/source-memory.js';
import { changesBetween } from '../lock/changes.js';
import { refuseOtherNames } from './resolve/refuse-other-names.js';
import { resolve, type ResolveOptions } from './resolve/resolve.js';
import type { Answer, Solved } from './resolve/answer.js';

/** A locked package that is to move. */
export interface Move {
  readonly repository: Repository;
  /** Where to: a constraint, tag or digest; undefined: to the newest that fits. */
  readonly version?: string | undefined;
  /** Where the user says so, for messages; undefined: in the call of `update`. */
  readonly origin?: Origin | undefined;
}

const CALL: Origin = { file: 'update' };

export interface UpdateOptions extends ResolveOptions {
  readonly lockfile: Lockfile;
}

/**
 * Resolves anew with these packages free to move, or all where none is named; every other keeps
 * its locked version unless that no longer fits.
 */
export async function update(
  request: Request,
  moves: readonly Move[],
  given: UpdateOptions,
): Promise<Answer> {
  const options = { ...given, source: SourceMemory.of(given.source) };
  const repositories = moves.map(({ repository }) => repository);
  refuseOtherNames('moves', repositories);
  const pins = moves.flatMap(({ repository, version, origin = CALL }) =>
    version === undefined ? [] : [{ repository, version, origin }],
  );
  for (const { repository, origin } of pins) refuseOverridden(request, repository, origin);
  const unlock = moves.length === 0 ? 'all' : new Set(repositories);
  const answer = await resolve(request, { ...options, unlock, pins });
  if (answer.status !== 'solved' || pins.every((pin) => isRequired(pin, answer.lockfile))) {
    return answer;
  }
  return withoutOrphans(answer, request, options);
}

/** Whether anything but the pin may ask for it. */
function isRequired({ repository }: { repository: Repository }, lockfile: Lockfile): boolean {
  const isDirect = lockfile.packages.some((p) => p.repository === repository && p.direct);
  return isDirect || lockGraph(lockfile).requirersOf(repository).length > 0;
}

/** Resolves again without pins, from what they led to: packages that only a pin required go. */
async function withoutOrphans(
  pinned: Solved,
  request: Request,
  options: UpdateOptions,
): Promise<Answer> {
  const answer = await resolve(request, { ...options, lockfile: pinned.lockfile });
  if (answer.status !== 'solved') return answer;
  const reasons = new Map(
    pinned.changes.map(({ repository, to, reason }) => [`${repository} ${to}`, reason]),
  );
  const changes = changesBetween(options.lockfile, answer.lockfile).map((change) => ({
    ...change,
    reason: reasons.get(`${change.repository} ${change.to}`) ?? 'nothing requires it any more',
  }));
  return { ...answer, changes, movedTags: pinned.movedTags };
}

function refuseOverridden(request: Request, repository: Repository, origin: Origin): void {
  const override = overrideOf(request, repository);
  if (override === undefined) return;
  const place = formatOrigin(override.origin);
  throw new InputError(`${repository} is overridden to \`${override.version}\` (${place})`, {
    origin,
    hint: `change ${place}, which decides whatever else is asked`,
  });
}
