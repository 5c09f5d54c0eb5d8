import { flagConflictError, UsageError } from './argument-errors.js';
import { PINS } from '../../project/manifests/package-object.js';
import type { ArgsOf, Flags } from '../kit/command.js';

/** Returns a flag that takes no value and is off by default; `describe` is its help text. */
export function switchFlag(describe: string) {
  return { type: 'boolean', default: false, describe } as const;
}

/** Flags that every command takes, before its name or after it. */
export const globalFlags = {
  directory: { alias: 'C', array: true, describe: 'Run as if started in this folder' },
  help: { alias: 'h', type: 'boolean', describe: 'Show help' },
  version: { type: 'boolean', describe: 'Show the version of xpkg-resolve' },
  quiet: { alias: 'q', type: 'boolean', describe: 'Print errors, warnings and the answer alone' },
  verbose: {
    alias: 'v',
    type: 'boolean',
    describe: 'Also say what is asked of registries, and how long it all took',
  },
  color: {
    choices: ['auto', 'always', 'never'],
    describe: 'Colour messages: where they go to a terminal (auto), or as said',
  },
  debug: { type: 'boolean', describe: 'Show stack traces' },
} as const satisfies Flags;

/** The output format, for every command that prints data. */
export const outputFlag = {
  output: {
    alias: 'o',
    choices: ['text', 'json'],
    default: 'text',
    describe: 'How to print the answer',
  },
} as const satisfies Flags;

/** `outputFlag` for commands that edit a file: with `yaml`, the file is printed instead. */
export const editedOutputFlag = {
  output: {
    ...outputFlag.output,
    choices: ['text', 'json', 'yaml'],
    describe: 'How to print the answer; yaml: the edited file',
  },
} as const satisfies Flags;

type OutputForm = (typeof editedOutputFlag.output.choices)[number];

export const DEFAULT_LOCK = 'xpkg.lock.yaml';

/** Name of the lockfile in a package folder: `crossplane xpkg build` ignores it, as it reads only .yaml and .yml. */
export const PACKAGE_LOCK = 'xpkg.lock';

/** Returns the flag for the lockfile; `describe` is its help text. */
export function lockFlag(describe = 'Lockfile to read') {
  return { lock: { default: DEFAULT_LOCK, describe } } as const;
}

/** Not needed again: a lockfile that records index states continues to record them. */
export const lockIndexFlag = {
  'lock-index': switchFlag('Record in the lockfile which state of each index in parts was read'),
} as const;

/** How manifests are rendered, for every command that renders them. */
export const pinFlags = {
  pin: {
    choices: PINS,
    describe:
      'How objects name versions; locked: by tag, pulled by digest (default: as rendered before, else tag)',
  },
  'apply-lock': {
    type: 'boolean',
    describe: 'Apply the Lock with the packages, or with --no-apply-lock do so no longer',
  },
} as const satisfies Flags;

export const DEFAULT_OUT = 'rendered';

/** The folder for rendered manifests, or `-` for stdout. */
export function outFlag(describe: string) {
  return { out: { default: DEFAULT_OUT, describe } } as const;
}

/** For every command that writes files. */
export const writeFlag = {
  write: {
    type: 'boolean',
    default: true,
    offAlias: 'dry-run',
    describe: 'Answer only: write no file',
  },
} as const satisfies Flags;

/** How an answer is written, for every command that writes one. */
export const bundleFlags = {
  ...outputFlag,
  ...pinFlags,
  ...outFlag('Folder to write the bundle to, or - to print it'),
  bundle: { type: 'boolean', default: true, describe: 'Leave the folder of the bundle alone' },
  ...writeFlag,
  'replace-lock': switchFlag('Overwrite a lockfile and rendered files of another package set'),
  explain: switchFlag(
    'Say who asks for each package, or argue step by step why there is no answer',
  ),
  'apply-hint': {
    type: 'number',
    describe: 'Where there is no answer: make the change of this hint, and resolve again',
  },
  'allow-undigested': switchFlag('Lock versions whose digest no source knows'),
} as const satisfies Flags;

export type BundleArgs = Omit<ArgsOf<typeof bundleFlags>, 'output'> & {
  readonly output: OutputForm;
};

export function refuseTwoOutputs(args: BundleArgs): void {
  if (args.output !== 'text' && args.out === '-')
    throw flagConflictError(`-o ${args.output}`, '--out -');
  if (!args.bundle && args.out === '-') throw flagConflictError('--no-bundle', '--out -');
}

export const REPORT_FORMATS = ['github', 'gitlab', 'azure', 'sarif', 'junit', 'markdown'] as const;

/** A requested report format. */
export interface RequestedFormat {
  readonly format: (typeof REPORT_FORMATS)[number];
  /** File to write; undefined: stdout. */
  readonly file: string | undefined;
}

/** Reports of findings for build systems. */
export const formatFlag = {
  format: {
    array: true,
    describe: `Print findings for a build system: ${REPORT_FORMATS.join(', ')}; FORMAT=FILE writes a file; may be repeated`,
  },
} as const satisfies Flags;

/** Parses values of `--format`. At most one format may have no file: it is printed. */
export function readFormats(texts: readonly string[]): readonly RequestedFormat[] {
  const requestedFormats = texts.map(readFormat);
  if (requestedFormats.filter(({ file }) => file === undefined).length <= 1)
    return requestedFormats;
  throw new UsageError(
    'two formats cannot both be printed',
    'write all but one to a file: `--format sarif=xpkg.sarif`',
  );
}

function readFormat(text: string): RequestedFormat {
  const equals = text.indexOf('=');
  const [name, file] = equals < 0 ? [text] : [text.slice(0, equals), text.slice(equals + 1)];
  const format = REPORT_FORMATS.find((known) => known === name);
  if (format !== undefined && file !== '') return { format, file };
  throw new UsageError(
    `\`--format ${text}\` is none that is known`,
    `write one of ${REPORT_FORMATS.join(', ')}, or FORMAT=FILE`,
  );
}

/** For commands that can run for many projects. */
export const eachFlags = {
  each: {
    array: true,
    describe:
      'Run for each set whose file matches this pattern, with lockfile and bundle beside it; quote it, repeat it for more, ! leaves out',
  },
  shard: {
    describe:
      'Do one part of the work: 2/5 is the second of five; `report merge` puts parts together',
  },
} as const satisfies Flags;

export type EachArgs = ArgsOf<typeof eachFlags>;

/** How image names at a mirror are built. */
export const keepHostFlag = {
  'keep-host': switchFlag('Make the registry that an image is from part of its name at the mirror'),
} as const satisfies Flags;

export const signaturesFlag = {
  signatures: {
    type: 'boolean',
    default: true,
    describe: 'Leave out signatures, attestations and whatever else is attached to the images',
  },
} as const satisfies Flags;
