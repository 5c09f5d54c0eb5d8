import {
  answerPrinting,
  type AnswerValue,
  reportOfAnswer,
  writeAnswer,
  writeSolved,
} from './answer-command.js';
import { answerInputs, type Given, readGiven } from './workflow-command.js';
import { flagConflictError } from '../../cli/arguments/argument-errors.js';
import {
  bundleFlags,
  eachFlags,
  formatFlag,
  lockIndexFlag,
  refuseTwoOutputs,
  switchFlag,
} from '../../cli/arguments/common-flags.js';
import { refsArgument, resolveFlags } from '../../cli/arguments/resolve-flags.js';
import { requireSignaturesFlags } from '../../cli/arguments/signature-flags.js';
import { isOfOtherSet, otherSetError } from '../../cli/files/lock-checks.js';
import { type LockOnDisk, readLock, readRequiredLock } from '../../cli/files/lock-file.js';
import { mismatchResult } from '../../cli/files/mismatches.js';
import { type ArgsOf, defineCommand, type Flags } from '../../cli/kit/command.js';
import type { RunIo } from '../../cli/terminal/io.js';
import type { Request } from '../../project/inputs/request.js';
import { answerFromLockfile } from '../../resolver/resolve/frozen.js';
import { resolve } from '../../resolver/resolve/resolve.js';
import type { ResolveOptions } from '../../resolver/resolve/to-problem.js';

const flags = {
  ...resolveFlags,
  ...bundleFlags,
  ...formatFlag,
  ...eachFlags,
  locked: switchFlag(
    'Fail if the lockfile is missing or would change, or the bundle is not what it renders',
  ),
  frozen: switchFlag('Take the lockfile as it is; ask no source'),
  graph: {
    describe: 'Also draw the answer, or why there is none: FILE.html, .svg, .dot, .mmd or .json',
  },
  ...lockIndexFlag,
  ...requireSignaturesFlags,
  upgrade: switchFlag('Prefer newest to what is locked'),
  prefer: {
    choices: ['newest', 'lowest', 'locked'],
    describe: 'Which versions to prefer (default: locked, where there is a lockfile)',
  },
} as const satisfies Flags;

type Args = ArgsOf<typeof flags>;

export const resolveCommand = defineCommand({
  positionals: refsArgument,
  flags,
  each: { showsData: false },
  examples: [
    ['$0 resolve', 'what xpkg.yaml asks for'],
    [
      "$0 resolve xpkg.crossplane.io/acme/provider-a@'^v1.2.0' --no-write",
      'look, and write nothing',
    ],
    ['$0 resolve --locked', 'in CI: fail if the lockfile would change'],
    [
      "$0 resolve --each 'clusters/*/xpkg.yaml'",
      'many sets, each with lockfile and bundle beside it',
    ],
  ],
  run: async (args, io) => {
    await refuseContradictions(args);
    const inputs = await readGiven(args, io);
    const lock = await lockOfSet(inputs, args, io);
    if (args.frozen) return frozenAnswer(lock!, inputs.request, args, io);
    const prefer = args.prefer === 'lowest' ? 'lowest' : 'newest';
    const isUnlocked = args.upgrade || (args.prefer ?? 'locked') !== 'locked';
    const unlock = isUnlocked ? 'all' : undefined;
    const solve = (request: Request, options: ResolveOptions) =>
      resolve(request, { ...options, prefer, unlock });
    const found = await answerInputs(args, { inputs, lock, isLocked: args.locked, solve }, io);
    const value = await writeAnswer(found, args, io);
    return { ...value, closing: await graphNotes(value, lock, args, io) };
  },
  ...answerPrinting,
  findings: reportOfAnswer,
});

/** Returns the lockfile to start from; undefined if there is none, or another set's is replaced. */
async function lockOfSet({ set }: Given, args: Args, io: RunIo): Promise<LockOnDisk | undefined> {
  if (args.locked || args.frozen) {
    const hint = '`xpkg-resolve resolve` without --locked or --frozen writes one';
    return readRequiredLock(args, io, hint);
  }
  const lock = await readLock(args, io);
  if (lock === undefined || !isOfOtherSet(lock.lockfile, set, args.lock, io)) return lock;
  if (args.replaceLock) return undefined;
  if (!args.write) return lock;
  throw otherSetError(lock.lockfile.inputs!, set, args.lock);
}

async function refuseContradictions(args: Args): Promise<void> {
  const { locked, frozen, upgrade } = args;
  const hint = args.applyHint !== undefined;
  const conflicts = [
    [hint && locked, '--apply-hint', '--locked'],
    [hint && frozen, '--apply-hint', '--frozen'],
    [locked && frozen, '--locked', '--frozen'],
    [args.requireSignatures && frozen, '--require-signatures', '--frozen'],
    [args.graph !== undefined && frozen, '--graph', '--frozen'],
    [upgrade && locked, '--upgrade', '--locked'],
    [upgrade && frozen, '--upgrade', '--frozen'],
    [upgrade && args.prefer === 'locked', '--upgrade', '--prefer locked'],
  ] as const;
  for (const [isGiven, one, other] of conflicts) if (isGiven) throw flagConflictError(one, other);
  refuseTwoOutputs(args);
  if (args.graph !== undefined) (await import('../graph/output.js')).formatOfFile(args.graph);
}

/** Draws the graph of `--graph`, and returns notes about it. */
async function graphNotes(
  { answer }: AnswerValue,
  lock: LockOnDisk | undefined,
  { graph, output, write }: Args,
  io: RunIo,
): Promise<readonly string[]> {
  if (answer.status === 'gave-up') return [];
  if (graph === undefined) {
    const canDraw = answer.status === 'unsolvable' && output === 'text' && !io.shared;
    return canDraw ? ['note: `--graph why.html` draws this'] : [];
  }
  const { graphOfAnswer } = await import('../graph/build-graph.js');
  const { writeGraph } = await import('../graph/output.js');
  const notes: string[] = [];
  const ioWithNotes = { ...io, note: (line: string) => void notes.push(line) };
  await writeGraph(graphOfAnswer(answer, lock?.lockfile), graph, ioWithNotes, { write });
  return notes;
}

/** Takes the lockfile as the answer, and renders it. */
async function frozenAnswer(
  lock: LockOnDisk,
  request: Request,
  args: Args,
  io: RunIo,
): Promise<AnswerValue> {
  const answer = answerFromLockfile(lock.lockfile, request, args);
  if (answer.status === 'stale') {
    const stale = answer.reasons.map((text) => ({ kind: 'stale', text }) as const);
    throw mismatchResult(stale, args.lock, io);
  }
  const { lockfile } = answer;
  const writing = { lockfile, lock, text: undefined, isLocked: false };
  return { answer, request, bytes: 0, ...(await writeSolved(answer, writing, args, io)) };
}
