import { resolve } from 'node:path';
import { targetFor } from '../../../model/target/target.js';
import { noStats } from '../../../driver/read-stats.js';
import { digestedPackages } from '../../../supply/digested-packages.js';
import { vendor, type VendorOptions } from '../../../supply/vendor.js';
import { command } from '../../command.js';
import { EXIT } from '../../exit-code.js';
import { lockFlag } from '../../flags/lock-flag.js';
import { outputFlag } from '../../flags/output-flag.js';
import { jsonDocument } from '../../output/json-document.js';
import { keptIn, requireLock } from '../../io/lock-file.js';
import { withStagedLayout } from '../../io/supply/staged-layout.js';
import { withProgress } from '../../io/progress.js';
import { openEach, sourceFlags } from '../../flags/source/source-flags.js';
import { BULK_TIMEOUT_S, timeoutFlag } from '../../flags/source/network-flags.js';
import { cannotWrite } from '../../../files/cannot-write.js';
import { outputPath } from '../../../files/output-path.js';

export const vendorCommand = command({
  positionals: {
    folder: {
      type: 'string',
      demandOption: true,
      describe: 'Folder to write the layout to',
    },
  },
  flags: {
    ...sourceFlags,
    ...timeoutFlag(BULK_TIMEOUT_S),
    ...lockFlag('Lockfile that names the packages'),
    ...outputFlag,
    full: {
      type: 'boolean',
      default: false,
      describe: 'Copy every layer of every platform, not only what resolving reads',
    },
  },
  examples: [['$0 vendor vendored', 'then, with no network: `resolve --from layout:vendored`']],
  run: async (args, io) => {
    const lock = await requireLock(args, io);
    if (lock === undefined) return EXIT.lockMismatch;
    const { lockfile } = lock;
    const packages = digestedPackages(lockfile, 'vendored');
    const folder = resolve(io.cwd, args.folder);
    await refuseLinkOut(folder, io.cwd);
    const stats = noStats();
    const sources = await openEach(args, io, stats, keptIn(lockfile, args.lock));
    const options: VendorOptions = {
      target: targetFor(lockfile.crossplane)!,
      extent: args.full ? 'whole' : 'needed',
      concurrency: args.concurrency,
      onPackage: (reference) => {
        stats.latest = reference;
        stats.fetched++;
      },
      onUnreadable: (reference, why) => io.afterwards(`warning: ${reference}: ${why}`),
    };
    const bytes = await withProgress(io, stats, () =>
      withStagedLayout(folder, args.folder, async (layout) => {
        await vendor(packages, sources, layout, options);
        return layout.finish(options.extent);
      }),
    );
    if (args.output === 'json') {
      io.out(jsonDocument({ folder: args.folder, packages: packages.length, bytes }));
    }
    io.note(`vendored ${packages.length} packages (${bytes} bytes) to ${args.folder}`);
    io.note(
      args.full
        ? `note: images are whole; \`oras copy -r --from-oci-layout ${args.folder}@DIGEST REGISTRY/REPOSITORY:TAG\` copies one to a registry and keeps its digest`
        : 'note: only what resolving reads is in it: manifests and base layers, without configs, other layers and other platforms; no tool can copy such images to a registry, for which `--full` takes them whole',
    );
    io.note(`resolve from it with \`--from layout:${args.folder} --offline\``);
    return EXIT.done;
  },
});

async function refuseLinkOut(folder: string, project: string): Promise<void> {
  try {
    await outputPath(folder, project);
  } catch (error) {
    throw cannotWrite(folder, error);
  }
}
