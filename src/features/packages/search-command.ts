import { search } from './search.js';
import { noStats } from '../../resolver/driver/read-stats.js';
import { defineCommand } from '../../cli/kit/define-command.js';
import { lockFlag, outputFlag } from '../../cli/arguments/common-flags.js';
import { openSources, sourceFlags } from '../../cli/sources/source-flags.js';
import { projectTarget, projectTargetFlag } from '../../cli/arguments/target-flag.js';
import { readLock } from '../../cli/files/lock-file.js';
import { withProgress } from '../../cli/terminal/progress.js';
import { foundLines, searchOutput, type SearchReport } from './output.js';

export const searchCommand = defineCommand({
  positionals: {
    word: {
      demandOption: true,
      describe: 'A part of a name, a kind (`Bucket`), a CRD or its API group',
    },
  },
  flags: {
    ...lockFlag('Lockfile whose packages are searched, too'),
    ...outputFlag,
    ...projectTargetFlag('Crossplane release that is to take them'),
    ...sourceFlags,
  },
  examples: [
    ['$0 search Bucket --from index:index.json.gz', 'who brings buckets'],
    ['$0 search s3.aws.upbound.io', 'which locked package serves an API group'],
  ],
  run: async (args, io): Promise<SearchReport> => {
    const lock = await readLock(args, io);
    const target = await projectTarget(args, io, lock);
    const stats = noStats();
    const source = await openSources(args, io, stats);
    if (source.repositories === undefined) {
      const where = lock === undefined ? 'nothing else is' : `only \`${args.lock}\` is`;
      io.note(
        `note: a registry cannot list what it holds, so ${where} searched; name a source that can: \`--from index:FILE\`, \`--from dir:PATH\` or \`--from layout:PATH\``,
      );
    }
    const lockfile = lock?.lockfile;
    const { word } = args;
    const found = await withProgress(io, stats, () => search(word, { source, target, lockfile }));
    const packages = found.map(({ repository, ...rest }) => ({ source: repository, ...rest }));
    return { word, packages };
  },
  json: () => searchOutput,
  text: foundLines,
  closingNotes: ({ word, packages }) =>
    packages.length === 0 ? [`nothing has \`${word}\` in its name or owns it`] : [],
});
