import type { Lockfile } from '../../../lock/lockfile.js';
import type { KeptObject, Request } from '../../../model/request.js';
import {
  chooseTargets,
  releaseSelector,
  type ReleaseSelector,
} from '../../../model/target/target-choice.js';
import type { Target } from '../../../model/target/target.js';
import { noStats } from '../../../driver/read-stats.js';
import { compareWithLock } from '../../../usecases/simulate/compare-with-lock.js';
import {
  endsHealthy,
  simulate,
  type Applied,
  type Before,
} from '../../../usecases/simulate/simulate.js';
import { command, type ArgsOf } from '../../command.js';
import { EXIT } from '../../exit-code.js';
import { clash } from '../../flags/clash.js';
import { inputFlags, readRequest, readRequestIfAny } from '../../flags/input-flags.js';
import { pinFlags } from '../../flags/pin-flags.js';
import { lockFlag } from '../../flags/lock-flag.js';
import { outputFlag } from '../../flags/output-flag.js';
import { prereleaseFlag, refsArgument } from '../../flags/resolve-flags.js';
import { openSources, sourceFlags } from '../../flags/source/source-flags.js';
import { stray } from '../../flags/stray.js';
import { crossplaneFlag } from '../../flags/target-flag.js';
import { mustBeWhole } from '../../flags/whole-number.js';
import type { Io } from '../../io/io.js';
import { keptIn, requireLock } from '../../io/lock-file.js';
import { withProgress } from '../../io/progress.js';
import { simulationJson, simulationLines } from '../../output/simulation/simulation.js';
import { readBefore } from './read-before.js';

const DEFAULT_SEED = 1;

const flags = {
  ...sourceFlags,
  ...inputFlags,
  ...crossplaneFlag('Crossplane release of the cluster'),
  ...lockFlag(),
  ...prereleaseFlag('Let the range of this root admit prereleases; may be repeated'),
  ...outputFlag,
  locked: {
    type: 'boolean',
    default: false,
    describe: 'Roots enter at their locked versions, not at the newest that they admit',
  },
  all: {
    type: 'boolean',
    default: false,
    describe: 'Apply everything that is locked, as rendered, not the roots alone',
  },
  pin: { ...pinFlags.pin, describe: 'With --all: how it was rendered (default: tag)' },
  prune: {
    type: 'boolean',
    default: false,
    describe: 'With --all and --onto: delete what is no longer locked',
  },
  onto: {
    type: 'string',
    requiresArg: true,
    describe:
      'What the cluster has before: a lockfile that was applied, or a dump (file, folder, or `-`)',
  },
  'onto-pin': {
    ...pinFlags.pin,
    describe: 'With --onto LOCKFILE: how that was rendered (default: tag)',
  },
  orders: {
    type: 'number',
    requiresArg: true,
    default: 0,
    describe: 'Try so many other orders of arrival, too, and tell whether the end differs',
  },
  seed: {
    type: 'number',
    requiresArg: true,
    describe: `Draw other orders than with another seed (default: ${DEFAULT_SEED})`,
  },
  compare: { type: 'boolean', default: false, describe: 'Show the end against the lockfile' },
  upgrades: {
    type: 'boolean',
    default: false,
    describe: 'As with --enable-dependency-version-upgrades of Crossplane',
  },
  downgrades: {
    type: 'boolean',
    default: false,
    describe: 'As with --enable-dependency-version-downgrades, which implies the other',
  },
  'exit-code': {
    type: 'boolean',
    default: false,
    describe: 'Exit 6 if it ends stuck, otherwise than locked, or differently by order',
  },
} as const;

type Args = ArgsOf<typeof flags>;

export const simulateCommand = command({
  positionals: refsArgument,
  flags,
  examples: [
    ['$0 simulate --orders 20', 'what becomes of the roots of xpkg.yaml, were they all you apply'],
    ['$0 simulate --all --onto old.lock.yaml', 'what becomes of a cluster at the next apply'],
  ],
  epilogue:
    'The package manager of a Crossplane release, as a model: nothing is installed, and no ' +
    'cluster is asked. Registries are asked for tags and packages, as it would.',
  run: async (args, io) => {
    const { upgrades, downgrades, orders, seed = DEFAULT_SEED } = args;
    mustBeWhole('--orders', orders, 0);
    mustBeWhole('--seed', seed, 0);
    refuseIdle(args);
    const needsLock = args.locked || args.all || args.compare;
    const lock = needsLock ? await requireLock(args, io) : undefined;
    if (needsLock && lock === undefined) return EXIT.lockMismatch;
    const lockfile = lock?.lockfile;
    const before = await beforeOf(args, io);
    const request = await requestOf(args, before, io);
    const target = targetOf({ args, request, lockfile, before }, io);
    const stats = noStats();
    const kept = [...(request?.kept ?? []), ...keptBefore(before), ...keptInLock(lockfile, args)];
    const source = await openSources(args, io, stats, kept);
    const options = {
      source,
      target,
      before,
      flags: { upgrades: upgrades || downgrades, downgrades },
      orders,
      seed,
      timeout: args.timeout,
    };
    const applied: Applied =
      request === undefined
        ? { all: lockfile!, pin: args.pin ?? 'tag', prune: args.prune }
        : { roots: request, locked: args.locked ? lockfile : undefined };
    const simulation = await withProgress(io, stats, () => simulate(applied, options));
    const disagreements = args.compare
      ? compareWithLock(simulation.settled, lockfile!, target)
      : undefined;
    const report = { ...simulation, orders, disagreements };
    for (const note of report.notes) io.note(`note: ${note}`);
    if (args.output === 'json') io.out(simulationJson(report));
    else for (const line of simulationLines(report)) io.out(`${line}\n`);
    const isFine =
      endsHealthy(simulation.settled, target) &&
      simulation.otherEnds.length === 0 &&
      (disagreements ?? []).length === 0;
    return args.exitCode && !isFine ? EXIT.findings : EXIT.done;
  },
});

