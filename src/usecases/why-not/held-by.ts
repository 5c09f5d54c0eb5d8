import type { Lockfile } from '../../lock/lockfile.js';
import type { Candidate, Repository } from '../../model/package.js';
import type { Request } from '../../model/request.js';
import type { Problem } from '../../solver/problem.js';
import type { Solved } from '../resolve/answer.js';
import type { ResolveOptions } from '../resolve/resolve.js';
import { ruledOut } from '../resolve/ruled-out.js';
import { toProblem } from '../resolve/to-problem.js';
import { blocker } from './blocker.js';
import { admitting, ownRule, type OwnRule } from './own-rule.js';
import { whyNotChosen } from './why-not-chosen.js';

/** What keeps a package from a version. */
export interface Held {
  /** In one line. */
  readonly heldBy: string;
  /** What moving to it would take, tried; undefined: no way was found. */
  readonly takes: string | undefined;
}

interface Holding extends ResolveOptions {
  readonly lockfile: Lockfile;
}

/**
 * What keeps a package from `wanted`, given the answer in which it is at another version: a rule of
 * the user's own, or what refuses the set with it, or a package that would have to move for it.
 */
export async function heldBy(
  wanted: Candidate,
  answer: Solved,
  request: Request,
  options: Holding,
): Promise<Held> {
  const { repository } = wanted;
  const problem = toProblem(request, [answer.target], options);
  const own = ownRule(wanted, problem, answer.target);
  const requirer = whoRequiresAnother(wanted, answer, problem);
  const unlock = new Set([repository]);
  const found = await whyNotChosen(admitting(request, wanted), wanted, { ...options, unlock });
  switch (found.status) {
    case 'possible': {
      const moves = movesText(found.answer, repository);
      const text = own?.text ?? requirer ?? whoComesFirst(wanted, answer, found.answer);
      return { heldBy: text, takes: [...changeText(own), ...moves].join('; ') || undefined };
    }
    case 'refused': {
      const { core, suggestions } = found.refusal;
      const beyond = blocker(core, repository);
      if (own === undefined) return { heldBy: requirer ?? beyond, takes: suggestions[0]?.text };
      return { heldBy: own.text, takes: `more than a change to ${own.place}: ${beyond}` };
    }
    case 'overridden':
      return { heldBy: found.text, takes: undefined };
    case 'gave-up':
      return { heldBy: own?.text ?? 'what could not be found out in time', takes: undefined };
  }
}

function changeText(own: OwnRule | undefined): string[] {
  return own === undefined ? [] : [`change ${own.place}`];
}

/** Moves of other packages that are told before the rest is counted. */
const MAX_MOVES_TOLD = 2;

function movesText({ changes, lockfile }: Solved, repository: Repository): string[] {
  const asked = new Set(lockfile.packages.flatMap((one) => (one.direct ? [one.repository] : [])));
  // The roots first: the others move since they do.
  const others = changes
    .filter((change) => change.repository !== repository)
    .sort((a, b) => Number(asked.has(b.repository)) - Number(asked.has(a.repository)));
  const told = others.slice(0, MAX_MOVES_TOLD).map((change) => {
    const { from, to } = change;
    if (from === undefined) return `${change.repository} ${to} comes with it`;
    return to === undefined
      ? `${change.repository} ${from} goes`
      : `${change.repository} moves ${from} → ${to}`;
  });
  const more = others.length - told.length;
  return more > 0 ? [...told, `${more} more change`] : told;
}

/** A package of the answer that does not admit the version, as it is. */
function whoRequiresAnother(
  { repository, version }: Candidate,
  { requirers, target }: Solved,
  problem: Problem,
): string | undefined {
  const rule = ruledOut(repository, version, { requirers, problem, target });
  return rule?.by === 'requirer' ? rule.requirer.text : undefined;
}

/** There is a set with the version, and a package decided before it is better off without. */
function whoComesFirst({ repository, version }: Candidate, answer: Solved, other: Solved): string {
  const elsewhere = new Map(other.lockfile.packages.map((one) => [one.repository, one.version]));
  const here = new Map(answer.lockfile.packages.map((one) => [one.repository, one.version]));
  const first = answer.order.find(
    (each) => each !== repository && elsewhere.get(each) !== here.get(each),
  );
  if (first === undefined) return 'the order in which packages are decided';
  const then = elsewhere.get(first);
  const instead = then === undefined ? 'would go' : `would be at ${then}`;
  return `${first} ${here.get(first)}, which is decided first: with ${version} it ${instead}`;
}
