import type { Driver } from '../../driver/driver.js';
import { crdDemandText } from '../../model/crd-demand.js';
import type { Request } from '../../model/request.js';
import type { Target } from '../../model/target/target.js';
import type { Problem } from '../../solver/problem.js';
import type { ChosenOwner, SearchResult } from '../../solver/search-result.js';
import type { Solved } from './answer.js';
import { farReaching } from './notes/far-reaching.js';
import { heldBack } from './notes/held-back.js';
import { vanishedRoots } from './notes/vanished-roots.js';
import { movedTags } from './moved-tags.js';
import { movements } from './movement.js';
import { requirersIn } from './requirers.js';
import { toLockfile, type ChosenPackage } from './to-lockfile.js';
import type { ProblemOptions } from './to-problem.js';

/** What a search found, for which release, and who answered its questions. */
interface Found extends Pick<Extract<SearchResult, { status: 'solved' }>, 'selected' | 'owners'> {
  readonly target: Target;
  /** What was asked, as the target reads it. */
  readonly problem: Problem;
  readonly driver: Driver;
}

/** The answer that a search came to: the lockfile, and what there is to say about it. */
export async function toAnswer(
  { selected, owners, target, problem, driver }: Found,
  request: Request,
  options: ProblemOptions,
): Promise<Omit<Solved, 'stats'>> {
  const chosen: ChosenPackage[] = [];
  for (const one of selected) {
    const fetched = await driver.fetch(one, target);
    chosen.push({ ...one, fetched: fetched! });
  }
  const { lockfile: previous, unlock, signerOf } = options;
  const records = options.lockIndexes === true || previous?.indexes !== undefined;
  const indexes = records ? driver.states : [];
  const { lockfile, warnings } = toLockfile(chosen, request, {
    target,
    previous,
    indexes,
    signerOf,
  });
  const requirers = requirersIn(lockfile, problem);
  const context = { problem, requirers, target, unlock };
  const behind = await heldBack(selected, problem, target, driver);
  return {
    status: 'solved',
    target,
    lockfile,
    order: chosen.map(({ repository }) => repository),
    requirers,
    changes: movements({ before: previous, after: lockfile, ...context }),
    movedTags: await movedTags(driver, target, options, lockfile),
    notes: [...owners.map(ownerNote), ...chosen.flatMap(sourceNotes), ...behind],
    warnings: [
      ...vanishedRoots(previous, lockfile, requirers),
      ...farReaching(selected, problem),
      ...warnings,
      ...dubious(chosen, options),
    ],
  };
}

function sourceNotes({ repository, version, fetched }: ChosenPackage): string[] {
  return (fetched.notes ?? []).map((note) => `${repository} ${version}: ${note}`);
}

function ownerNote({ demand, owner, others }: ChosenOwner): string {
  const rest = others.map((repository) => `\`${repository}\``).join(', ');
  return `\`${crdDemandText(demand)}\` is given by \`${owner}\`; ${rest} could be asked for instead`;
}

/** Findings on what is installed, and prereleases that were admitted in vain. */
function dubious(chosen: readonly ChosenPackage[], { prereleases = [] }: ProblemOptions): string[] {
  const installed = new Set(chosen.map(({ repository }) => repository));
  return [
    ...chosen.flatMap(({ repository, version, meta }) =>
      meta.findings.map(({ message }) => `${repository} ${version}: ${message}`),
    ),
    ...prereleases
      .filter((repository) => !installed.has(repository))
      .map(
        (repository) => `prereleases of \`${repository}\` are admitted, and it is not installed`,
      ),
  ];
}
