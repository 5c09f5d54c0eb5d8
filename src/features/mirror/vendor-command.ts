import { resolve } from 'node:path';
import { targetFor } from '../../crossplane/releases/target.js';
import { noStats } from '../../resolver/driver/read-stats.js';
import { packagesWithDigests } from './lockfile-images.js';
import { vendor, type VendorOptions } from './vendor.js';
import { command, EXIT, jsonDocument } from '../../cli/kit/command.js';
import { writeFlag, lockFlag, outputFlag } from '../../cli/arguments/common-flags.js';
import { counted } from '../../cli/terminal/package-text.js';
import { extraManifestsIn, requireLock } from '../../cli/files/lock-file.js';
import { withStagedLayout } from './bundle-file-command.js';
import { withProgress } from '../../cli/terminal/progress.js';
import { openEach, sourceFlags } from '../../cli/sources/source-flags.js';
import { BULK_TIMEOUT_S, timeoutFlag } from '../../cli/sources/network-flags.js';
import { writeError } from '../../base/files/file-system.js';
import { outputPath } from '../../base/files/transaction.js';
import { shellWord } from '../../base/escape.js';

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
    ...writeFlag,
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
    const packages = packagesWithDigests(lockfile, 'vendored');
    const folder = resolve(io.cwd, args.folder);
    await refuseLinkOut(folder, io.cwd);
    if (!args.write) {
      const counts = { folder: args.folder, packages: packages.length };
      if (args.output === 'json') io.out(jsonDocument(counts));
      io.note(`would copy ${counted(packages.length, 'package')} to ${args.folder}`);
      return EXIT.done;
    }
    const stats = noStats();
    const sources = await openEach(args, io, stats, extraManifestsIn(lockfile, args.lock));
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
        ? `note: images are whole; \`oras copy -r --from-oci-layout ${shellWord(`${args.folder}@DIGEST`)} REGISTRY/REPOSITORY:TAG\` copies one to a registry and keeps its digest`
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
    throw writeError(folder, error);
  }
}
