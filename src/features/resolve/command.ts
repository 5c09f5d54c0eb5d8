import type { Request } from '../../project/inputs/request.js';
import { answerFromLockfile } from '../../resolver/resolve/frozen.js';
import { resolve } from '../../resolver/resolve/resolve.js';
import { type ResolveOptions } from '../../resolver/resolve/to-problem.js';
import { SourceReader } from '../../resolver/driver/source-memory.js';
import {
  answerWithHint,
  readGiven,
  type Given,
  reportAnswer,
  printAnswer,
  type ReportedAnswer,
  noteUnrecordedIndexes,
} from './answer-command.js';
import { noStats } from '../../resolver/driver/read-stats.js';
import {
  eachFlags,
  bundleFlags,
  refuseTwoOutputs,
  formatFlag,
  lockIndexFlag,
} from '../../cli/arguments/common-flags.js';
import { conflictingFlags } from '../../cli/arguments/argument-errors.js';
import { command, type ArgsOf, type Flags, EXIT, type ExitCode } from '../../cli/kit/command.js';
import { answerHeadline } from '../../cli/terminal/package-text.js';
import { formatOfFile, writeGraph } from '../graph/output.js';
import type { Io } from '../../cli/terminal/io.js';
import { readLock, reportNoLock, type LockOnDisk } from '../../cli/files/lock-file.js';
import { isOfOtherSet, otherSetError } from '../../cli/files/lock-checks.js';
import { BundleFolder, wantsLongerTags } from '../../cli/files/rendered-folder.js';
import { renderAgain, refuseInBundle, writeOutputs } from '../../cli/files/render-again.js';
import { reportMismatches } from '../../cli/files/mismatches.js';
import { withProgress } from '../../cli/terminal/progress.js';
import { refsArgument, resolveFlags, resolveOptions } from '../../cli/arguments/resolve-flags.js';
import { requireSignaturesFlags } from '../../cli/arguments/signature-flags.js';
import { asOne, openEach } from '../../cli/sources/source-flags.js';
import { requiredSignatures } from '../verify/signatures-command.js';

const flags = {
  ...resolveFlags,
  ...bundleFlags,
  ...formatFlag,
  ...eachFlags,
  locked: {
    type: 'boolean',
    default: false,
    describe:
      'Fail if the lockfile is missing or would change, or the bundle is not what it renders',
  },
  frozen: {
    type: 'boolean',
    default: false,
    describe: 'Take the lockfile as it is; ask no source',
  },
  graph: {
    type: 'string',
    describe: 'Also draw the answer, or why there is none: FILE.html, .svg, .dot, .mmd or .json',
  },
  ...lockIndexFlag,
  ...requireSignaturesFlags,
  upgrade: { type: 'boolean', default: false, describe: 'Prefer newest to what is locked' },
  prefer: {
    choices: ['newest', 'lowest', 'locked'],
    describe: 'Which versions to prefer (default: locked, where there is a lockfile)',
  },
} as const satisfies Flags;

type Args = ArgsOf<typeof flags>;
type ArgsWithRefs = Args & ArgsOf<typeof refsArgument>;

export const resolveCommand = command({
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
    refuseContradictions(args);
    const inputs = await readGiven(args, io);
    const { request } = inputs;
    const lock = await lockOfSet(inputs, args, io);
    if (lock === undefined && (args.locked || args.frozen)) {
      const hint = '`xpkg-resolve resolve` without --locked or --frozen writes one';
      return reportNoLock(args, hint, io);
    }
    return args.frozen ? runFrozen(lock!, request, args, io) : runResolve(lock, inputs, args, io);
  },
});

/** Returns the lockfile to start from; undefined if there is none, or another set's is replaced. */
async function lockOfSet({ set }: Given, args: Args, io: Io): Promise<LockOnDisk | undefined> {
  const lock = await readLock(args, io);
  if (lock === undefined || !args.write || args.locked || args.frozen) return lock;
  if (!isOfOtherSet(lock.lockfile, set, args.lock, io)) return lock;
  if (args.replaceLock) return undefined;
  throw otherSetError(lock.lockfile.inputs!, set, args.lock);
}

