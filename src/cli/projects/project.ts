import { existsSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { DEFAULT_FILES } from '../../project/inputs/input-files.js';
import { InputError } from '../../base/errors.js';
import { folderAndParents, isWithin } from '../../base/files/paths.js';
import type { AnyCommand } from '../kit/command.js';
import { DEFAULT_OUT, DEFAULT_LOCK, PACKAGE_LOCK } from '../arguments/common-flags.js';
import { isOciPath } from '../sources/oci-path.js';
import type { RunIo } from '../terminal/io.js';

/** The project folder of a command, and its input file. */
interface Project {
  /** Path from the working folder; `.` is the working folder itself. */
  readonly folder: string;
  /** Path of the input file; undefined if the folder has none. */
  readonly file: string | undefined;
  /** Folder of the package under development that the inputs or outputs belong to. */
  readonly packageRoot: string | undefined;
}

const [SET_FILE, ...PACKAGE_FILES] = DEFAULT_FILES;

/** Names of lockfiles in a project, in the order in which commands look for them. */
const LOCK_NAMES = [DEFAULT_LOCK, PACKAGE_LOCK];

/**
 * Returns the nearest folder with an input file, from `cwd` up to the top of the git repository, if
 * any. Outside of a repository only `cwd` itself is considered.
 */
export function findProject(cwd: string): Project | undefined {
  const top = gitTop(cwd) ?? resolve(cwd);
  for (const at of folderAndParents(cwd)) {
    const project = projectIn(relative(cwd, at) || '.', cwd);
    if (project.file !== undefined) return project;
    if (at === top) break;
  }
  return undefined;
}

/** Returns the top of the git repository that a folder belongs to; undefined if there is none. */
export function gitTop(folder: string): string | undefined {
  return folderAndParents(folder).find((at) => existsSync(join(at, '.git')));
}

/** Returns the path of the lockfile of a project: the one that exists, or the one to write. */
export function lockOf({ folder, packageRoot }: Project, cwd: string): string {
  const existing = LOCK_NAMES.find((name) => existsSync(resolve(cwd, folder, name)));
  return join(folder, existing ?? (packageRoot === undefined ? DEFAULT_LOCK : PACKAGE_LOCK));
}

/** Returns the project in a folder, with or without an input file. */
export function projectIn(folder: string, cwd: string): Project {
  const name = DEFAULT_FILES.find((each) => isFileAt(resolve(cwd, folder, each)));
  const file = name === undefined ? undefined : join(folder, name);
  return { folder, file, packageRoot: file && packageRootOf([file], cwd) };
}

/** Returns the project with a given input file. */
export function projectWith(file: string, cwd: string): Project {
  return { folder: dirname(file), file, packageRoot: packageRootOf([file], cwd) };
}

/** Returns the folder of the package that input files describe; undefined if they are a package set. */
function packageRootOf(files: readonly string[], cwd: string): string | undefined {
  const found = files.map((file) => {
    const isFolder = statSync(resolve(cwd, file), { throwIfNoEntry: false })?.isDirectory();
    return isFolder === true ? projectIn(file, cwd).file : file;
  });
  const named = found.filter((file) => file !== undefined);
  if (named.some((file) => basename(file) === SET_FILE)) return undefined;
  const file = named.find((each) => PACKAGE_FILES.includes(basename(each)));
  return file && dirname(file);
}

/** Arguments of a command, for code that knows some of them. */
export type SomeArgs = Readonly<Record<string, unknown>>;

/** Returns the flags without defaults that depend on the project; `projectArgs` fills them in. */
export function withoutProjectDefaults(flags: AnyCommand['flags']): AnyCommand['flags'] {
  return Object.fromEntries(
    Object.entries(flags).map(([name, flag]) => [
      name,
      isProjectDefault(name, flag.default) ? { ...flag, default: undefined } : flag,
    ]),
  );
}

function isProjectDefault(name: string, preset: unknown): boolean {
  return (name === 'lock' && preset === DEFAULT_LOCK) || (name === 'out' && preset === DEFAULT_OUT);
}

/**
 * Returns the project that a command works on, by its flags and arguments. With `-f` or references
 * the outputs are in the working folder, which may be in the folder of a package.
 */
export function projectOf(args: SomeArgs, command: AnyCommand, cwd: string): Project {
  const own = projectIn('.', cwd);
  if (command.isInWorkingFolder === true) return own;
  const found = findProject(cwd) ?? own;
  const readsInputs = 'file' in command.flags && 'strict' in command.flags;
  if (readsInputs && Array.isArray(args['file'])) {
    return { ...own, packageRoot: packageRootFor(args['file'] as string[], cwd) };
  }
  const hasOwnLock = !readsInputs && LOCK_NAMES.some((name) => isFileAt(resolve(cwd, name)));
  const isOwn = hasOwnLock || namesPackages(args, command);
  return isOwn ? { ...own, packageRoot: found.packageRoot } : found;
}

/** Returns the folder of the package that input files describe, or that the working folder is in. */
function packageRootFor(files: readonly string[], cwd: string): string | undefined {
  return packageRootOf(files, cwd) ?? findProject(cwd)?.packageRoot;
}

/** Whether packages on the command line are what the command is about; `add` edits the project. */
function namesPackages(args: SomeArgs, { positionals }: AnyCommand): boolean {
  return ['refs', 'package'].some(
    (name) =>
      name in positionals &&
      positionals[name]!.demandOption !== true &&
      [args[name] ?? []].flat().length > 0,
  );
}

/** Returns the arguments with the defaults of the project: input file, lockfile, output folder. */
export function projectArgs(
  args: SomeArgs,
  command: AnyCommand,
  project: Project,
  cwd: string,
): SomeArgs {
  const { flags } = command;
  const { folder, file, packageRoot } = project;
  const readsParentProject = 'strict' in flags && folder !== '.' && file !== undefined;
  const hasDefault = (name: 'lock' | 'out') =>
    name in flags && args[name] === undefined && isProjectDefault(name, flags[name]!.default);
  const hasLayout = args['flux'] !== undefined || args['helm'] !== undefined;
  if (packageRoot !== undefined) refuseInPackage(args, command, packageRoot, cwd);
  return {
    ...args,
    ...(readsParentProject && args['file'] === undefined && { file: [file] }),
    ...(hasDefault('lock') && { lock: lockOf(project, cwd) }),
    ...(hasDefault('out') && {
      // Layouts have a folder of their own, and no default.
      out: hasLayout ? DEFAULT_OUT : join(folder, DEFAULT_OUT),
      ...('bundle' in flags && packageRoot !== undefined && { bundle: false }),
    }),
  };
}

/** Returns the files in the folder of a package on which its build fails. */
export function projectWarnings(
  { folder, packageRoot }: Project,
  { lock }: SomeArgs,
  cwd: string,
): string[] {
  if (packageRoot === undefined) return [];
  const root = realPathOf(resolve(cwd, packageRoot));
  const isInside = (path: string) => isWithin(realPathOf(resolve(cwd, path)), root);
  const existing = [join(folder, DEFAULT_LOCK), join(folder, DEFAULT_OUT)].filter((path) =>
    existsSync(resolve(cwd, path)),
  );
  const named = typeof lock === 'string' && /\.ya?ml$/.test(lock) && !isOciPath(lock) ? [lock] : [];
  return [...new Set([...named, ...existing])].filter(isInside).map((path) => {
    const isFolder = path === join(folder, DEFAULT_OUT);
    const fix = isFolder ? 'remove it' : `rename it to \`${PACKAGE_LOCK}\``;
    return `\`crossplane xpkg build\` fails on \`${path}\` in the folder of a package: ${fix}`;
  });
}

/** Refuses rendered files in the folder of a package: `crossplane xpkg build` would read them. */
function refuseInPackage(args: SomeArgs, { flags }: AnyCommand, root: string, cwd: string): void {
  if (!isProjectDefault('out', flags['out']?.default)) return;
  const given = ['out', 'flux', 'helm', 'plan'].filter((name) => typeof args[name] === 'string');
  const realRoot = realPathOf(resolve(cwd, root));
  for (const name of given) {
    const path = String(args[name]);
    if (path === '-' || isOciPath(path)) continue;
    if (!isWithin(realPathOf(resolve(cwd, path)), realRoot)) continue;
    throw new InputError(
      `\`--${name} ${path}\` is inside the package, which is built from all YAML files in its folder`,
      { hint: `name a folder outside of \`${resolve(cwd, root)}\`` },
    );
  }
  if (given.length > 0 || !('flux' in flags)) return;
  throw new InputError('nothing is rendered into the folder of a package', {
    hint: 'name a folder outside of it with `--out DIR`, or print with `--out -`',
  });
}

/**
 * Returns the flags that select one project of `--each` in a command line of its own, run in the
 * same working folder.
 */
export function projectFlags(
  { file = [], lock, out }: { file?: readonly string[] | undefined; lock?: string; out?: string },
  { cwd }: Pick<RunIo, 'cwd'>,
): string[] {
  const packageRoot = packageRootFor(file, cwd);
  const folder = out ?? (lock && join(dirname(lock), DEFAULT_OUT));
  // Nothing is rendered into the folder of a package: that path is only the default.
  const isUnused =
    packageRoot !== undefined && isWithin(resolve(cwd, folder ?? ''), resolve(cwd, packageRoot));
  return [
    ...file.flatMap((path) => ['-f', path]),
    ...(lock === undefined ? [] : ['--lock', lock]),
    ...(folder === undefined || isUnused ? [] : ['--out', folder]),
  ];
}

/** Returns a path without symbolic links; the part of it that does not exist stays as it is. */
function realPathOf(path: string): string {
  const parentFolder = dirname(path);
  if (existsSync(path) || parentFolder === path) return realpathSync(path);
  return join(realPathOf(parentFolder), basename(path));
}

export function isFileAt(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
