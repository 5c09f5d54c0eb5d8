import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import pLimit from 'p-limit';
import { findSets } from './find-projects.js';
import {
  argsOfSet,
  refuseLockedInItself,
  refuseOneSet,
  refuseSharedOutputs,
  type SomeArgs,
  startingNow,
} from './project-arguments.js';
import {
  closingLine,
  EachReport,
  type PrintedResult,
  type ShardedLine,
  worstExitCode,
} from './project-results.js';
import { type ShardRequest, shardRequest, parseShard, portable } from './shards.js';
import { byCodePoint, interleavedShard } from '../../base/collections.js';
import { InputError } from '../../base/errors.js';
import { recoverBeforeReading } from '../../base/files/recovery.js';
import { timeBudget } from '../../base/time.js';
import { readInputs } from '../../project/inputs/read-inputs.js';
import type { EachArgs } from '../arguments/common-flags.js';
import type { Report, ReportStep } from '../findings/report.js';
import type { CommandLine } from '../kit/command-line.js';
import { type AnyCommand, EXIT, type ExitCode } from '../kit/command.js';
import { errorReport, reportError } from '../kit/errors.js';
import {
  isRemoteForm,
  namedSources,
  type SourceArgs,
  sourceFlags,
} from '../sources/source-flags.js';
import { type Io, type RunIo, SharedSources } from '../terminal/io.js';
import { counted } from '../terminal/package-text.js';
import { withStatus } from '../terminal/progress.js';

/** Runs a command for every project of `--each`, and prints the results. */
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

/** Arguments of a command, with those of `--each`. */
type EachSetArgs = SomeArgs & EachArgs & ReadingArgs;

/** The process for many runs, whose output is collected. */
type EachIo = RunIo & Pick<Io, 'report'>;

/** Receives results of projects in any order. */
type Taking = (place: number, result: PrintedResult) => void;

