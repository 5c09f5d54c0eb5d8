import { DIFF_SEVERITIES, isAsSevereAs, type DiffSeverity } from '../../../compare/severity.js';
import { noStats } from '../../../driver/read-stats.js';
import { documentParser } from '../../../package-yaml/documents/parsed-pair.js';
import { diff, type Diff } from '../../../usecases/diff/diff.js';
import { diffPackages } from '../../../usecases/diff/diff-packages.js';
import { command, type ArgsOf, type Flags } from '../../command.js';
import { EXIT, type ExitCode } from '../../exit-code.js';
import { formatFlag } from '../../reporting/format-flag.js';
import { packageFlags } from '../../flags/package-argument.js';
import { withProgress } from '../../io/progress.js';
import { comparedSides } from '../../io/sides/compared-sides.js';
import { diffJson } from '../../output/diff/diff-json.js';
import { diffMarkdown } from '../../output/diff/diff-markdown.js';
import { diffLines } from '../../output/diff/diff-text.js';

const side = (describe: string) => ({ type: 'string', demandOption: true, describe }) as const;

const flags = {
  ...packageFlags,
  output: {
    alias: 'o',
    choices: ['text', 'json', 'markdown'],
    default: 'text',
    requiresArg: true,
    describe: 'How to print the answer; markdown is for a pull request',
  },
  ...formatFlag,
  all: { type: 'boolean', default: false, describe: 'Show all of it, not only a screenful' },
  schemas: {
    type: 'boolean',
    default: true,
    describe: 'Compare lockfiles alone: read none of the packages that changed',
  },
  'fail-on': {
    choices: DIFF_SEVERITIES,
    requiresArg: true,
    describe: 'Exit 6 if anything is this severe or worse',
  },
  'exit-code': {
    type: 'boolean',
    default: false,
    describe: 'Exit 6 if anything breaks readers or worse, or is as severe as --fail-on says',
  },
} as const satisfies Flags;

type Args = ArgsOf<typeof flags>;

export const diffCommand = command({
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
  run: async (args, io) => {
    const limit = failingFrom(args);
    const sides = await comparedSides(args.old, args.new, args, io);
    const parser = args.schemas ? documentParser : undefined;
    const found = await withProgress(io, noStats(), () =>
      sides.of === 'locks'
        ? diff(sides.old, sides.fresh, { parser, concurrency: args.concurrency })
        : diffPackages(sides.old, sides.fresh, { parser, target: sides.target }),
    );
    const shown = { old: sides.old.shown, new: sides.fresh.shown };
    io.report?.(async () => {
      const { diffReport } = await import('../../output/findings/diff-report.js');
      const { LockPlaces } = await import('../../output/findings/lock-places.js');
      return diffReport(found, { shown, places: await LockPlaces.read(args.new, io), limit });
    });
    if (args.output === 'json') io.out(diffJson(found, shown));
    else if (args.output === 'markdown') io.out(diffMarkdown(found, shown));
    else for (const line of diffLines(found, args)) io.out(`${line}\n`);
    for (const note of found.notes) io.note(`note: ${note}`);
    return exitCode(found, limit);
  },
});

/** undefined: no finding fails the run. */
function failingFrom({ failOn, exitCode: asked }: Args): DiffSeverity | undefined {
  return failOn ?? (asked ? 'readers' : undefined);
}

function exitCode({ findings, omitted }: Diff, limit: DiffSeverity | undefined): ExitCode {
  if (limit === undefined) return EXIT.done;
  const found = [...findings, ...omitted].some(({ severity }) => isAsSevereAs(severity, limit));
  return found ? EXIT.findings : EXIT.done;
}
