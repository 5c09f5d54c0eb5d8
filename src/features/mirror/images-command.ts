import { closureImages } from './lockfile-images.js';
import { platformImages } from './image-parts.js';
import { defineCommand } from '../../cli/kit/command.js';
import { lockFlag, outputFlag } from '../../cli/arguments/common-flags.js';
import { sourceFlags } from '../../cli/sources/source-flags.js';
import { readRequiredLock } from '../../cli/files/lock-file.js';
import { withProgress } from '../../cli/terminal/progress.js';
import { openLockedSources } from './locked-images-command.js';
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
    const opened = await openLockedSources(args, lockfile, io);
    const listed = await withProgress(io, opened.stats, async () => {
      const images = await closureImages(lockfile, 'listed with its images', opened);
      return Promise.all(
        images.map(async (image) => ({ image, platforms: await platformImages(image) })),
      );
    });
    return { listed, crossplane: lockfile.crossplane };
  },
  json: () => imagesOutput,
  text: imagesLines,
});
