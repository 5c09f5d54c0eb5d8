import { matrix } from './matrix.js';
import { defineCommand, type Flags, type Outcome } from '../../cli/kit/command.js';
import { formatFlag, eachFlags, outputFlag, lockFlag } from '../../cli/arguments/common-flags.js';
import { shardRequest, parseShard } from '../../cli/projects/shards.js';
import { readRequestAndTexts } from '../../cli/arguments/input-flags.js';
import { readLock } from '../../cli/files/lock-file.js';
import {
  matrixLines,
  matrixOutcome,
  matrixOutput,
  matrixReport,
  matrixRows,
  type MatrixValue,
  worksOnText,
} from './output.js';
import { withProgress } from '../../cli/terminal/progress.js';
import { refsArgument, resolveFlags, resolveOptions } from '../../cli/arguments/resolve-flags.js';
import { openSources } from '../../cli/sources/source-flags.js';

const flags = {
  ...resolveFlags,
  ...lockFlag(),
  ...outputFlag,
  ...formatFlag,
  ...eachFlags,
} as const satisfies Flags;

export const matrixCommand = defineCommand({
  positionals: refsArgument,
  flags,
  each: { showsData: true, splitsOne: true },
  examples: [
    ["$0 matrix --crossplane '>=v1.20.0'", 'where the packages of xpkg.yaml work, from v1.20.0 on'],
  ],
  run: async (args, io): Promise<MatrixValue> => {
    const { request, texts } = await readRequestAndTexts(args, io, {
      refs: args.refs,
      skip: [args.lock],
    });
    const lock = await readLock(args, io);
    const source = await openSources(args, io, request.kept);
    const options = {
      ...resolveOptions(args, source, io),
      lockfile: lock?.lockfile,
      shard: args.shard === undefined ? undefined : parseShard(args.shard),
    };
    const result = await withProgress(io, source.stats, () => matrix(request, options));
    const command = { flags, positionals: refsArgument };
    const inputs = [...texts.values(), lock?.text];
    const part = options.shard && {
      ...options.shard,
      ...shardRequest({ name: 'matrix', command, args, inputs }, io),
    };
    return { result, request, bytes: source.stats.bytes, part };
  },
  json: () => matrixOutput,
  text: ({ result }) => matrixLines(matrixRows(result)),
  notes: ({ result: { warnings, notes } }) => [
    ...warnings.map((text) => `warning: ${text}`),
    ...notes.map((note) => `note: ${note}`),
  ],
  headline: ({ result }) => worksOnText(result),
  findings: (value) => matrixReport(value.result, value.request, outcomeOf(value) !== 'ok'),
  exit: outcomeOf,
});

/** A shard of the releases decides nothing. `report merge` decides with all shards. */
function outcomeOf({ result, part }: MatrixValue): Outcome {
  return part === undefined ? matrixOutcome(result.rows) : 'ok';
}
