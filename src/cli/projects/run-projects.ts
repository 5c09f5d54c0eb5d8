import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, extname, isAbsolute, join, resolve } from 'node:path';
import { findProjectFiles } from './find-projects.js';
import { projectArgs, projectWith, type SomeArgs } from './project.js';
import { closingLine, EachReport, type PrintedResult, worstExitCode } from './project-results.js';
import { parseShard, withRelativePaths, shardRequest } from './shards.js';
import { byCodePoint, inParallel, interleavedShard } from '../../base/collections.js';
import { InputError } from '../../base/errors.js';
import { recoverBeforeReading } from '../../base/files/recovery.js';
import { timeBudget } from '../../base/time.js';
import { realPath } from '../../project/inputs/input-files.js';
import { readInputs } from '../../project/inputs/read-inputs.js';
import { flagConflictError, UsageError } from '../arguments/argument-errors.js';
import type { EachArgs } from '../arguments/common-flags.js';
import type { Report, ReportStep } from '../findings/report.js';
import type { CommandLine } from '../kit/command-line.js';
import { type AnyCommand, EXIT, type ExitCode } from '../kit/command.js';
import { errorReport, reportError } from '../kit/errors.js';
import { isOciPath } from '../sources/oci-path.js';
import {
  isRemoteForm,
  namedSources,
  type SourceArgs,
  sourceFlags,
} from '../sources/source-flags.js';
import { type Io, type RunIo, SharedSources } from '../terminal/io.js';
import { amount } from '../terminal/package-text.js';
import { withStatus } from '../terminal/progress.js';

/** Runs a command for every project of `--each`, and prints the results. */
export async function runEach(
  command: AnyCommand,
  args: EachProjectArgs,
  line: CommandLine,
  io: Io,
): Promise<ExitCode> {
  const { showsData } = command.each!;
  const report = new EachReport(io, { json: line.json, showsData });
  const results = await runProjects(command, args, line, io, report);
  report.end();
  io.report?.((name) => reportOfProjects(results, name));
  return worstExitCode(results.map(({ exitCode }) => exitCode));
}

/** Arguments of a command, with those of `--each`. */
type EachProjectArgs = SomeArgs & EachArgs & ReadingArgs;

/** The process for many runs, whose output is collected. */
type EachIo = RunIo & Pick<Io, 'report'>;

/** Runs a command for every project. `report` gets each result as soon as it is known. */
export async function runProjects(
  command: AnyCommand,
  args: EachProjectArgs,
  line: Pick<CommandLine, 'command' | 'debug' | 'json'>,
  io: EachIo,
  report?: EachReport,
): Promise<readonly PrintedResult[]> {
  refuseSingleProjectFlags(args, io.cwd);
  const shard = parseShard(args.shard);
  const all = await findProjectFiles(args.each ?? [], io.cwd);
  const argsOfAll = all.map((set) => argsOfProject(args, command, set, io.cwd));
  refuseLockedInItself(all, argsOfAll, io.cwd);
  await refuseSharedOutputs(all, argsOfAll, io.cwd);
  // For all projects, not only those of this shard: a package that no project has is wrong on every machine.
  const { argsForProjects = async (given: readonly never[]) => given } = command.each!;
  const plans = (await argsForProjects(argsOfAll as never[], io)) as readonly (SomeArgs | string)[];
  const planned = all.map((set, i) => ({ set, plan: plans[i]! }));
  const sets = interleavedShard(planned, shard);
  const atOnce = projectsAtOnce(command, args);
  // The time limit for all projects together.
  const rounds = Math.max(1, Math.ceil(sets.length / atOnce));
  const timeOfAll = args.timeout && timeBudget(args.timeout.seconds * rounds);
  const shared = new SharedSources(io, timeOfAll);
  const request = async () => {
    const inputs = await inParallel(all, 1, async (set) => [
      withRelativePaths(set, io.cwd),
      await textsOf(set, io),
    ]);
    return shardRequest({ name: line.command ?? '', command, args, inputs }, io);
  };
  const shardedLine =
    args.shard === undefined ? undefined : { ...shard, sets: all.length, ...(await request()) };
  let done = 0;
  const status = () => `${done} of ${amount(sets.length, 'set')} done`;
  const runAt = async ([place, { set, plan }]: readonly [number, (typeof sets)[number]]) => {
    const result =
      typeof plan === 'string'
        ? { set, exitCode: EXIT.done, headline: plan, out: '', notes: [] }
        : await runProject({ command, args: plan, set, shared, line }, io);
    done++;
    report?.add(place, result, shardedLine);
    return result;
  };
  return withStatus(io, status, () => inParallel([...sets.entries()], atOnce, runAt));
}

