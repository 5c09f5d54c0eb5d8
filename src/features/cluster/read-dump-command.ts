import { findInputFiles, openFile, textChunks } from '../../project/inputs/input-files.js';
import { DumpReader } from '../../project/inputs/read-dump.js';
import type { ClusterDump } from '../../crossplane/package-manager/cluster-dump.js';
import { InputError } from '../../base/errors.js';
import { DUMP_COMMAND } from './installed-cluster.js';
import type { ArgsOf, Positionals } from '../../cli/kit/command.js';
import type { RunIo } from '../../cli/terminal/io.js';
import { UsageError } from '../../cli/arguments/argument-errors.js';
import { fileFlag } from '../../cli/arguments/input-flags.js';

/** Output of `kubectl get`. */
export const dumpArgument = {
  dump: {
    describe:
      'File or folder with what `kubectl get … -o yaml` or `-o json` printed, `-` for standard input',
  },
} as const satisfies Positionals;

export const dumpFlags = fileFlag('Dump to read, too; may be repeated');

type DumpArgs = Partial<ArgsOf<typeof dumpArgument & typeof dumpFlags>>;

/** Maximum size of a dump. Dumps contain managed fields and status, and are read object by object. */
const MAX_DUMP_BYTES = 1024 * 1024 * 1024;

interface DumpReading {
  /** Returns the text of a file or of standard input. */
  readonly read?: ((path: string) => AsyncIterable<string>) | undefined;
  /** Whether the dump has what the command needs; by default, packages. */
  readonly isEnough?: (dump: ClusterDump) => boolean;
}

/** Reads the dumps that the arguments name as one dump. Throws if it lacks what is needed. */
export async function readDumps(
  args: DumpArgs,
  io: RunIo,
  {
    read = (path) => dumpText(path, io),
    isEnough = ({ packages }) => packages.length > 0,
  }: DumpReading = {},
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
  const passed = [...dump.ignored.keys()].sort().join(', ');
  throw new InputError(
    `no Provider, Configuration or Function is in ${files.map((file) => `\`${file}\``).join(', ')}` +
      (passed === '' ? '' : `, which holds other kinds: ${passed}`),
    { hint: `\`${DUMP_COMMAND}\` prints what is wanted` },
  );
}

/** Reads a file or standard input in chunks. */
export function dumpText(path: string, io: RunIo): AsyncGenerator<string> {
  const bytes = path === '-' ? io.stdinBytes() : openFile(path, io.cwd);
  return textChunks(path, bytes, MAX_DUMP_BYTES);
}
