import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { settleBeforeReading } from '../../files/journal/settle.js';
import { DEFAULT_FILES } from '../../inputs/input-files.js';
import { readInputs, type Inputs } from '../../inputs/read-inputs.js';
import type { Request } from '../../model/request.js';
import type { ArgsOf, Flags } from '../command.js';
import type { Io } from '../io/io.js';

/** Files that a command reads; may be repeated. Absent: none is named. */
export function fileFlag(describe: string) {
  return {
    file: {
      alias: 'f',
      type: 'string',
      requiresArg: true,
      // Not an `array` option: that would swallow the packages named after it.
      coerce: (given: string | string[]): string[] => [given].flat(),
      describe,
    },
  } as const;
}

export const compatFlag = {
  compat: {
    type: 'boolean',
    default: false,
    describe: 'Also read what old design documents describe and Crossplane rejects',
  },
} as const satisfies Flags;

/** What is asked for, for every command that reads it. */
export const inputFlags = {
  ...fileFlag('File or folder to read, `-` for stdin; may be repeated (default: xpkg.yaml)'),
  strict: {
    type: 'boolean',
    default: false,
    describe: 'Documents that ask for no package are an error',
  },
  ...compatFlag,
} as const satisfies Flags;

type InputArgs = ArgsOf<typeof inputFlags>;

interface RequestOptions {
  readonly refs?: readonly string[] | undefined;
  /** Paths that the command writes to; a folder is read without them. */
  readonly skip?: readonly string[] | undefined;
  /** Texts of files as they are to become. */
  readonly unsaved?: Pick<ReadonlyMap<string, string>, 'get' | 'keys'> | undefined;
  /** Roots that skip dependency resolution beside others that do not are no error. */
  readonly mixedSkips?: boolean | undefined;
}

/** Reads the files that the flags name, and prints the notes about them to stderr. */
export async function readRequest(
  args: InputArgs,
  io: Io,
  options: RequestOptions = {},
): Promise<Request> {
  return (await readRequestAndTexts(args, io, options)).request;
}

/** As `readRequest`, with the texts of the files that were read. */
export async function readRequestAndTexts(
  args: InputArgs,
  io: Io,
  { refs = [], skip, unsaved, mixedSkips }: RequestOptions = {},
): Promise<Inputs> {
  // A killed `add` may have left an edit half made, which is finished before it is read.
  await settleBeforeReading(resolve(io.cwd, DEFAULT_FILES[0]!));
  const inputs = await readInputs({
    files: args.file ?? [],
    refs,
    cwd: io.cwd,
    stdin: () => io.stdin(),
    strict: args.strict,
    compat: args.compat,
    skip,
    unsaved,
    mixedSkips,
  });
  for (const note of inputs.notes) io.note(`note: ${note}`);
  return inputs;
}

/** As `readRequest`; undefined: nothing is named, and no default file exists. */
export async function readRequestIfAny(
  args: InputArgs,
  io: Io,
  options: RequestOptions = {},
): Promise<Request | undefined> {
  const named = args.file !== undefined || (options.refs ?? []).length > 0;
  const any = named || DEFAULT_FILES.some((name) => existsSync(resolve(io.cwd, name)));
  return any ? readRequest(args, io, options) : undefined;
}
