import { noStats } from '../../../driver/read-stats.js';
import { targetFor } from '../../../model/target/target.js';
import { closureImages } from '../../../supply/closure-images.js';
import { platformImages } from '../../../supply/image-parts.js';
import { command } from '../../command.js';
import { EXIT } from '../../exit-code.js';
import { lockFlag } from '../../flags/lock-flag.js';
import { outputFlag } from '../../flags/output-flag.js';
import { openEach, sourceFlags } from '../../flags/source/source-flags.js';
import { keptIn, requireLock } from '../../io/lock-file.js';
import { withProgress } from '../../io/progress.js';
import { imagesJson, imagesText } from '../../output/supply/images.js';

/** `images`: every image that a cluster pulls for what is locked, to be mirrored or allowed. */
export const imagesCommand = command({
  positionals: {},
  flags: { ...sourceFlags, ...lockFlag('Lockfile that names the packages'), ...outputFlag },
  examples: [
    ['$0 images', 'every image, by platform, with digests and sizes'],
    [
      '$0 images -o json | jq -r \'.images[] | .source + "@" + .digest\'',
      'their names, for other tools',
    ],
  ],
  epilogue:
    'The image of a package is also what runs, unless its metadata or a runtime config names ' +
    'another: those are listed, too. Only manifests are read.',
  run: async (args, io) => {
    const lock = await requireLock(args, io);
    if (lock === undefined) return EXIT.lockMismatch;
    const { lockfile } = lock;
    const stats = noStats();
    const sources = await openEach(args, io, stats, keptIn(lockfile, args.lock));
    const listed = await withProgress(io, stats, async () => {
      const images = await closureImages(lockfile, 'listed with its images', {
        sources,
        target: targetFor(lockfile.crossplane)!,
        concurrency: args.concurrency,
        onImage: (reference) => {
          stats.latest = reference;
          stats.fetched += 1;
        },
      });
      return Promise.all(
        images.map(async (image) => ({ image, platforms: await platformImages(image) })),
      );
    });
    const print = args.output === 'json' ? imagesJson : imagesText;
    io.out(print(listed, lockfile.crossplane));
    return EXIT.done;
  },
});
