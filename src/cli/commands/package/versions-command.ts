import { versions } from '../../../usecases/look/versions.js';
import { noStats } from '../../../driver/read-stats.js';
import { InputError } from '../../../model/input-error.js';
import { command } from '../../command.js';
import { EXIT } from '../../exit-code.js';
import { imageConfigFlag, imageConfigs } from '../../flags/source/image-config-flag.js';
import { lockFlag } from '../../flags/lock-flag.js';
import { outputFlag } from '../../flags/output-flag.js';
import { openSources, sourceFlags } from '../../flags/source/source-flags.js';
import { crossplaneFlag, exactTarget } from '../../flags/target-flag.js';
import { readLock } from '../../io/lock-file.js';
import { fullName } from '../../io/full-name.js';
import { withProgress } from '../../io/progress.js';
import { versionLines, versionsJson } from '../../output/package/versions.js';

/** Versions that are read and shown unless all are asked for: each may cost a download. */
const NEWEST_SHOWN = 20;

export const versionsCommand = command({
  positionals: {
    package: {
      type: 'string',
      demandOption: true,
      describe: 'A package by its repository, or the end of it where that is known',
    },
  },
  flags: {
    ...lockFlag('Lockfile that says which version is locked'),
    all: { type: 'boolean', default: false, describe: 'Show every version, not the newest 20' },
    ...outputFlag,
    ...crossplaneFlag('Crossplane release that is to take it (default: the locked one)'),
    ...sourceFlags,
    ...imageConfigFlag,
  },
  examples: [['$0 versions provider-helm', 'of a package that is locked']],
  run: async (args, io) => {
    const lock = await readLock(args, io);
    const target = exactTarget(args.crossplane ?? lock?.lockfile.crossplane, io);
    const stats = noStats();
    const source = await openSources(args, io, stats, await imageConfigs(args, io));
    const repository = await fullName(args.package, { lockfile: lock?.lockfile, source });
    const newest = args.all ? Infinity : NEWEST_SHOWN;
    const found = await withProgress(io, stats, () =>
      versions(repository, { source, target, newest }),
    );
    if (found === undefined) {
      throw new InputError(`no source knows \`${repository}\``, {
        hint: '`xpkg-resolve search WORD` looks for it; `--from` says where packages are',
      });
    }
    const locked = lock?.lockfile.packages.find((each) => each.repository === repository)?.version;
    const crossplane = target.version;
    if (args.output === 'json') io.out(versionsJson(found, { locked, crossplane }));
    else for (const line of versionLines(found, locked)) io.out(`${line}\n`);
    return EXIT.done;
  },
});
