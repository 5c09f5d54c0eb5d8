import { advise } from '../../../admission/advice.js';
import { judge } from '../../../admission/judge.js';
import { noStats } from '../../../driver/read-stats.js';
import { digestAndRange } from '../../../usecases/lint/digest-and-range.js';
import { lintSet } from '../../../usecases/lint/lint-set.js';
import { resolve } from '../../../usecases/resolve/resolve.js';
import { command, type ArgsOf, type Flags } from '../../command.js';
import { EXIT, type ExitCode } from '../../exit-code.js';
import { eachFlags } from '../../each/each-flags.js';
import { explainFlag } from '../../flags/bundle-flags.js';
import { formatFlag } from '../../reporting/format-flag.js';
import { readRequest } from '../../flags/input-flags.js';
import { openPackage, packageArgument, packageFlags } from '../../flags/package-argument.js';
import { lockFlag } from '../../flags/lock-flag.js';
import { crossplaneFlag } from '../../flags/target-flag.js';
import { resolveFlags, resolveOptions } from '../../flags/resolve-flags.js';
import { openSources } from '../../flags/source/source-flags.js';
import { exactTarget } from '../../flags/target-flag.js';
import type { Io } from '../../io/io.js';
import { readLock } from '../../io/lock-file.js';
import { withProgress } from '../../io/progress.js';
import { answerBody } from '../../output/answer/answer-json.js';
import { reportUnsolved } from '../../output/answer/report-answer.js';
import { jsonDocument } from '../../output/json-document.js';
import { lintReport, lintReportText } from '../../output/package/lint.js';
import {
  findingCounts,
  findingLines,
  findingsJson,
  isSevereAs,
  SEVERITIES,
  setLintJson,
  setLintLines,
} from '../../output/set-lint.js';

const flags = {
  ...resolveFlags,
  ...lockFlag(),
  ...packageFlags,
  file: {
    ...packageFlags.file,
    describe:
      'File or folder to read (default: xpkg.yaml); with a package: ImageConfigs to pull by; may be repeated',
  },
  ...crossplaneFlag(
    'Crossplane release (default: that of xpkg.yaml; for a package, the newest known)',
  ),
  ...formatFlag,
  ...eachFlags,
  ...explainFlag('Argue step by step why there is no answer'),
  strict: { type: 'boolean', default: false, describe: 'Let warnings count as errors do' },
  'fail-on': {
    choices: SEVERITIES,
    requiresArg: true,
    default: 'error',
    describe: 'Exit 6 from this severity up',
  },
} as const satisfies Flags;

type Args = ArgsOf<typeof flags>;

export const lintCommand = command({
  positionals: { package: { ...packageArgument.package, demandOption: false } },
  flags,
  each: { showsData: true },
  examples: [
    ['$0 lint', 'the set that xpkg.yaml asks for'],
    ['$0 lint package.yaml', 'a package that is being developed'],
  ],
  run: (args, io) =>
    args.package === undefined
      ? runSet(args, io)
      : runPackage({ ...args, package: args.package }, io),
});

async function runPackage(args: Args & { readonly package: string }, io: Io): Promise<ExitCode> {
  const target = exactTarget(args.crossplane, io);
  const { contents, originOf } = await openPackage(args, io, target);
  const { findings } = judge(contents, target, { compat: args.compat });
  const report = lintReport(args.package, target, {
    findings: [...findings, ...advise(contents, target)],
    originOf,
  });
  io.report?.(async () => {
    const { packageLintReport } = await import('../../output/findings/lint-report.js');
    return packageLintReport(report, failsOn(args));
  });
  io.out(args.output === 'json' ? jsonDocument(report) : lintReportText(report));
  const counted = report.errors + (failsOn(args) === 'error' ? 0 : report.warnings);
  return counted > 0 ? EXIT.findings : EXIT.done;
}

/** Resolves as `resolve` would, writes nothing, and looks at the whole of the answer. */
async function runSet(args: Args, io: Io): Promise<ExitCode> {
  const request = await readRequest({ ...args, strict: false }, io, {
    skip: [args.lock],
    mixedSkips: true,
  });
  const lock = await readLock(args, io);
  const stats = noStats();
  const source = await openSources(args, io, stats, request.kept);
  const options = {
    ...resolveOptions(args, source, io),
    lockfile: lock?.lockfile,
    unlock: undefined,
  };
  const answer = await withProgress(io, stats, () => resolve(request, options));
  io.report?.(async (name) => {
    const { answerReport } = await import('../../output/findings/answer-findings.js');
    return answerReport(name, answer, request);
  });
  if (answer.status === 'unsolvable') {
    const mixed = digestAndRange(request, answer);
    if (args.output === 'json') {
      const told = { ...answer.stats, bytes: stats.bytes };
      const findings = findingsJson(mixed);
      io.headline(answer.summary.headline);
      io.out(jsonDocument({ ...answerBody(answer), findings, stats: told }));
      return EXIT.unsolvable;
    }
    for (const line of findingLines(mixed)) io.out(`${line}\n`);
  }
  if (answer.status !== 'solved') return reportUnsolved(answer, stats, args, io);
  const findings = await withProgress(io, stats, () => lintSet(request, answer, source));
  const { version } = answer.target;
  io.report?.(async () => {
    const { setLintReport } = await import('../../output/findings/lint-report.js');
    return setLintReport(findings, version, failsOn(args));
  });
  if (args.output === 'json') io.out(setLintJson(findings, version));
  else for (const line of setLintLines(findings, version)) io.out(`${line}\n`);
  io.headline(findingCounts(findings));
  const from = failsOn(args);
  return findings.some((finding) => isSevereAs(finding, from)) ? EXIT.findings : EXIT.done;
}

function failsOn({ strict, failOn }: Args): Args['failOn'] {
  return strict && failOn === 'error' ? 'warning' : failOn;
}