function refuseContradictions(args: Args): void {
  if (args.applyHint !== undefined && args.locked)
    throw conflictingFlags('--apply-hint', '--locked');
  if (args.applyHint !== undefined && args.frozen)
    throw conflictingFlags('--apply-hint', '--frozen');
  if (args.locked && args.frozen) throw conflictingFlags('--locked', '--frozen');
  if (args.requireSignatures && args.frozen)
    throw conflictingFlags('--require-signatures', '--frozen');
  if (args.graph !== undefined && args.frozen) throw conflictingFlags('--graph', '--frozen');
  if (args.upgrade && args.locked) throw conflictingFlags('--upgrade', '--locked');
  if (args.upgrade && args.frozen) throw conflictingFlags('--upgrade', '--frozen');
  if (args.upgrade && args.prefer === 'locked')
    throw conflictingFlags('--upgrade', '--prefer locked');
  refuseTwoOutputs(args);
  if (args.graph !== undefined) formatOfFile(args.graph);
}

async function runResolve(
  lock: LockOnDisk | undefined,
  inputs: Given,
  args: ArgsWithRefs,
  io: Io,
): Promise<ExitCode> {
  const stats = noStats();
  const locked = args.locked ? lock?.lockfile.indexes : undefined;
  const { kept } = inputs.request;
  const sources = await openEach(args, io, stats, kept, locked);
  const source = SourceReader.of(await asOne(sources, args, io, { stats, kept, locked }));
  const signing = await requiredSignatures(args, io, { sources, kept });
  const longerTags = args.locked ? undefined : await wantsLongerTags(args, lock, io);
  const answering = (request: Request, given: Args) => {
    const options: ResolveOptions = {
      ...resolveOptions(given, source, io),
      ...signing.options,
      lockfile: lock?.lockfile,
      lockIndexes: args.lockIndex,
      longerTags,
      prefer: given.prefer === 'lowest' ? 'lowest' : 'newest',
      unlock: given.upgrade || (given.prefer ?? 'locked') !== 'locked' ? 'all' : undefined,
    };
    return withProgress(io, stats, () => resolve(request, options));
  };
  const { answer, request, unsaved } = await answerWithHint(args, inputs, answering, io);
  await signing.tell(answer);
  noteUnrecordedIndexes(answer, args, io);
  const { allowUndigested } = request;
  io.report?.(async (name) => {
    const { answerReport } = await import('./findings-output.js');
    return answerReport(name, { answer, request, isWritten: args.write });
  });
  const reported = { answer, lock, mayChange: !args.locked, allowUndigested, unsaved, inputs };
  return reportAndDraw({ ...reported, bytes: stats.bytes }, args, io);
}

async function reportAndDraw(reported: ReportedAnswer, args: Args, io: Io): Promise<ExitCode> {
  const code = await reportAnswer(reported, args, io);
  const { answer, lock } = reported;
  if (answer.status === 'gave-up') return code;
  if (args.graph !== undefined) {
    const { graphOfAnswer } = await import('../graph/build-graph.js');
    await writeGraph(graphOfAnswer(answer, lock?.lockfile), args.graph, io, { write: args.write });
  } else if (answer.status === 'unsolvable' && args.output === 'text' && !io.shared) {
    io.note('note: `--graph why.html` draws this');
  }
  return code;
}

async function runFrozen(
  lock: LockOnDisk,
  request: Request,
  args: Args,
  io: Io,
): Promise<ExitCode> {
  const answer = answerFromLockfile(lock.lockfile, request, args);
  if (answer.status === 'stale') {
    const stale = answer.reasons.map((text) => ({ kind: 'stale', text }) as const);
    return reportMismatches(stale, args, io);
  }
  io.report?.(async (name) => {
    const { answerReport } = await import('./findings-output.js');
    return answerReport(name, { answer, request, isWritten: args.write });
  });
  const folder = await BundleFolder.of(args, io);
  const rendered = renderAgain(answer.lockfile, args, folder);
  refuseInBundle(args.lock, { rendering: rendered.rendering, folder }, io);
  if (args.write && !args.replaceLock) folder?.refuseOtherSet(answer.lockfile);
  const { text } = lock;
  const outputs = { lock: { named: args.lock, text: undefined, before: text }, folder };
  const written = args.write
    ? await writeOutputs({ ...outputs, rendering: rendered.rendering }, io)
    : undefined;
  printAnswer(answer, { ...rendered, bytes: 0 }, args, io);
  io.headline(answerHeadline(answer, { hadLock: true, isWritten: args.write }));
  if (written !== undefined) io.note(written);
  return EXIT.done;
}
