import { DEFAULT_FILES } from '../../../inputs/input-files.js';
import { outdated } from '../../../usecases/outdated.js';
import { noStats } from '../../../driver/read-stats.js';
import { command } from '../../command.js';
import { EXIT } from '../../exit-code.js';
import { inputFlags, readRequestIfAny } from '../../flags/input-flags.js';
import { keptIn, requireLock } from '../../io/lock-file.js';
import { lockFlag } from '../../flags/lock-flag.js';
import { outputFlag } from '../../flags/output-flag.js';
import { prereleaseFlag } from '../../flags/resolve-flags.js';
import { withProgress } from '../../io/progress.js';
import { outdatedJson, outdatedLines } from '../../output/outdated.js';
import { openSources, sourceFlags } from '../../flags/source-flags.js';

export const outdatedCommand = command({
  positionals: {},
  flags: {
    ...sourceFlags,
    ...inputFlags,
    ...lockFlag(),
    ...outputFlag,
    ...prereleaseFlag('Count prereleases of this package; may be repeated'),
    'exit-code': { type: 'boolean', default: false, describe: 'Exit 6 if anything is outdated' },
  },
  run: async (args, io) => {
    const lock = await requireLock(args, io);
    if (lock === undefined) return EXIT.lockMismatch;
    const asked = await readRequestIfAny(args, io, { skip: [args.lock] });
    if (asked === undefined) {
      io.note(`note: there is no \`${DEFAULT_FILES[0]}\`: only locked packages say what fits`);
    }
    const request = asked ?? { ...NOTHING_ASKED, kept: keptIn(lock.lockfile, args.lock) };
    const stats = noStats();
    const options = {
      source: await openSources(args, io, stats, request.kept),
      prereleases: args.prerelease ?? [],
      compat: args.compat,
    };
    const report = await withProgress(io, stats, () => outdated(lock.lockfile, request, options));
    for (const note of report.notes) io.note(`note: ${note}`);
    if (args.output === 'json') io.out(outdatedJson(report, lock.lockfile.crossplane));
    else for (const line of outdatedLines(report)) io.out(`${line}\n`);
    if (report.packages.length === 0) {
      io.note('nothing newer than what is locked');
      return EXIT.done;
    }
    return args.exitCode ? EXIT.findings : EXIT.done;
  },
});

/** For a set that was resolved from references: no file says what is asked for. */
const NOTHING_ASKED = { roots: [], overrides: [], replace: [], exclude: [], defaults: {} };
