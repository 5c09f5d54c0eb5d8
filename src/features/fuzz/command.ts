import { randomInt } from 'node:crypto';
import type { Shard } from '../../base/collections.js';
import { InputError } from '../../base/errors.js';
import { timeBudget } from '../../base/time.js';
import { fuzz } from './fuzz.js';
import { eachFlags, outputFlag, lockFlag } from '../../cli/arguments/common-flags.js';
import { shardRequest, parseShard } from '../../cli/projects/shards.js';
import { type ArgsOf, defineCommand, type Flags } from '../../cli/kit/command.js';
import { flagConflictError, mustBeWhole } from '../../cli/arguments/argument-errors.js';
import { readRequestAndTexts } from '../../cli/arguments/input-flags.js';
import type { RunIo } from '../../cli/terminal/io.js';
import { type FuzzDocument, fuzzDocument, fuzzOutput, fuzzText } from './output.js';
import { replayCommand } from './replay-output.js';
import { refsArgument, resolveFlags, resolveOptions } from '../../cli/arguments/resolve-flags.js';
import { openSources } from '../../cli/sources/source-flags.js';

const DEFAULT_RUNS = 200;
const SEED_COUNT = 2 ** 31;
const PROGRESS_MS = 2000;

const flags = {
  ...resolveFlags,
  ...lockFlag(),
  crossplane: { describe: 'Crossplane release, or a range of releases to try' },
  ...outputFlag,
  runs: {
    type: 'number',
    describe: `Variations to try (default: ${DEFAULT_RUNS}, or as many as --seconds allows)`,
  },
  seconds: { type: 'number', describe: 'Stop after so many seconds' },
  shard: eachFlags.shard,
  seed: {
    type: 'number',
    describe: 'Try the same variations as a run with that seed did',
  },
} as const satisfies Flags;

type Args = ArgsOf<typeof flags>;

export const fuzzCommand = defineCommand({
  positionals: refsArgument,
  flags,
  run: async (args, io): Promise<FuzzDocument> => {
    const { runs, seconds, seed = randomInt(SEED_COUNT) } = args;
    if (runs !== undefined) mustBeWhole('--runs', runs, 0);
    mustBeWhole('--seed', seed, 0);
    if (seconds !== undefined && !(seconds > 0)) {
      throw new InputError('`--seconds` must be a number, more than 0');
    }
    const shard = shardOf(args);
    const options = { refs: args.refs, skip: [args.lock] };
    const { request, texts } = await readRequestAndTexts(args, io, options);
    // Reaching --seconds is no failure: a request in progress may still take all of --timeout.
    const waiting = timeBudget((seconds ?? 0) + args.timeout.seconds);
    const source = await openSources({ ...args, timeout: waiting }, io, request.kept);
    const timeout = seconds === undefined ? args.timeout : timeBudget(seconds);
    const report = await fuzz(request, {
      ...resolveOptions({ ...args, timeout }, source, io),
      seed,
      shard,
      runs: runs ?? (seconds === undefined ? DEFAULT_RUNS : Infinity),
      onRun: io.interactive ? progress(io) : undefined,
    });
    const command = { flags, positionals: refsArgument };
    const inputs = [...texts.values()];
    const part = shard && {
      ...shard,
      ...shardRequest({ name: 'fuzz', command, args, inputs }, io),
    };
    return fuzzDocument(report, part, (breakage) => replayCommand(breakage, request, args));
  },
  json: () => fuzzOutput,
  text: fuzzText,
  notes: (value) => value.notes.map((note) => `note: ${note}`),
  exit: ({ breakages }) => (breakages.length === 0 ? 'ok' : 'findings'),
});

/** Returns the shard to try. All machines that run shards must draw the same variations. */
function shardOf({ shard, seed, seconds }: Args): Shard | undefined {
  if (shard === undefined) return undefined;
  const parsed = parseShard(shard);
  if (seconds !== undefined) throw flagConflictError('--shard', '--seconds');
  if (seed !== undefined) return parsed;
  throw new InputError('`--shard` is given without a seed', {
    hint: 'give every part the same `--seed`, of the commit for instance: `--seed 7`',
  });
}

/** Prints a line every two seconds, for a terminal. */
function progress(io: RunIo): (runs: number, breakages: number) => void {
  let printedAt = performance.now();
  return (runs, breakages) => {
    if (performance.now() - printedAt < PROGRESS_MS) return;
    printedAt = performance.now();
    io.note(`${runs} variations tried, ${breakages} broken so far`);
  };
}
