import { existsSync } from 'node:fs';
import { basename, dirname, extname, isAbsolute, join, resolve } from 'node:path';
import { InputError } from '../../base/errors.js';
import { timeBudget, type TimeBudget } from '../../base/time.js';
import type { AnyCommand } from '../kit/command.js';
import { conflictingFlags, UsageError } from '../arguments/argument-errors.js';
import { projectArgs, projectWith } from './project.js';
import { isOciPath } from '../sources/oci-path.js';
import { realPath } from '../../project/inputs/input-files.js';

/** Arguments of a command, for code that knows some of them. */
export type SomeArgs = Readonly<Record<string, unknown>>;

/** Flags whose path is relative to the input file of each project. Other paths are relative to the working folder. */
const BESIDE = ['lock', 'out', 'plan', 'flux', 'helm'];

/** Flags for one project, which conflict with `--each`. */
const OF_ONE = ['file', 'graph', 'applyHint', 'old'];
const NAMED_SETS = ['refs', 'package'];

/** Throws for flags that conflict with `--each`. */
export function refuseOneSet(args: SomeArgs, cwd: string): void {
  for (const name of NAMED_SETS) {
    const [first] = [args[name] ?? []].flat();
    if (typeof first === 'string') throw namedBesides(first, cwd);
  }
  for (const name of OF_ONE)
    if (args[name] !== undefined) throw conflictingFlags('--each', dashed(name));
  if (args['out'] === '-') throw conflictingFlags('--each', '--out -');
  const { lock } = args;
  if (typeof lock === 'string' && isOciPath(lock))
    throw conflictingFlags('--each', `--lock ${lock}`);
}

/** Without quotes, the shell expands the pattern to several names, and only the first becomes its value. */
function namedBesides(name: string, cwd: string): UsageError {
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
export function argsOfSet(args: SomeArgs, command: AnyCommand, set: string, cwd: string): SomeArgs {
  const { flags } = command;
  const beside = placedFlags(args).filter((name) => name in flags);
  const own = {
    ...args,
    each: undefined,
    shard: undefined,
    ...('file' in flags && { file: [set], f: [set] }),
    ...Object.fromEntries(beside.map((name) => [name, besideSet(set, String(args[name]))])),
  };
  return projectArgs(own, command, projectWith(set, cwd), cwd);
}

/** The flags for output folders of a project; those for Flux and Helm replace `--out`. */
function placedFlags(args: SomeArgs): readonly string[] {
  const given = BESIDE.filter((name) => args[name] !== undefined);
  const isLaidOut = given.includes('flux') || given.includes('helm');
  return given.filter((name) => !(isLaidOut && name === 'out'));
}

/** The same, starting now: the time of a project begins with its run. */
export function startingNow(args: SomeArgs): SomeArgs {
  const timeout = args['timeout'] as TimeBudget | undefined;
  return timeout === undefined ? args : { ...args, timeout: timeBudget(timeout.seconds) };
}

function besideSet(set: string, path: string): string {
  const filled = path.replaceAll('{name}', basename(set, extname(set)));
  return isAbsolute(filled) ? filled : join(dirname(set), filled);
}

/** Throws if a lockfile would overwrite its own input file. */
export function refuseLockedInItself(
  sets: readonly string[],
  argsOf: (set: string) => SomeArgs,
  cwd: string,
): void {
  const isItself = (set: string, lock: unknown) =>
    typeof lock === 'string' && resolve(cwd, lock) === resolve(cwd, set);
  const first = sets.find((set) => isItself(set, argsOf(set)['lock']));
  if (first !== undefined) throw lockedInItself(first);
}

function lockedInItself(set: string): InputError {
  return new InputError(`\`--lock\` names \`${set}\`, which is the set itself`, {
    hint: "name another file: `--lock '{name}.lock.yaml'`",
  });
}

/** Throws if two projects write to the same place. */
export async function refuseSharedOutputs(
  sets: readonly string[],
  argsOf: (set: string) => SomeArgs,
  cwd: string,
): Promise<void> {
  const owners = new Map<string, string>();
  for (const set of sets) {
    const args = argsOf(set);
    for (const name of placedFlags(args)) {
      const path = args[name];
      if (typeof path !== 'string') continue;
      const folder = await realPath(cwd, dirname(path));
      const place = `${name}\n${join(folder, basename(path))}`;
      const other = owners.get(place);
      if (other !== undefined) throw sharedPlace(name, path, [other, set]);
      owners.set(place, set);
    }
  }
}

function sharedPlace(name: string, path: string, [a, b]: readonly [string, string]): InputError {
  return new InputError(`\`${a}\` and \`${b}\` would both have \`${path}\``, {
    hint: `give each set a folder of its own, or a file of another name, and name the place by it: \`--${name} '${example(name)}'\``,
  });
}

function example(name: string): string {
  return name === 'lock' ? '{name}.lock.yaml' : `${name}/{name}`;
}

function dashed(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
