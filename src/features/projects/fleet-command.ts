import type { Lockfile } from '../../project/lockfile/lockfile.js';
import { compareFleet } from './compare-projects.js';
import type { Answer } from '../../resolver/resolve/answer.js';
import { update } from '../../resolver/resolve/resolve.js';
import { type ArgsOf, defineCommand, EXIT, type Flags } from '../../cli/kit/command.js';
import { eachFlags, outputFlag, lockFlag } from '../../cli/arguments/common-flags.js';
import { resultRows, worstExitCode } from '../../cli/projects/project-results.js';
import { runProjects } from '../../cli/projects/run-projects.js';
import { flagConflictError } from '../../cli/arguments/argument-errors.js';
import { readRequestAndTexts } from '../../cli/arguments/input-flags.js';
import { resolveFlags, resolveOptions } from '../../cli/arguments/resolve-flags.js';
import { openSources } from '../../cli/sources/source-flags.js';
import type { RunIo } from '../../cli/terminal/io.js';
import { readRequiredLock } from '../../cli/files/lock-file.js';
import { amount } from '../../cli/terminal/package-text.js';
import {
  fleetDocuments,
  fleetOutput,
  fleetText,
  type FleetValue,
  type InspectedProject,
} from './fleet-output.js';
import { unsolvedResult } from '../resolve/answer-command.js';
import { mismatchResult } from '../../cli/files/mismatches.js';
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
    array: true,
    describe: 'What an update of these would touch, each PKG or PKG@VERSION (default: of all)',
  },
} as const;

/** Flags without the input file, because `--each` selects the files. */
const { file: _, ...flagsForAll } = flags;

type Args = ArgsOf<typeof flags> & ArgsOf<typeof positionals>;

export const fleetCommand = defineCommand({
  positionals,
  flags: flagsForAll,
  examples: [
    ["$0 fleet --each 'clusters/*/xpkg.yaml'", 'versions side by side, and what an update touches'],
    ['$0 fleet provider-aws-s3@v1.21.0', 'what moving one package would touch, and where it fails'],
  ],
  run: async (args, io): Promise<FleetValue> => {
    const { each: patterns = [], packages: [first] = [] } = args;
    const hasOnlyExclusions = patterns.every((pattern) => pattern.startsWith('!'));
    const each = hasOnlyExclusions ? [EVERYWHERE, ...patterns] : patterns;
    if (!args.updates && first !== undefined) throw flagConflictError('--no-updates', first);
    const inspected = new Map<string, InspectedProject>();
    const inspectCommand = defineCommand({
      positionals,
      flags,
      each: {
        showsData: false,
        argsForProjects: args.updates ? markProjectsWithoutPackages : undefined,
      },
      run: async (own: ProjectArgs, ownIo) => {
        const { lockfile } = await readRequiredLock(own, ownIo);
        const answer = await planUpdate(own, lockfile, ownIo);
        const moved = answer === undefined || answer.status === 'gave-up' ? [] : answer.movedTags;
        const project = { lockfile, update: moved.length > 0 ? undefined : answer };
        inspected.set(own.file![0]!, project);
        if (moved.length > 0) throw mismatchResult(moved, own.lock, ownIo);
        if (answer !== undefined && answer.status !== 'solved') {
          throw await unsolvedResult(answer, { bytes: 0 }, own, ownIo);
        }
        return project;
      },
      headline: projectHeadline,
    });
    const line = { command: 'fleet', debug: false, json: args.output === 'json' };
    const results = await runProjects(
      inspectCommand,
      { ...args, each, shard: undefined },
      line,
      io,
    );
    const sets = results.map((result) => ({ ...inspected.get(result.set), ...result }));
    const locked = sets.flatMap(({ set, lockfile }) => (lockfile ? [{ set, lockfile }] : []));
    return { sets, packages: compareFleet(locked) };
  },
  json: () => fleetOutput,
  jsonLines: fleetDocuments,
  notes: ({ sets }) =>
    failedSets(sets).flatMap(({ set, notes }) =>
      notes.length === 0 ? [] : [`error: in ${set}:`, ...notes],
    ),
  text: ({ sets, packages }) => {
    const failed = failedSets(sets);
    const failures = failed.length === 0 ? [] : ['', ...resultRows(failed)];
    return [...fleetText(sets, packages), ...failures];
  },
  exit: ({ sets }) => worstExitCode(sets.map(({ exitCode }) => exitCode)),
});

function failedSets(sets: FleetValue['sets']): FleetValue['sets'] {
  return sets.filter(({ exitCode }) => exitCode !== EXIT.done);
}

/** The arguments for one project. */
type ProjectArgs = Args & {
  /** Set if no update is planned because the project has none of the packages. */
  readonly skipReason?: string;
};

/** As `update` does, but projects without the packages are included. */
async function markProjectsWithoutPackages(
  sets: readonly Args[],
  io: RunIo,
): Promise<readonly object[]> {
  const planned = await whereLocked(sets, io);
  return planned.map((args, i) =>
    typeof args === 'string' ? { ...sets[i], skipReason: args } : args,
  );
}

function projectHeadline(
  { lockfile, update }: InspectedProject,
  { skipReason }: ProjectArgs,
): string {
  const { packages, crossplane } = lockfile;
  const locked = `${amount(packages.length, 'package')} for Crossplane ${crossplane}`;
  if (skipReason !== undefined) return `${locked}; ${skipReason}`;
  if (update?.status !== 'solved') return locked;
  return `${locked}; an update would move ${update.changes.length || 'nothing'}`;
}

/** Returns the result of an update that is not written; undefined if none is wanted. */
async function planUpdate(
  args: ProjectArgs,
  lockfile: Lockfile,
  io: RunIo,
): Promise<Answer | undefined> {
  if (!args.updates || args.skipReason !== undefined) return undefined;
  const moves = (args.packages ?? []).map((text) => readMove(text, lockfile, args.lock));
  const { request } = await readRequestAndTexts(args, io, { skip: [args.lock] });
  const source = await openSources(args, io, request.kept);
  return update(request, moves, { ...resolveOptions(args, source, io), lockfile });
}
