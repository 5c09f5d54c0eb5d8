import { DIFF_SEVERITIES, isAsSevereAs, type DiffSeverity } from './findings.js';
import { noStats } from '../../resolver/driver/read-stats.js';
import type { ArgsOf, Flags } from '../../cli/kit/command.js';
import { defineCommand } from '../../cli/kit/define-command.js';
import { formatFlag, switchFlag } from '../../cli/arguments/common-flags.js';
import { packageFlags } from '../../cli/sources/package-argument.js';
import { withProgress } from '../../cli/terminal/progress.js';
import { openComparison } from './compared-sides-command.js';
import { diffLines, diffMarkdown, diffOutput, diffReport, type DiffValue } from './output.js';

const side = (describe: string) => ({ demandOption: true, describe }) as const;

const flags = {
  ...packageFlags,
  output: {
    alias: 'o',
    choices: ['text', 'json', 'markdown'],
    default: 'text',
    describe: 'How to print the answer; markdown is for a pull request',
  },
  ...formatFlag,
  all: switchFlag('Show all of it, not only a screenful'),
  schemas: {
    type: 'boolean',
    default: true,
    describe: 'Compare lockfiles alone: read none of the packages that changed',
  },
  'fail-on': {
    choices: DIFF_SEVERITIES,
    describe: 'Exit 6 if anything is this severe or worse',
  },
  'exit-code': switchFlag(
    'Exit 6 if anything breaks readers or worse, or is as severe as --fail-on says',
  ),
} as const satisfies Flags;

type Args = ArgsOf<typeof flags>;

export const diffCommand = defineCommand({
  positionals: {
    old: side(
      'A lockfile (file, `REVISION:PATH` of git, oci://…), or a package: SOURCE@VERSION, an .xpkg file, a folder',
    ),
    new: side('The same, to compare it with'),
  },
  flags,
  examples: [
    ['$0 diff HEAD:xpkg.lock.yaml xpkg.lock.yaml', 'what is about to be committed'],
    ['$0 diff origin/main HEAD -o markdown', 'what a pull request changes'],
    ['$0 diff SOURCE@v1.20.0 SOURCE@v1.23.0 --fail-on writers', 'two versions of a package'],
  ],
  run: async (args, io): Promise<DiffValue> => {
    const { shown, compare } = await openComparison(args, io);
    return { result: await withProgress(io, noStats(), compare), shown };
  },
  json: () => diffOutput,
  text: ({ result, shown }, args) =>
    args.output === 'markdown' ? diffMarkdown(result, shown) : diffLines(result, args),
  closingNotes: ({ result }) => result.notes.map((note) => `note: ${note}`),
  findings: async (value, args, io) => {
    const { LockPlaces } = await import('../../cli/findings/report-parts.js');
    return diffReport(value, await LockPlaces.read(args.new, io), failingFrom(args));
  },
  exit: ({ result: { findings, omitted } }, args) => {
    const limit = failingFrom(args);
    if (limit === undefined) return 'ok';
    const isFailing = ({ severity }: { readonly severity: DiffSeverity }) =>
      isAsSevereAs(severity, limit);
    return [...findings, ...omitted].some(isFailing) ? 'findings' : 'ok';
  },
});

/** Returns the mildest severity that fails the run; undefined: none does. */
function failingFrom({ failOn, exitCode }: Args): DiffSeverity | undefined {
  return failOn ?? (exitCode ? 'readers' : undefined);
}
