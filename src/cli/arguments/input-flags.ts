import { switchFlag } from './common-flags.js';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { recoverBeforeReading } from '../../base/files/recovery.js';
import type { TimeBudget } from '../../base/time.js';
import type { KeptObject } from '../../crossplane/package-manager/image-config.js';
import { DEFAULT_FILES } from '../../project/inputs/input-files.js';
import {
  type InputOptions,
  type Inputs,
  readImageConfigs,
  readInputs,
} from '../../project/inputs/read-inputs.js';
import type { ArgsOf, Flags } from '../kit/command.js';
import type { RunIo } from '../terminal/io.js';

/** Input files of a command; may be repeated. */
export function fileFlag(describe: string) {
  return { file: { alias: 'f', array: true, describe } } as const;
}

export const compatFlag = {
  compat: switchFlag('Also read what old design documents describe and Crossplane rejects'),
} as const satisfies Flags;

/** The inputs, for every command that reads them. */
export const inputFlags = {
  ...fileFlag('File or folder to read, `-` for stdin; may be repeated (default: xpkg.yaml)'),
  strict: switchFlag('Fail on ignored documents and unknown fields'),
  ...compatFlag,
} as const satisfies Flags;

/** `timeout`: for commands with that flag. */
type InputArgs = ArgsOf<typeof inputFlags> & { readonly timeout?: TimeBudget | undefined };

interface RequestOptions extends Pick<InputOptions, 'skip' | 'unsaved' | 'mixedSkips'> {
  readonly refs?: readonly string[] | undefined;
  /** The command reports unknown fields of packages itself. */
  readonly reportsUnknownFields?: boolean | undefined;
}

/** Reads the input files that the flags name, and prints notes about them to stderr. */
export async function readRequestAndTexts(
  args: InputArgs,
  io: RunIo,
  { refs = [], reportsUnknownFields, ...options }: RequestOptions = {},
): Promise<Inputs> {
  // A killed `add` may have left an incomplete edit. It is completed before the files are read.
  await recoverBeforeReading(resolve(io.cwd, args.file?.[0] ?? DEFAULT_FILES[0]!));
  const inputs = await readInputs({
    ...options,
    files: args.file ?? [],
    refs,
    cwd: io.cwd,
    stdin: () => io.stdin(),
    strict: args.strict,
    compat: args.compat,
    time: args.timeout,
  });
  if (reportsUnknownFields !== true) {
    for (const warning of inputs.warnings) io.note(`warning: ${warning}`);
  }
  for (const note of inputs.notes) io.note(`note: ${note}`);
  return inputs;
}

/** Like `readRequestAndTexts`, or undefined if no file is named and no default file exists. */
export async function readInputsIfAny(
  args: InputArgs,
  io: RunIo,
  options: RequestOptions = {},
): Promise<Inputs | undefined> {
  const named = args.file !== undefined || (options.refs ?? []).length > 0;
  const any = named || DEFAULT_FILES.some((name) => existsSync(resolve(io.cwd, name)));
  return any ? readRequestAndTexts(args, io, options) : undefined;
}

/** ImageConfigs among the inputs, for commands that fetch images without resolving. */
export const imageConfigFlag = fileFlag(
  'File or folder with ImageConfigs to pull by, `-` for stdin; may be repeated (default: none)',
);

type ImageConfigArgs = ArgsOf<typeof imageConfigFlag>;

export async function imageConfigs(
  { file }: ImageConfigArgs,
  io: RunIo,
): Promise<readonly KeptObject[]> {
  if (file === undefined) return [];
  return readImageConfigs({ files: file, cwd: io.cwd, stdin: () => io.stdin() });
}
