import { search } from '../../../usecases/look/search.js';
import { noStats } from '../../../driver/read-stats.js';
import { command } from '../../command.js';
import { EXIT } from '../../exit-code.js';
import { lockFlag } from '../../flags/lock-flag.js';
import { outputFlag } from '../../flags/output-flag.js';
import { openSources, sourceFlags } from '../../flags/source/source-flags.js';
import { crossplaneFlag, exactTarget } from '../../flags/target-flag.js';
import { readLock } from '../../io/lock-file.js';
import { withProgress } from '../../io/progress.js';
import { foundJson, foundLines } from '../../output/package/versions.js';

export const searchCommand = command({
  positionals: {
    word: {
      type: 'string',
      demandOption: true,
      describe: 'A part of a name, a kind (`Bucket`), a CRD or its API group',
    },
  },
  flags: {
    ...lockFlag('Lockfile whose packages are searched, too'),
    ...outputFlag,
    ...crossplaneFlag('Crossplane release that is to take them (default: the locked one)'),
    ...sourceFlags,
  },
  examples: [
    ['$0 search Bucket --from index:index.json.gz', 'who brings buckets'],
    ['$0 search s3.aws.upbound.io', 'which locked package serves an API group'],
  ],
  run: async (args, io) => {
    const lock = await readLock(args, io);
    const target = exactTarget(args.crossplane ?? lock?.lockfile.crossplane, io);
    const stats = noStats();
    const source = await openSources(args, io, stats);
    if (source.repositories === undefined) {
      const where = lock === undefined ? 'nothing else is' : `only \`${args.lock}\` is`;
      io.note(
        `note: a registry cannot list what it holds, so ${where} searched; name a source that can: \`--from index:FILE\`, \`--from dir:PATH\` or \`--from layout:PATH\``,
      );
    }
    const lockfile = lock?.lockfile;
    const found = await withProgress(io, stats, () =>
      search(args.word, { source, target, lockfile }),
    );
    if (args.output === 'json') io.out(foundJson(args.word, found));
    else for (const line of foundLines(found)) io.out(`${line}\n`);
    if (found.length === 0) io.note(`nothing has \`${args.word}\` in its name or owns it`);
    return EXIT.done;
  },
});
