import { graphOfDiff, graphOfLockfile } from './build-graph.js';
import type { PackageGraph } from './package-graph.js';
import { InputError } from '../../base/errors.js';
import { type ArgsOf, defineCommand, type Flags } from '../../cli/kit/command.js';
import { writeFlag, lockFlag, switchFlag } from '../../cli/arguments/common-flags.js';
import { sourceFlags } from '../../cli/sources/source-flags.js';
import type { RunIo } from '../../cli/terminal/io.js';
import { readRequiredLock } from '../../cli/files/lock-file.js';
import { requireNamedLock } from '../../cli/files/named-lock.js';
import {
  formatOfFile,
  GRAPH_FORMATS,
  graphOutput,
  graphText,
  type GraphFormat,
  type GraphValue,
  limitNotes,
  writeGraph,
} from './output.js';

const flags = {
  diff: switchFlag('Of two lockfiles: what changes from the one to the other'),
  output: {
    alias: 'o',
    choices: GRAPH_FORMATS,
    describe: 'How to draw (default: as the name of --out ends, else mermaid)',
  },
  out: { describe: 'File to write (default: stdout)' },
  ...writeFlag,
  ...lockFlag(),
  // Used for lockfiles in a registry.
  ...sourceFlags,
} as const satisfies Flags;

const positionals = {
  old: { describe: 'With --diff: the lockfile before: a file, HEAD:xpkg.lock.yaml or oci://…' },
  new: { describe: 'With --diff: the lockfile after (default: that of --lock)' },
} as const;

type Args = ArgsOf<typeof flags & typeof positionals>;

export const graphCommand = defineCommand({
  positionals,
  flags,
  examples: [
    ['$0 graph --out graph.html', 'a page to search and click, in one file'],
    ['$0 graph --diff HEAD', 'what changed, as Mermaid for a pull request'],
    ['$0 resolve --graph why.html', 'the answer; or why there is none'],
  ],
  run: async (args, io): Promise<GraphValue> => {
    const format = formatOf(args);
    const graph = await readGraph(args, io);
    if (args.out !== undefined) {
      await writeGraph(graph, args.out, io, { format, write: args.write });
      return { graph, drawn: '' };
    }
    return { graph, drawn: format === 'json' ? '' : await graphText(graph, format) };
  },
  json: () => graphOutput,
  text: ({ drawn }) => drawn,
  closingNotes: ({ drawn }, args) => limitNotes(drawn, formatOf(args)),
});

function formatOf({ output, out }: Pick<Args, 'output' | 'out'>): GraphFormat {
  return output ?? (out === undefined ? 'mermaid' : formatOfFile(out));
}

async function readGraph(args: Args, io: RunIo): Promise<PackageGraph> {
  if (args.diff !== (args.old !== undefined)) {
    throw new InputError('`graph --diff` wants a lockfile to compare with, and `graph` none', {
      hint: '`graph --diff OLD [NEW]`, or `graph --lock FILE`',
    });
  }
  const after =
    args.new === undefined
      ? await readRequiredLock(args, io)
      : await requireNamedLock(args.new, args, io);
  if (args.old === undefined) return graphOfLockfile(after.lockfile);
  const before = await requireNamedLock(args.old, args, io);
  return graphOfDiff(before.lockfile, after.lockfile);
}
