import { resolve } from 'node:path';
import { packagesWithDigests } from './lockfile-images.js';
import { vendor } from './vendor.js';
import { defineCommand } from '../../cli/kit/command.js';
import { writeFlag, lockFlag, outputFlag, switchFlag } from '../../cli/arguments/common-flags.js';
import { amount } from '../../cli/terminal/package-text.js';
import { readRequiredLock } from '../../cli/files/lock-file.js';
import { vendorOutput, type VendorValue } from './output.js';
import { openLockedSources, withStagedLayout } from './locked-images-command.js';
import { withProgress } from '../../cli/terminal/progress.js';
import { sourceFlags } from '../../cli/sources/source-flags.js';
import { BULK_TIMEOUT_S, timeoutFlag } from '../../cli/sources/network-flags.js';
import { withWriteError } from '../../base/files/file-system.js';
import { outputPath } from '../../base/files/transaction.js';
import { shellWord } from '../../base/escape.js';

export const vendorCommand = defineCommand({
  positionals: {
    folder: { demandOption: true, describe: 'Folder to write the layout to' },
  },
  flags: {
    ...sourceFlags,
    ...timeoutFlag(BULK_TIMEOUT_S),
    ...lockFlag('Lockfile that names the packages'),
    ...writeFlag,
    ...outputFlag,
    full: switchFlag('Copy every layer of every platform, not only what resolving reads'),
  },
  examples: [['$0 vendor vendored', 'then, with no network: `resolve --from layout:vendored`']],
  run: async (args, io): Promise<VendorValue> => {
    const { lockfile } = await readRequiredLock(args, io);
    const packages = packagesWithDigests(lockfile, 'vendored');
    const folder = resolve(io.cwd, args.folder);
    await withWriteError(folder, () => outputPath(folder, io.cwd));
    const value = { folder: args.folder, packages: packages.length };
    if (!args.write) return value;
    const { stats, ...opened } = await openLockedSources(args, lockfile, io);
    const extent = args.full ? 'whole' : 'needed';
    const bytes = await withProgress(io, stats, () =>
      withStagedLayout(folder, args.folder, async (layout) => {
        await vendor(packages, layout, {
          ...opened,
          extent,
          onUnreadable: (reference, why) => io.afterwards(`warning: ${reference}: ${why}`),
        });
        return layout.finish(extent);
      }),
    );
    return { ...value, bytes };
  },
  json: () => vendorOutput,
  closingNotes: ({ folder, packages, bytes }, { full }) =>
    bytes === undefined
      ? [`would copy ${amount(packages, 'package')} to ${folder}`]
      : [
          `vendored ${packages} packages (${bytes} bytes) to ${folder}`,
          full
            ? `note: images are whole; \`oras copy -r --from-oci-layout ${shellWord(`${folder}@DIGEST`)} REGISTRY/REPOSITORY:TAG\` copies one to a registry and keeps its digest`
            : 'note: only what resolving reads is in it: manifests and base layers, without configs, other layers and other platforms; no tool can copy such images to a registry, for which `--full` takes them whole',
          `resolve from it with \`--from layout:${folder} --offline\``,
        ],
});
