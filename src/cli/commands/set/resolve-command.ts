import type { Request } from '../../../model/request.js';
import { frozen } from '../../../usecases/frozen.js';
import { resolve, type ResolveOptions } from '../../../usecases/resolve/resolve.js';
import { SourceMemory } from '../../../driver/source-memory.js';
import { answerWithHint, readGiven, type Given } from '../../hints/answer-with-hint.js';
import { noStats } from '../../../driver/read-stats.js';
import { eachFlags } from '../../each/each-flags.js';
import { bundleFlags, refuseTwoOutputs } from '../../flags/bundle-flags.js';
import { formatFlag } from '../../reporting/format-flag.js';
import { clash } from '../../flags/clash.js';
import { command, type ArgsOf, type Flags } from '../../command.js';
import {
  reportAnswer,
  printAnswer,
  type ReportedAnswer,
  tellUnrecorded,
} from '../../output/answer/report-answer.js';
import { answerHeadline } from '../../output/packages.js';
import { formatOfFile } from '../../output/graph/graph-format.js';
import { writeGraph } from '../../output/graph/write-graph.js';
import { EXIT, type ExitCode } from '../../exit-code.js';
import type { Io } from '../../io/io.js';
import { readLock, reportNoLock, type LockOnDisk } from '../../io/lock-file.js';
import { BundleFolder } from '../../io/bundle/bundle-folder.js';
import { renderAgain } from '../../io/bundle/render-again.js';
import { wantsLongerTags } from '../../io/bundle/wants-longer-tags.js';
import { refuseInBundle, writeOutputs } from '../../io/bundle/write-outputs.js';
import { reportMismatches } from '../../output/lock/mismatches.js';
import { withProgress } from '../../io/progress.js';
import { lockIndexFlag } from '../../flags/lock-flag.js';
import { refsArgument, resolveFlags, resolveOptions } from '../../flags/resolve-flags.js';
import { requireSignaturesFlags } from '../../flags/source/signature-flags.js';
import { asOne, openEach } from '../../flags/source/source-flags.js';
import { requiredSignatures } from '../../io/supply/required-signatures.js';

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
    requiresArg: true,
    describe: 'Also draw the answer, or why there is none: FILE.html, .svg, .dot, .mmd or .json',
  },
  ...lockIndexFlag,
  ...requireSignaturesFlags,
  upgrade: { type: 'boolean', default: false, describe: 'Prefer newest to what is locked' },
  prefer: {
    choices: ['newest', 'lowest', 'locked'],
    requiresArg: true,
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
    const lock = await readLock(args, io);
    if (lock === undefined && (args.locked || args.frozen)) {
      const hint = '`xpkg-resolve resolve` without --locked or --frozen writes one';
      return reportNoLock(args, hint, io);
    }
    return args.frozen ? runFrozen(lock!, request, args, io) : runResolve(lock, inputs, args, io);
  },
});

function refuseContradictions(args: Args): void {
  if (args.applyHint !== undefined && args.locked) throw clash('--apply-hint', '--locked');
  if (args.applyHint !== undefined && args.frozen) throw clash('--apply-hint', '--frozen');
  if (args.locked && args.frozen) throw clash('--locked', '--frozen');
  if (args.requireSignatures && args.frozen) throw clash('--require-signatures', '--frozen');
  if (args.graph !== undefined && args.frozen) throw clash('--graph', '--frozen');
  if (args.upgrade && args.locked) throw clash('--upgrade', '--locked');
  if (args.upgrade && args.frozen) throw clash('--upgrade', '--frozen');
  if (args.upgrade && args.prefer === 'locked') throw clash('--upgrade', '--prefer locked');
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
  const source = SourceMemory.of(await asOne(sources, args, io, { stats, kept, locked }));
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
  tellUnrecorded(answer, args, io);
  const { allowUndigested } = request;
  io.report?.(async (name) => {
    const { answerReport } = await import('../../output/findings/answer-findings.js');
    return answerReport(name, answer, request);
  });
  const reported = { answer, lock, mayChange: !args.locked, allowUndigested, unsaved, inputs };
  return reportAndDraw({ ...reported, bytes: stats.bytes }, args, io);
}

async function reportAndDraw(reported: ReportedAnswer, args: Args, io: Io): Promise<ExitCode> {
  const code = await reportAnswer(reported, args, io);
  const { answer, lock } = reported;
  if (answer.status === 'gave-up') return code;
  if (args.graph !== undefined) {
    const { graphOfAnswer } = await import('../../output/graph/graph-of-answer.js');
    await writeGraph(graphOfAnswer(answer, lock?.lockfile), args.graph, io);
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
  const answer = frozen(lock.lockfile, request, args);
  if (answer.status === 'stale') {
    const stale = answer.reasons.map((text) => ({ kind: 'stale', text }) as const);
    return reportMismatches(stale, args, io);
  }
  io.report?.(async (name) => {
    const { answerReport } = await import('../../output/findings/answer-findings.js');
    return answerReport(name, answer, request);
  });
  const folder = await BundleFolder.of(args, io);
  const rendered = renderAgain(answer.lockfile, args, folder);
  refuseInBundle(args.lock, { rendering: rendered.rendering, folder }, io);
  printAnswer(answer, { ...rendered, bytes: 0 }, args, io);
  io.headline(answerHeadline(answer, true));
  if (!args.write) return EXIT.done;
  const { text } = lock;
  const outputs = { lock: { named: args.lock, text: undefined, before: text }, folder };
  await writeOutputs({ ...outputs, rendering: rendered.rendering }, io);
  return EXIT.done;
}
