import { existsSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { DEFAULT_FILES } from '../../inputs/input-files.js';
import type { ReportPlaces } from '../../report/placed-report.js';
import type { CommandLine } from '../command-line.js';
import { DEFAULT_LOCK } from '../flags/lock-flag.js';
import type { Io } from '../io/io.js';

/** Where the systems that run the command say that the top of the repository is. */
const TOPS = ['GITHUB_WORKSPACE', 'CI_PROJECT_DIR', 'BUILD_SOURCESDIRECTORY', 'WORKSPACE'];

/** Systems show findings at paths from the top of the repository, wherever the command runs. */
export function repositoryPlaces(
  line: Pick<CommandLine, 'file'>,
  { cwd, env }: Pick<Io, 'cwd' | 'env'>,
): ReportPlaces {
  const named = TOPS.map((name) => env[name]).find((top) => top && isWithin(cwd, top));
  const top = named ?? gitTop(cwd) ?? cwd;
  const fromTop = (file: string) => relative(top, resolve(cwd, file)).split(sep).join('/');
  const asked = line.file === undefined || line.file === '-' ? [] : [line.file];
  const folders = asked.flatMap((file) => DEFAULT_FILES.map((name) => join(file, name)));
  const first = [...asked, ...folders, ...DEFAULT_FILES, DEFAULT_LOCK].find((file) =>
    isFileAt(resolve(cwd, file)),
  );
  return {
    pathOf: (file) => {
      const path = resolve(cwd, file);
      return isWithin(path, top) && isFileAt(path) ? fromTop(file) : undefined;
    },
    fallback: fromTop(first ?? DEFAULT_FILES[0]!),
  };
}

function gitTop(from: string): string | undefined {
  for (let at = resolve(from); ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at;
    if (dirname(at) === at) return undefined;
  }
}

function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === '' || (!way.startsWith('..') && !isAbsolute(way));
}

function isFileAt(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
