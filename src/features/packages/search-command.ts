import {
  type SearchReport,
  type VersionsReport,
  foundLines,
  searchOutput,
  versionLines,
  versionsOutput,
} from './output.js';
import { search, versions } from './search.js';
import { InputError } from '../../base/errors.js';
import { lockFlag, outputFlag, switchFlag } from '../../cli/arguments/common-flags.js';
import { imageConfigFlag, imageConfigs } from '../../cli/arguments/input-flags.js';
import { fullName } from '../../cli/arguments/package-names.js';
import { projectTarget, projectTargetFlag } from '../../cli/arguments/target-flag.js';
import { readLock } from '../../cli/files/lock-file.js';
import { defineCommand } from '../../cli/kit/command.js';
import { openSources, sourceFlags } from '../../cli/sources/source-flags.js';
import { withProgress } from '../../cli/terminal/progress.js';

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
    const source = await openSources(args, io);
    if (source.repositories === undefined) {
      const where = lock === undefined ? 'nothing else is' : `only \`${args.lock}\` is`;
      io.note(
        `note: a registry cannot list what it holds, so ${where} searched; name a source that can: \`--from index:FILE\`, \`--from dir:PATH\` or \`--from layout:PATH\``,
      );
    }
    const lockfile = lock?.lockfile;
    const { word } = args;
    const found = await withProgress(io, source.stats, () =>
      search(word, { source, target, lockfile }),
    );
    const packages = found.map(({ repository, ...rest }) => ({ source: repository, ...rest }));
    return { word, packages };
  },
  json: () => searchOutput,
  text: foundLines,
  closingNotes: ({ word, packages }) =>
    packages.length === 0 ? [`nothing has \`${word}\` in its name or owns it`] : [],
});

/** Number of versions shown without `--all`: each may cost a download. */
const NEWEST_SHOWN = 20;

export const versionsCommand = defineCommand({
  positionals: {
    package: {
      demandOption: true,
      describe: 'A package by its repository, or the end of it where that is known',
    },
  },
  flags: {
    ...lockFlag('Lockfile that says which version is locked'),
    all: switchFlag('Show every version, not the newest 20'),
    ...outputFlag,
    ...projectTargetFlag('Crossplane release that is to take it'),
    ...sourceFlags,
    ...imageConfigFlag,
  },
  examples: [['$0 versions provider-helm', 'of a package that is locked']],
  run: async (args, io): Promise<VersionsReport> => {
    const lock = await readLock(args, io);
    const target = await projectTarget(args, io, lock);
    const source = await openSources(args, io, await imageConfigs(args, io));
    const repository = await fullName(args.package, { lockfile: lock?.lockfile, source });
    const newest = args.all ? Infinity : NEWEST_SHOWN;
    const found = await withProgress(io, source.stats, () =>
      versions(repository, { source, target, newest }),
    );
    if (found === undefined) {
      throw new InputError(`no source knows \`${repository}\``, {
        hint: '`xpkg-resolve search WORD` looks for it; `--from` says where packages are',
      });
    }
    const locked = lock?.lockfile.packages.find((each) => each.repository === repository)?.version;
    return { source: repository, crossplane: target.version, locked, ...found };
  },
  json: () => versionsOutput,
  text: versionLines,
});