/** The parsed flags of a command that reads packages. */
type ReadingArgs = Partial<SourceArgs>;

/** Number of projects that run at once. Waits overlap; computations run one at a time. */
function projectsAtOnce({ flags }: AnyCommand, args: ReadingArgs): number {
  const isReading = Object.keys(sourceFlags).every((name) => Object.hasOwn(flags, name));
  const { concurrency = 1 } = args;
  return isReading && namedSources(args).some(isRemoteForm) ? Math.max(1, concurrency) : 1;
}

/** One run of a command for one of many projects. */
interface ProjectRun {
  readonly command: AnyCommand;
  readonly args: SomeArgs;
  readonly set: string;
  readonly shared: SharedSources;
  readonly line: Pick<CommandLine, 'debug' | 'json'>;
}

/** Runs a command for one project, and collects its output. An error is its result. */
async function runProject(
  { command, args, set, shared, line }: ProjectRun,
  io: EachIo,
): Promise<PrintedResult> {
  const out: string[] = [];
  const notes: string[] = [];
  const delayedNotes = new Set<string>();
  let headline: string | undefined;
  let report: PrintedResult['report'];
  const own: Io = {
    ...io,
    out: (text) => void out.push(text),
    verbatim: (text) => void out.push(text),
    note: (text) => void notes.push(text),
    afterwards: (text) => void delayedNotes.add(text),
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
    // The time of a project begins with its run.
    const { timeout } = args as ReadingArgs;
    const timedArgs =
      timeout === undefined ? args : { ...args, timeout: timeBudget(timeout.seconds) };
    exitCode = await command.run(timedArgs as never, own);
  } catch (error) {
    // An answer that could not be written is not printed.
    out.length = 0;
    exitCode = reportError(error, line, own);
    report = async (name) => errorReport(error, name);
  }
  notes.push(...[...delayedNotes].sort(byCodePoint));
  return {
    set,
    exitCode,
    headline: headline ?? notes.find((note) => note.startsWith(ERROR))?.slice(ERROR.length) ?? '',
    out: out.join(''),
    notes,
    report,
  };
}

const ERROR = 'error: ';

/** Returns the texts of an input file and included files, without lockfiles: other machines may differ in those. */
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
async function reportOfProjects(
  results: readonly PrintedResult[],
  command: string,
): Promise<Report> {
  const steps: ReportStep[] = [];
  for (const result of results) {
    const { set, exitCode, headline } = result;
    const status = exitCode === EXIT.done ? 'passed' : 'failed';
    const defaultStep = { name: set, status, text: headline, findings: [] } as const;
    for (const step of (await result.report?.(command))?.steps ?? [defaultStep]) {
      const isWhole = step.name === command || step.name === set;
      steps.push({ ...step, name: isWhole ? set : `${set} ${step.name}` });
    }
  }
  return { command, headline: closingLine(results), steps };
}

/** Flags whose path is relative to the input file of each project. Other paths are relative to the working folder. */
const PROJECT_RELATIVE_FLAGS = ['lock', 'out', 'plan', 'flux', 'helm'];

/** Flags for one project, which conflict with `--each`. */
const SINGLE_PROJECT_FLAGS = [
  ['file', '--file'],
  ['graph', '--graph'],
  ['applyHint', '--apply-hint'],
  ['old', '--old'],
] as const;

