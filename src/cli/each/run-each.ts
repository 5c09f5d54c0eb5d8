import pLimit from 'p-limit';
import { partOf } from '../../model/parts/shard.js';
import { timeBudget } from '../../model/time/time-budget.js';
import type { AnyCommand } from '../command.js';
import type { CommandLine } from '../command-line.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import {
  isRemoteForm,
  namedSources,
  sourceFlags,
  type SourceArgs,
} from '../flags/source/source-flags.js';
import type { Io } from '../io/io.js';
import { withStatus } from '../io/progress.js';
import { counted } from '../output/counted.js';
import type { EachArgs } from './each-flags.js';
import type { ShardedLine } from './each-json.js';
import { EachReport } from './each-report.js';
import { findSets } from './sets/find-sets.js';
import { reportOfSets } from './report-of-sets.js';
import { runSet } from './run-set.js';
import {
  argsOfSet,
  refuseLockedInItself,
  refuseOneSet,
  refuseSharedOutputs,
  type SomeArgs,
} from './set-args.js';
import type { PrintedResult } from './set-result.js';
import { askedOf, type Asked } from './parts/asked.js';
import { setInputs } from './parts/set-inputs.js';
import { parseShard } from './parts/shard.js';
import { SharedSources } from './shared-sources.js';
import { worstExitCode } from './worst-exit-code.js';

/** Runs a command for every set that `--each` names, and tells how each fared. */
export async function runEach(
  command: AnyCommand,
  args: EachSetArgs,
  line: CommandLine,
  io: Io,
): Promise<ExitCode> {
  const { showsData } = command.each!;
  let report: EachReport | undefined;
  const begin = (shard: ShardedLine | undefined) => {
    const begun = new EachReport(io, { json: line.json, showsData, shard });
    report = begun;
    return (place: number, result: PrintedResult) => begun.add(place, result);
  };
  const results = await runSets(command, args, line, io, begin);
  report?.end();
  io.report?.((name) => reportOfSets(results, name));
  return worstExitCode(results.map(({ exitCode }) => exitCode));
}

/** Arguments of a command with those that say for which sets it is run. */
export type EachSetArgs = SomeArgs & EachArgs & ReadingArgs;

/** Takes results as sets end, in whatever order. */
type Taking = (place: number, result: PrintedResult) => void;

/** Runs a command for every set that `--each` names; `begin` is told of the part that is done here. */
export async function runSets(
  command: AnyCommand,
  args: EachSetArgs,
  line: Pick<CommandLine, 'command' | 'debug' | 'json'>,
  io: Io,
  begin: (shard: ShardedLine | undefined) => Taking = () => () => {},
): Promise<readonly PrintedResult[]> {
  refuseOneSet(args, io.cwd);
  const shard = parseShard(args.shard);
  const argsOf = (set: string) => argsOfSet(args, command, set);
  const all = await findSets(args.each ?? [], io.cwd);
  refuseLockedInItself(all, argsOf, io.cwd);
  await refuseSharedOutputs(all, argsOf, io.cwd);
  // All of them, whichever part is done here: a name that no set has is wrong on every machine.
  const { forSets = async (given: readonly never[]) => given } = command.each!;
  const plans = (await forSets(all.map(argsOf) as never[], io)) as readonly (SomeArgs | string)[];
  const sets = partOf(
    all.map((set, i) => ({ set, plan: plans[i]! })),
    shard,
  );
  const atOnce = setsAtOnce(command, args);
  const shared = new SharedSources(io, timeForAll(args, sets.length, atOnce));
  const take = begin(
    args.shard === undefined
      ? undefined
      : { ...shard, sets: all.length, ...(await askedOfSets(command, args, line, all, io)) },
  );
  let done = 0;
  const status = () => `${done} of ${counted(sets.length, 'set')} done`;
  const limit = pLimit(atOnce);
  const running = sets.map(({ set, plan }, place) =>
    limit(async () => {
      const result =
        typeof plan === 'string'
          ? passedOver(set, plan)
          : await runSet({ command, args: plan, set, shared, line }, io);
      done++;
      take(place, result);
      return result;
    }),
  );
  return withStatus(io, status, () => Promise.all(running));
}

async function askedOfSets(
  command: AnyCommand,
  args: EachSetArgs,
  { command: name = '' }: Pick<CommandLine, 'command'>,
  sets: readonly string[],
  io: Io,
): Promise<Asked> {
  return askedOf({ name, command, args, inputs: await setInputs(sets, io) }, io);
}

function passedOver(set: string, why: string): PrintedResult {
  return { set, exitCode: EXIT.done, headline: why, out: '', notes: [] };
}

/** What is known of the flags of a command that reads packages. */
type ReadingArgs = Partial<SourceArgs>;

/** Waiting can be done for several sets at once; where nothing is waited for, each has the processor to itself. */
function setsAtOnce({ flags }: AnyCommand, args: ReadingArgs): number {
  const places = isReading(flags) ? namedSources(args) : [];
  const { concurrency = 1 } = args;
  return places.some(isRemoteForm) ? Math.max(1, concurrency) : 1;
}

function isReading(flags: AnyCommand['flags']): boolean {
  return Object.keys(sourceFlags).every((name) => Object.hasOwn(flags, name));
}

/** As long as the sets may take one after the other. */
function timeForAll({ timeout }: ReadingArgs, sets: number, atOnce: number) {
  return timeout && timeBudget(timeout.seconds * Math.max(1, Math.ceil(sets / atOnce)));
}
