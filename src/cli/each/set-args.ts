import { existsSync } from 'node:fs';
import { basename, dirname, extname, isAbsolute, join, resolve } from 'node:path';
import { InputError } from '../../model/input-error.js';
import { timeBudget, type TimeBudget } from '../../model/time/time-budget.js';
import type { AnyCommand } from '../command.js';
import { clash } from '../flags/clash.js';
import { isOciPath } from '../io/registry/oci-path.js';
import { realPath } from '../../inputs/input-files.js';
import { UsageError } from '../usage-error.js';

/** Arguments of a command, for code that knows some of them. */
export type SomeArgs = Readonly<Record<string, unknown>>;

/** Flags with a path that is beside the file of each set; all other paths are as in any run. */
const BESIDE = ['lock', 'out', 'plan', 'flux', 'helm'];

/** What is about one set, and makes no sense for many. */
const OF_ONE = ['file', 'graph', 'applyHint', 'old'];
const NAMED_SETS = ['refs', 'package'];

/** Refuses what contradicts `--each`. */
export function refuseOneSet(args: SomeArgs, cwd: string): void {
  for (const name of NAMED_SETS) {
    const [first] = [args[name] ?? []].flat();
    if (typeof first === 'string') throw namedBesides(first, cwd);
  }
  for (const name of OF_ONE) if (args[name] !== undefined) throw clash('--each', dashed(name));
  if (args['out'] === '-') throw clash('--each', '--out -');
  const { lock } = args;
  if (typeof lock === 'string' && isOciPath(lock)) throw clash('--each', `--lock ${lock}`);
}

/** A shell that is given no quotes makes names of the pattern, of which the first alone is its value. */
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

/** What a command is given for one set: as if its file, lockfile and bundle were named. */
export function argsOfSet(args: SomeArgs, { flags }: AnyCommand, set: string): SomeArgs {
  const beside = placedFlags(args).filter((name) => name in flags);
  return {
    ...args,
    each: undefined,
    shard: undefined,
    ...('file' in flags && { file: [set], f: [set] }),
    ...Object.fromEntries(beside.map((name) => [name, besideSet(set, String(args[name]))])),
  };
}

/** The flags that place an output of a set; those for Flux and Helm take the place of `--out`. */
function placedFlags(args: SomeArgs): readonly string[] {
  const given = BESIDE.filter((name) => args[name] !== undefined);
  const isLaidOut = given.includes('flux') || given.includes('helm');
  return given.filter((name) => !(isLaidOut && name === 'out'));
}

/** The same, from now on: the time of a set begins when its turn comes. */
export function startingNow(args: SomeArgs): SomeArgs {
  const timeout = args['timeout'] as TimeBudget | undefined;
  return timeout === undefined ? args : { ...args, timeout: timeBudget(timeout.seconds) };
}

function besideSet(set: string, path: string): string {
  const filled = path.replaceAll('{name}', basename(set, extname(set)));
  return isAbsolute(filled) ? filled : join(dirname(set), filled);
}

/** A set must not be overwritten by its lockfile. */
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

/** Two sets must not write to one place. */
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
