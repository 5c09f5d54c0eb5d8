import { findInputFiles, openFile, textChunks } from '../../../inputs/input-files.js';
import { DumpReader } from '../../../inputs/dump/read-dump.js';
import type { ClusterDump } from '../../../model/cluster/cluster-dump.js';
import { InputError } from '../../../model/input-error.js';
import { DUMP_COMMAND } from '../../../usecases/cluster/rules/dump.js';
import type { Flags, Positionals } from '../../command.js';
import type { Io } from '../../io/io.js';
import { UsageError } from '../../usage-error.js';
import { fileFlag } from '../../flags/input-flags.js';

/** What `kubectl get` printed. */
export const dumpArgument = {
  dump: {
    type: 'string',
    describe:
      'File or folder with what `kubectl get … -o yaml` or `-o json` printed, `-` for standard input',
    // yargs passes a lone dash as an empty string.
    coerce: (text: string | undefined) => (text === '' ? '-' : text),
  },
} as const satisfies Positionals;

export const dumpFlags = {
  ...fileFlag('Dump to read, too; may be repeated'),
} as const satisfies Flags;

interface DumpArgs {
  readonly dump?: string | undefined;
  readonly file?: readonly string[] | undefined;
}

/** Of one dump: they hold managed fields and the status of everything, and are read object by object. */
const MAX_DUMP_BYTES = 1024 * 1024 * 1024;

interface DumpReading {
  /** The text of a file, or of standard input; read here, unless told. */
  readonly read?: ((path: string) => AsyncIterable<string>) | undefined;
  /** Whether a dump says what is wanted of it; one with packages does, unless told. */
  readonly isEnough?: ((dump: ClusterDump) => boolean) | undefined;
}

/** Reads the dumps that the arguments name, as one; prints nothing. */
export async function readDumps(
  args: DumpArgs,
  io: Io,
  { read = (path) => dumpText(path, io), isEnough = hasPackages }: DumpReading = {},
): Promise<ClusterDump> {
  const files = [...(args.dump === undefined ? [] : [args.dump]), ...(args.file ?? [])];
  if (files.length === 0) {
    throw new UsageError('name a dump of a cluster', `\`${DUMP_COMMAND}\` prints one`);
  }
  const reader = new DumpReader();
  for (const { path } of await findInputFiles({ files, cwd: io.cwd })) {
    const taker = reader.file(path);
    for await (const chunk of read(path)) taker.push(chunk);
    taker.end();
  }
  const { dump } = reader;
  if (isEnough(dump)) return dump;
  const passed = [...dump.passedOver.keys()].sort().join(', ');
  throw new InputError(
    `no Provider, Configuration or Function is in ${files.map((file) => `\`${file}\``).join(', ')}` +
      (passed === '' ? '' : `, which holds other kinds: ${passed}`),
    { hint: `\`${DUMP_COMMAND}\` prints what is wanted` },
  );
}

/** The text of a file, or of standard input, chunk by chunk. */
export function dumpText(path: string, io: Io): AsyncGenerator<string> {
  const bytes = path === '-' ? io.stdinBytes() : openFile(path, io.cwd);
  return textChunks(path, bytes, MAX_DUMP_BYTES);
}

function hasPackages({ packages }: ClusterDump): boolean {
  return packages.length > 0;
}