/** Refuses flags that would change nothing. */
function refuseIdle(args: Args & ArgsOf<typeof refsArgument>): void {
  const { all, onto, prune, orders } = args;
  if (args.pin !== undefined && !all) throw stray('--pin', '`--all`');
  if (prune && !all) throw stray('--prune', '`--all`');
  if (prune && onto === undefined) throw stray('--prune', '`--onto`');
  if (args.ontoPin !== undefined && onto === undefined) throw stray('--onto-pin', '`--onto`');
  if (args.seed !== undefined && orders === 0) throw stray('--seed', '`--orders`');
  if (!all) return;
  if (args.locked) throw clash('--all', '--locked');
  if (args.file !== undefined) throw clash('--all', '--file');
  if (args.prerelease !== undefined) throw clash('--all', '--prerelease');
  if (args.strict) throw clash('--all', '--strict');
  const [ref] = args.refs ?? [];
  if (ref !== undefined) throw clash('--all', ref);
}

async function beforeOf({ onto, ontoPin: pin }: Args, io: Io): Promise<Before | undefined> {
  if (onto === undefined) return undefined;
  const before = await readBefore(onto, io);
  if ('lockfile' in before) return { ...before, pin };
  if (pin === undefined) return before;
  throw stray('--onto-pin', 'a lockfile at `--onto`: a dump says how packages are named');
}

/** Roots to apply; undefined: what is locked is. */
async function requestOf(
  args: Args & ArgsOf<typeof refsArgument>,
  before: Before | undefined,
  io: Io,
): Promise<Request | undefined> {
  if (args.all) return undefined;
  const options = { refs: args.refs, skip: [args.lock] };
  const read = before === undefined ? readRequest : readRequestIfAny;
  const request = (await read(args, io, options)) ?? NOTHING;
  return { ...request, prereleases: [...(request.prereleases ?? []), ...(args.prerelease ?? [])] };
}

/** With a cluster to go on from, there may be nothing to apply. */
const NOTHING: Request = {
  roots: [],
  overrides: [],
  replace: [],
  exclude: [],
  defaults: {},
  kept: [],
};

function keptBefore(before: Before | undefined): readonly KeptObject[] {
  if (before === undefined) return [];
  return 'dump' in before ? before.dump.kept : keptIn(before.lockfile, '--onto');
}

function keptInLock(lockfile: Lockfile | undefined, args: Args): readonly KeptObject[] {
  return lockfile === undefined || !args.all ? [] : keptIn(lockfile, args.lock);
}

interface Told {
  readonly args: Args;
  readonly request: Request | undefined;
  readonly lockfile: Lockfile | undefined;
  readonly before: Before | undefined;
}

/** The release that is asked for, else that which the cluster has before, else that of what is locked. */
function targetOf({ args, request, lockfile, before }: Told, io: Io): Target {
  const asked = releaseSelector(request ?? {}, args.crossplane);
  const running = before && releaseBefore(before);
  const known = running ?? lockfile?.crossplane;
  const file = running === undefined ? args.lock : args.onto!;
  const assumed: ReleaseSelector | undefined =
    known === undefined ? undefined : { text: known, origin: { file } };
  const { groups, notes, warnings } = chooseTargets(asked ?? assumed);
  for (const note of notes) io.note(`note: ${note}`);
  if (asked === undefined && lockfile !== undefined && lockfile.crossplane !== known) {
    const taken = `on Crossplane ${known}, by \`${file}\`: that is what the cluster has`;
    const other = `\`${args.lock}\` is for ${lockfile.crossplane}`;
    io.note(`note: ${taken}; ${other}, which \`--crossplane ${lockfile.crossplane}\` takes`);
  }
  for (const warning of warnings) io.note(`warning: ${warning}`);
  return groups[0]![0]!;
}

/** undefined: a dump does not say which. */
function releaseBefore(before: Before): string | undefined {
  return 'lockfile' in before ? before.lockfile.crossplane : before.dump.crossplane?.version;
}
