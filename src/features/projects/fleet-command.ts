import { noStats } from '../../resolver/driver/read-stats.js';
import { SourceReader } from '../../resolver/driver/source-reader.js';
import type { Lockfile } from '../../project/lockfile/lockfile.js';
import { compareFleet } from './compare-projects.js';
import type { Answer } from '../../resolver/resolve/answer.js';
import { update } from '../../resolver/resolve/resolve.js';
import {
  command,
  type AnyCommand,
  type ArgsOf,
  type Flags,
  EXIT,
  type ExitCode,
} from '../../cli/kit/command.js';
import { eachFlags, outputFlag, lockFlag } from '../../cli/arguments/common-flags.js';
import {
  resultRows,
  type PrintedResult,
  worstExitCode,
} from '../../cli/projects/project-results.js';
import { runSets } from '../../cli/projects/run-projects.js';
import { conflictingFlags } from '../../cli/arguments/argument-errors.js';
import { readRequest } from '../../cli/arguments/input-flags.js';
import { resolveFlags, resolveOptions } from '../../cli/arguments/resolve-flags.js';
import { openSources } from '../../cli/sources/source-flags.js';
import type { Io } from '../../cli/terminal/io.js';
import { requireLock } from '../../cli/files/lock-file.js';
import { counted } from '../../cli/terminal/package-text.js';
import { fleetLines, type FleetSet, fleetText } from './fleet-output.js';
import { reportUnsolved } from '../resolve/answer-command.js';
import { reportMismatches } from '../../cli/files/mismatches.js';
import { readMove, whereLocked } from '../update/moves-command.js';

/** Default patterns of `--each`. */
const EVERYWHERE = '**/xpkg.yaml';

const flags = {
  ...resolveFlags,
  ...lockFlag(),
  ...outputFlag,
  each: {
    ...eachFlags.each,
    describe: `Look at each set whose file matches this pattern (default: \`${EVERYWHERE}\`), with the lockfile beside it; quote it, repeat it for more, ! leaves out`,
  },
  updates: {
    type: 'boolean',
    default: true,
    describe: 'Look at lockfiles alone: ask no source what an update would touch',
  },
} as const satisfies Flags;

const positionals = {
  packages: {
    type: 'string',
    array: true,
    describe: 'What an update of these would touch, each PKG or PKG@VERSION (default: of all)',
  },
} as const;

/** Flags without the input file, because `--each` selects the files. */
const { file: _, ...flagsForAll } = flags;

type Args = ArgsOf<typeof flags> & ArgsOf<typeof positionals>;

export const fleetCommand = command({
  positionals,
  flags: flagsForAll,
  examples: [
    ["$0 fleet --each 'clusters/*/xpkg.yaml'", 'versions side by side, and what an update touches'],
    ['$0 fleet provider-aws-s3@v1.21.0', 'what moving one package would touch, and where it fails'],
  ],
  run: async (args, io) => {
    const { each: given = [], packages: [first] = [] } = args;
    const isNarrowed = given.every((pattern) => pattern.startsWith('!'));
    const each = isNarrowed ? [EVERYWHERE, ...given] : given;
    if (!args.updates && first !== undefined) throw conflictingFlags('--no-updates', first);
    const found = new Map<string, Pick<FleetSet, 'lockfile' | 'update'>>();
    const looking: AnyCommand = {
      positionals,
      flags,
      each: { showsData: false, forSets: args.updates ? whereLockedOrLook : undefined },
      run: async (own: Args & { readonly passedOver?: string }, ownIo: Io) => {
        const { code, ...looked } = await lookAt(own, ownIo);
        found.set(own.file![0]!, looked);
        return code;
      },
    };
    const line = { command: 'fleet', debug: false, json: args.output === 'json' };
    const results = await runSets(looking, { ...args, each, shard: undefined }, line, io);
    const sets = results.map((result) => ({ ...NOTHING, ...found.get(result.set), ...result }));
    printFleet(sets, args, io);
    return worstExitCode(sets.map(({ exitCode }) => exitCode));
  },
});

const NOTHING = { lockfile: undefined, update: undefined };

/** As `update` does, but projects without the packages are included. */
async function whereLockedOrLook(sets: readonly Args[], io: Io): Promise<readonly object[]> {
  const planned = await whereLocked(sets, io);
  return planned.map((args, i) =>
    typeof args === 'string' ? { ...sets[i], passedOver: args } : args,
  );
}

interface Looked {
  readonly code: ExitCode;
  readonly lockfile: Lockfile | undefined;
  readonly update: Answer | undefined;
}

async function lookAt(args: Args & { readonly passedOver?: string }, io: Io): Promise<Looked> {
  const lock = await requireLock(args, io);
  if (lock === undefined) return { ...NOTHING, code: EXIT.lockMismatch };
  const { lockfile } = lock;
  const held = `${counted(lockfile.packages.length, 'package')} for Crossplane ${lockfile.crossplane}`;
  io.headline(args.passedOver === undefined ? held : `${held}; ${args.passedOver}`);
  if (!args.updates || args.passedOver !== undefined) {
    return { lockfile, update: undefined, code: EXIT.done };
  }
  const moves = (args.packages ?? []).map((text) => readMove(text, lockfile, args.lock));
  const request = await readRequest(args, io, { skip: [args.lock] });
  const source = SourceReader.of(await openSources(args, io, noStats(), request.kept));
  const answer = await update(request, moves, { ...resolveOptions(args, source, io), lockfile });
  const moved = answer.status === 'gave-up' ? [] : answer.movedTags;
  if (moved.length > 0) {
    return { ...NOTHING, lockfile, code: reportMismatches(moved, args, io) };
  }
  if (answer.status === 'solved') {
    const { length: count } = answer.changes;
    io.headline(`${held}; an update would move ${count === 0 ? 'nothing' : count}`);
    return { lockfile, update: answer, code: EXIT.done };
  }
  const code = await reportUnsolved(answer, { bytes: 0 }, args, io);
  return { lockfile, update: answer, code };
}

function printFleet(
  sets: readonly (FleetSet & PrintedResult)[],
  args: Pick<Args, 'output'>,
  io: Io,
): void {
  const packages = compareFleet(
    sets.flatMap(({ set, lockfile }) => (lockfile === undefined ? [] : [{ set, lockfile }])),
  );
  const failed = sets.filter(({ exitCode }) => exitCode !== EXIT.done);
  for (const { set, notes } of failed) {
    if (notes.length > 0) io.note(`error: in ${set}:`);
    for (const note of notes) io.note(note);
  }
  if (args.output === 'json') {
    for (const line of fleetLines(sets, packages)) io.out(`${line}\n`);
    return;
  }
  for (const line of fleetText(sets, packages)) io.out(`${line}\n`);
  if (failed.length > 0) for (const line of ['', ...resultRows(failed)]) io.out(`${line}\n`);
}
