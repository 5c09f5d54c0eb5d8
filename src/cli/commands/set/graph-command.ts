import { graphOfDiff } from '../../../graph/graph-of-diff.js';
import { graphOfLockfile } from '../../../graph/graph-of-lockfile.js';
import type { PackageGraph } from '../../../graph/package-graph.js';
import { InputError } from '../../../model/input-error.js';
import { command, type ArgsOf, type Flags } from '../../command.js';
import { EXIT } from '../../exit-code.js';
import { lockFlag } from '../../flags/lock-flag.js';
import { sourceFlags } from '../../flags/source/source-flags.js';
import type { Io } from '../../io/io.js';
import { requireLock } from '../../io/lock-file.js';
import { requireNamedLock } from '../../io/sides/named-lock.js';
import {
  formatOfFile,
  GRAPH_FORMATS,
  graphText,
  noteLimits,
} from '../../output/graph/graph-format.js';
import { writeGraph } from '../../output/graph/write-graph.js';

const flags = {
  diff: {
    type: 'boolean',
    default: false,
    describe: 'Of two lockfiles: what changes from the one to the other',
  },
  output: {
    alias: 'o',
    requiresArg: true,
    choices: GRAPH_FORMATS,
    describe: 'How to draw (default: as the name of --out ends, else mermaid)',
  },
  out: { type: 'string', requiresArg: true, describe: 'File to write (default: stdout)' },
  ...lockFlag(),
  // A lockfile at a registry needs them.
  ...sourceFlags,
} as const satisfies Flags;

const positionals = {
  old: {
    type: 'string',
    describe: 'With --diff: the lockfile before: a file, HEAD:xpkg.lock.yaml or oci://…',
  },
  new: { type: 'string', describe: 'With --diff: the lockfile after (default: that of --lock)' },
} as const;

type Args = ArgsOf<typeof flags & typeof positionals>;

export const graphCommand = command({
  positionals,
  flags,
  examples: [
    ['$0 graph --out graph.html', 'a page to search and click, in one file'],
    ['$0 graph --diff HEAD', 'what changed, as Mermaid for a pull request'],
    ['$0 resolve --graph why.html', 'the answer; or why there is none'],
  ],
  run: async (args, io) => {
    const format = args.output ?? (args.out === undefined ? 'mermaid' : formatOfFile(args.out));
    const graph = await readGraph(args, io);
    if (graph === undefined) return EXIT.lockMismatch;
    if (args.out !== undefined) {
      await writeGraph(graph, args.out, io, format);
      return EXIT.done;
    }
    const text = await graphText(graph, format);
    io.out(text);
    await noteLimits(text, format, io);
    return EXIT.done;
  },
});

/** undefined: a lockfile is not there, and an error has been printed. */
async function readGraph(args: Args, io: Io): Promise<PackageGraph | undefined> {
  if (args.diff !== (args.old !== undefined)) {
    throw new InputError('`graph --diff` wants a lockfile to compare with, and `graph` none', {
      hint: '`graph --diff OLD [NEW]`, or `graph --lock FILE`',
    });
  }
  const after =
    args.new === undefined
      ? await requireLock(args, io)
      : await requireNamedLock(args.new, args, io);
  if (after === undefined) return undefined;
  if (args.old === undefined) return graphOfLockfile(after.lockfile);
  const before = await requireNamedLock(args.old, args, io);
  return graphOfDiff(before.lockfile, after.lockfile);
}
