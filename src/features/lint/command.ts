import { byCodePoint } from '../../base/collections.js';
import { lintWarnings, UNKNOWN_FIELD } from '../../crossplane/packages/advice.js';
import { judge } from '../../crossplane/packages/admission.js';
import type { ReadStats } from '../../resolver/driver/read-stats.js';
import type { Request } from '../../project/inputs/request.js';
import type { Answer, Solved } from '../../resolver/resolve/answer.js';
import { digestAndRangeFindings } from './requirement-rules.js';
import { lintProject } from './lint.js';
import { resolve } from '../../resolver/resolve/resolve.js';
import { type ArgsOf, defineCommand, type Flags, OtherResult } from '../../cli/kit/command.js';
import type { MakeReport } from '../../cli/findings/report.js';
import { eachFlags, formatFlag, lockFlag, switchFlag } from '../../cli/arguments/common-flags.js';
import { readRequestAndTexts } from '../../cli/arguments/input-flags.js';
import { openPackage, packageArgument, packageFlags } from '../../cli/sources/package-argument.js';
import { projectTargetFlag, projectTarget } from '../../cli/arguments/target-flag.js';
import { resolveFlags, resolveOptions } from '../../cli/arguments/resolve-flags.js';
import { openSources } from '../../cli/sources/source-flags.js';
import type { RunIo } from '../../cli/terminal/io.js';
import { readLock } from '../../cli/files/lock-file.js';
import { withProgress } from '../../cli/terminal/progress.js';
import { answerBody } from '../resolve/answer-output.js';
import { unsolvedResult } from '../resolve/answer-command.js';
import {
  findingCounts,
  findingLines,
  findingsJson,
  isSevereAs,
  lintOutput,
  lintReport,
  type PackageLint,
  packageLintLines,
  type SetLint,
  setLintLines,
  SEVERITIES,
} from './output.js';

const flags = {
  ...resolveFlags,
  ...lockFlag(),
  ...packageFlags,
  file: {
    ...packageFlags.file,
    describe:
      'File or folder to read (default: xpkg.yaml); with a package: ImageConfigs to pull by; may be repeated',
  },
  ...projectTargetFlag('Crossplane release'),
  ...formatFlag,
  ...eachFlags,
  explain: switchFlag('Argue step by step why there is no answer'),
  strict: switchFlag('Let warnings count as errors do'),
  'fail-on': {
    choices: SEVERITIES,
    default: 'error',
    describe: 'Exit 6 from this severity up',
  },
} as const satisfies Flags;

type Args = ArgsOf<typeof flags>;

export const lintCommand = defineCommand({
  positionals: { package: { ...packageArgument.package, demandOption: false } },
  flags,
  each: { showsData: true },
  examples: [
    ['$0 lint', 'the set that xpkg.yaml asks for'],
    ['$0 lint package.yaml', 'a package that is being developed'],
  ],
  run: (args, io): Promise<PackageLint | SetLint> =>
    args.package === undefined
      ? lintProjectFolder(args, io)
      : lintPackage({ ...args, package: args.package }, io),
  json: () => lintOutput,
  text: (linted) => ('package' in linted ? packageLintLines(linted) : setLintLines(linted)),
  headline: (linted) => ('package' in linted ? undefined : findingCounts(linted.findings)),
  findings: (linted, args) => lintReport(linted, failsOn(args)),
  exit: ({ findings }, args) => {
    const from = failsOn(args);
    return findings.some((finding) => isSevereAs(finding, from)) ? 'findings' : 'ok';
  },
});

async function lintPackage(
  args: Args & { readonly package: string },
  io: RunIo,
): Promise<PackageLint> {
  const target = await projectTarget(args, io);
  const { contents, originOf } = await openPackage(args, io, target);
  const { findings: rejections } = judge(contents, target, { compat: args.compat });
  const findings = [...rejections, ...lintWarnings(contents, target)]
    .map((finding) => {
      const { code, message } = finding;
      const severity = args.strict && code === UNKNOWN_FIELD ? 'error' : finding.severity;
      const { file, line } = originOf(finding.line);
      return { severity, code, message, file, line };
    })
    .sort((a, b) => byCodePoint(a.file, b.file) || (a.line ?? 0) - (b.line ?? 0));
  const countOf = (level: 'error' | 'warning') =>
    findings.filter(({ severity }) => severity === level).length;
  return {
    package: args.package,
    crossplane: target.version,
    errors: countOf('error'),
    warnings: countOf('warning'),
    findings,
  };
}

/** Resolves as `resolve` does without writing, and checks the whole answer. */
async function lintProjectFolder(args: Args, io: RunIo): Promise<SetLint> {
  const { request } = await readRequestAndTexts({ ...args, strict: false }, io, {
    skip: [args.lock],
    mixedSkips: true,
    reportsUnknownFields: true,
  });
  const lock = await readLock(args, io);
  const source = await openSources(args, io, request.kept);
  const options = {
    ...resolveOptions(args, source, io),
    lockfile: lock?.lockfile,
    unlock: undefined,
  };
  const answer = await withProgress(io, source.stats, () => resolve(request, options));
  if (answer.status !== 'solved')
    throw await withoutAnswer(answer, request, source.stats, args, io);
  const findings = await withProgress(io, source.stats, () =>
    lintProject(request, answer, source, { strict: args.strict }),
  );
  return { findings, crossplane: answer.target.version };
}

/** Returns the result for a package set without an answer: findings, then the refusal. */
async function withoutAnswer(
  answer: Exclude<Answer, Solved>,
  request: Request,
  stats: ReadStats,
  args: Args,
  io: RunIo,
): Promise<OtherResult> {
  const { printing } = await unsolvedResult(answer, stats, args, io);
  const findings: MakeReport = async (name) => {
    const { answerReport } = await import('../resolve/findings-output.js');
    return answerReport(name, answer, request, false);
  };
  if (answer.status === 'gave-up') return new OtherResult({ ...printing, findings });
  const mixed = digestAndRangeFindings(request, answer);
  const json = () => {
    const counts = { ...answer.stats, bytes: stats.bytes };
    return { ...answerBody(answer), findings: findingsJson(mixed), stats: counts };
  };
  return new OtherResult({ ...printing, findings, json, text: findingLines(mixed) });
}

function failsOn({ strict, failOn }: Args): Args['failOn'] {
  return strict && failOn === 'error' ? 'warning' : failOn;
}