/** Runs a command for every project of `--each`. `begin` receives the shard that runs here. */
export async function runSets(
  command: AnyCommand,
  args: EachSetArgs,
  line: Pick<CommandLine, 'command' | 'debug' | 'json'>,
  io: EachIo,
  begin: (shard: ShardedLine | undefined) => Taking = () => () => {},
): Promise<readonly PrintedResult[]> {
  refuseOneSet(args, io.cwd);
  const shard = parseShard(args.shard);
  const argsOf = (set: string) => argsOfSet(args, command, set, io.cwd);
  const all = await findSets(args.each ?? [], io.cwd);
  refuseLockedInItself(all, argsOf, io.cwd);
  await refuseSharedOutputs(all, argsOf, io.cwd);
  // For all projects, not only those of this shard: a package that no project has is wrong on every machine.
  const { forSets = async (given: readonly never[]) => given } = command.each!;
  const plans = (await forSets(all.map(argsOf) as never[], io)) as readonly (SomeArgs | string)[];
  const sets = interleavedShard(
    all.map((set, i) => ({ set, plan: plans[i]! })),
    shard,
  );
  const atOnce = setsAtOnce(command, args);
  const shared = new SharedSources(io, timeForAll(args, sets.length, atOnce));
  const take = begin(
    args.shard === undefined
      ? undefined
      : { ...shard, sets: all.length, ...(await inputsOfProjects(command, args, line, all, io)) },
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

async function inputsOfProjects(
  command: AnyCommand,
  args: EachSetArgs,
  { command: name = '' }: Pick<CommandLine, 'command'>,
  sets: readonly string[],
  io: RunIo,
): Promise<ShardRequest> {
  return shardRequest({ name, command, args, inputs: await setInputs(sets, io) }, io);
}

function passedOver(set: string, why: string): PrintedResult {
  return { set, exitCode: EXIT.done, headline: why, out: '', notes: [] };
}

/** The parsed flags of a command that reads packages. */
type ReadingArgs = Partial<SourceArgs>;

/** Number of projects that run at once. Waits overlap; computations run one at a time. */
function setsAtOnce({ flags }: AnyCommand, args: ReadingArgs): number {
  const places = isReading(flags) ? namedSources(args) : [];
  const { concurrency = 1 } = args;
  return places.some(isRemoteForm) ? Math.max(1, concurrency) : 1;
}

function isReading(flags: AnyCommand['flags']): boolean {
  return Object.keys(sourceFlags).every((name) => Object.hasOwn(flags, name));
}

/** The time that all projects may take one after another. */
function timeForAll({ timeout }: ReadingArgs, sets: number, atOnce: number) {
  return timeout && timeBudget(timeout.seconds * Math.max(1, Math.ceil(sets / atOnce)));
}

/** One run of a command for one of many projects. */
interface SetRun {
  readonly command: AnyCommand;
  readonly args: SomeArgs;
  readonly set: string;
  readonly shared: SharedSources;
  readonly line: Pick<CommandLine, 'debug' | 'json'>;
}

/** Runs a command for one project, and collects its output. An error is its result. */
async function runSet(
  { command, args, set, shared, line }: SetRun,
  io: EachIo,
): Promise<PrintedResult> {
  const out: string[] = [];
  const notes: string[] = [];
  const late = new Set<string>();
  let headline: string | undefined;
  let report: PrintedResult['report'];
  const own: Io = {
    ...io,
    out: (text) => void out.push(text),
    verbatim: (text) => void out.push(text),
    note: (text) => void notes.push(text),
    afterwards: (text) => void late.add(text),
    status: () => {},
    interactive: false,
    ask: undefined,
    headline: (text) => (headline = text),
    report: io.report && ((make) => (report = make)),
    shared,
  };
  let exitCode: ExitCode;
  try {
    // Completes or undoes the writes of a killed run.
    await recoverBeforeReading(resolve(io.cwd, set));
    exitCode = await command.run(startingNow(args) as never, own);
  } catch (error) {
    // An answer that could not be written is not printed.
    out.length = 0;
    exitCode = reportError(error, line, own);
    report = async (name) => errorReport(error, name);
  }
  notes.push(...[...late].sort(byCodePoint));
  return {
    set,
    exitCode,
    headline: headline ?? firstError(notes),
    out: out.join(''),
    notes,
    report,
  };
}

function firstError(notes: readonly string[]): string {
  return notes.find((note) => note.startsWith('error: '))?.slice('error: '.length) ?? '';
}

/**
 * Returns the texts of the input files of projects, with included files. Lockfiles do not count:
 * each machine may have written those of its own projects.
 */
async function setInputs(sets: readonly string[], io: RunIo): Promise<readonly unknown[]> {
  const inputs: unknown[] = [];
  for (const set of sets) inputs.push([portable(set, io.cwd), await textsOf(set, io)]);
  return inputs;
}

async function textsOf(set: string, io: RunIo): Promise<readonly string[]> {
  try {
    const { texts } = await readInputs({
      files: [set],
      refs: [],
      cwd: io.cwd,
      stdin: () => io.stdin(),
      compat: true,
    });
    return [...texts.values()];
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    // The run of the project reports the error.
    return [await readFile(resolve(io.cwd, set), 'utf8').catch(() => '')];
  }
}

/** Returns one report for all projects, for `--format`, with the steps of each. */
async function reportOfSets(results: readonly PrintedResult[], command: string): Promise<Report> {
  const steps: ReportStep[] = [];
  for (const result of results) {
    const made = (await result.report?.(command))?.steps ?? [unreported(result)];
    for (const step of made) {
      const name = [command, result.set].includes(step.name)
        ? result.set
        : `${result.set} ${step.name}`;
      steps.push({ ...step, name });
    }
  }
  return { command, headline: closingLine(results), steps };
}

/** Returns the report for a project about which the command reported nothing. */
function unreported({ set, exitCode, headline }: PrintedResult): ReportStep {
  const status = exitCode === EXIT.done ? 'passed' : 'failed';
  return { name: set, status, text: headline, findings: [] };
}
