import { noStats } from '../../resolver/driver/read-stats.js';
import { targetFor } from '../../crossplane/releases/target.js';
import { closureImages, imageCounter } from './lockfile-images.js';
import { platformImages } from './image-parts.js';
import { defineCommand } from '../../cli/kit/define-command.js';
import { lockFlag, outputFlag } from '../../cli/arguments/common-flags.js';
import { openEach, sourceFlags } from '../../cli/sources/source-flags.js';
import { extraManifestsIn, readRequiredLock } from '../../cli/files/lock-file.js';
import { withProgress } from '../../cli/terminal/progress.js';
import { imagesOutput, imagesLines, type ImagesValue } from './output.js';

/** `images`: every image that a cluster pulls for the locked packages. */
export const imagesCommand = defineCommand({
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
  run: async (args, io): Promise<ImagesValue> => {
    const { lockfile } = await readRequiredLock(args, io);
    const stats = noStats();
    const sources = await openEach(args, io, stats, extraManifestsIn(lockfile, args.lock));
    const listed = await withProgress(io, stats, async () => {
      const images = await closureImages(lockfile, 'listed with its images', {
        sources,
        target: targetFor(lockfile.crossplane)!,
        concurrency: args.concurrency,
        onImage: imageCounter(stats),
      });
      return Promise.all(
        images.map(async (image) => ({ image, platforms: await platformImages(image) })),
      );
    });
    return { listed, crossplane: lockfile.crossplane };
  },
  json: () => imagesOutput,
  text: imagesLines,
});
