import type { Argv } from 'yargs';
import type { KeptObject } from '../../model/request.js';
import type { Io } from '../io/io.js';

export interface ImageConfigArgs {
  /** undefined: none named. */
  readonly file: readonly string[] | undefined;
}

/** Where to pull from, for commands that fetch and ask for no set. */
export function imageConfigFlag<T>(yargs: Argv<T>): Argv<T & ImageConfigArgs> {
  return yargs.option('file', {
    alias: 'f',
    type: 'string',
    requiresArg: true,
    // Not an `array` option: that would swallow the packages named after it.
    coerce: (given: string | string[]): string[] => [given].flat(),
    describe:
      'File or folder with ImageConfigs to pull by, `-` for stdin; may be repeated (default: none)',
  });
}

export async function imageConfigs(
  { file }: ImageConfigArgs,
  io: Io,
): Promise<readonly KeptObject[]> {
  if (file === undefined) return [];
  const { readImageConfigs } = await import('../../inputs/read-inputs.js');
  return readImageConfigs({ files: file, cwd: io.cwd, stdin: () => io.stdin() });
}