/** Throws for flags that conflict with `--each`. */
function refuseSingleProjectFlags(args: SomeArgs, cwd: string): void {
  const [named] = [args['refs'] ?? [], args['package'] ?? []].flat();
  if (typeof named === 'string') throw conflictWithEachError(named, cwd);
  for (const [name, flag] of SINGLE_PROJECT_FLAGS) {
    if (args[name] !== undefined) throw flagConflictError('--each', flag);
  }
  if (args['out'] === '-') throw flagConflictError('--each', '--out -');
  const { lock } = args;
  if (typeof lock === 'string' && isOciPath(lock))
    throw flagConflictError('--each', `--lock ${lock}`);
}

/** Without quotes, the shell expands the pattern to several names, and only the first becomes its value. */
function conflictWithEachError(name: string, cwd: string): UsageError {
  if (existsSync(resolve(cwd, name))) {
    return new UsageError(
      `\`${name}\` is beside the pattern of \`--each\``,
      "quote the pattern, lest the shell expands it: `--each 'clusters/*/xpkg.yaml'`",
    );
  }
  return new UsageError(
    `\`${name}\` and \`--each\` contradict each other`,
    'with `--each`, packages are asked for in the files of the sets',
  );
}

/** Returns the arguments of a command for one project, with its file, lockfile and output folder. */
function argsOfProject(args: SomeArgs, command: AnyCommand, set: string, cwd: string): SomeArgs {
  const { flags } = command;
  const relativeFlags = placedFlags(args).filter((name) => name in flags);
  const own = {
    ...args,
    each: undefined,
    shard: undefined,
    ...('file' in flags && { file: [set] }),
    ...Object.fromEntries(
      relativeFlags.map((name) => [name, pathBesideProject(set, String(args[name]))]),
    ),
  };
  return projectArgs(own, command, projectWith(set, cwd), cwd);
}

/** The flags for output folders of a project; those for Flux and Helm replace `--out`. */
function placedFlags(args: SomeArgs): readonly string[] {
  const given = PROJECT_RELATIVE_FLAGS.filter((name) => args[name] !== undefined);
  const hasLayoutFlag = given.includes('flux') || given.includes('helm');
  return given.filter((name) => !(hasLayoutFlag && name === 'out'));
}

function pathBesideProject(set: string, path: string): string {
  const filledPath = path.replaceAll('{name}', basename(set, extname(set)));
  return isAbsolute(filledPath) ? filledPath : join(dirname(set), filledPath);
}

/** Throws if a lockfile would overwrite its own input file. */
function refuseLockedInItself(
  sets: readonly string[],
  argsOfAll: readonly SomeArgs[],
  cwd: string,
): void {
  for (const [i, set] of sets.entries()) {
    const { lock } = argsOfAll[i]!;
    if (typeof lock !== 'string' || resolve(cwd, lock) !== resolve(cwd, set)) continue;
    throw new InputError(`\`--lock\` names \`${set}\`, which is the set itself`, {
      hint: "name another file: `--lock '{name}.lock.yaml'`",
    });
  }
}

/** Throws if two projects write to the same place. */
async function refuseSharedOutputs(
  sets: readonly string[],
  argsOfAll: readonly SomeArgs[],
  cwd: string,
): Promise<void> {
  const owners = new Map<string, string>();
  for (const [i, set] of sets.entries()) {
    const args = argsOfAll[i]!;
    for (const name of placedFlags(args)) {
      const path = args[name];
      if (typeof path !== 'string') continue;
      const folder = await realPath(cwd, dirname(path));
      const place = `${name}\n${join(folder, basename(path))}`;
      const other = owners.get(place);
      if (other !== undefined) throw outputError(name, path, [other, set]);
      owners.set(place, set);
    }
  }
}

function outputError(name: string, path: string, [a, b]: readonly [string, string]): InputError {
  const example = name === 'lock' ? '{name}.lock.yaml' : `${name}/{name}`;
  return new InputError(`\`${a}\` and \`${b}\` would both have \`${path}\``, {
    hint: `give each set a folder of its own, or a file of another name, and name the place by it: \`--${name} '${example}'\``,
  });
}
