import { access } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { removeWithRetry, withWriteError } from '../../base/files/file-system.js';
import { outputPath } from '../../base/files/transaction.js';
import { InputError } from '../../base/errors.js';
import { removeAbandoned, type LayoutWriter } from '../../oci/store/layout-writer.js';
import { writeBundleFile, fillLayout } from './bundle.js';
import { closureImages } from './lockfile-images.js';
import { defineCommand } from '../../cli/kit/command.js';
import {
  outFlag,
  writeFlag,
  DEFAULT_LOCK,
  lockFlag,
  signaturesFlag,
  outputFlag,
} from '../../cli/arguments/common-flags.js';
import { BULK_TIMEOUT_S, timeoutFlag } from '../../cli/sources/network-flags.js';
import { sourceFlags } from '../../cli/sources/source-flags.js';
import { BundleFolder } from '../../cli/files/rendered-folder.js';
import { renderAgain } from '../../cli/files/render-again.js';
import { isBundleFile, openLockedSources, withStagedLayout } from './locked-images-command.js';
import { readRequiredLock } from '../../cli/files/lock-file.js';
import { withProgress } from '../../cli/terminal/progress.js';
import { amount } from '../../cli/terminal/package-text.js';
import { bundleOutput, type BundleValue, size } from './output.js';
import { shellWord } from '../../base/escape.js';

/** `bundle`: lockfile, rendered manifests and whole images in one file, for air-gapped clusters. */
export const bundleCommand = defineCommand({
  positionals: { file: { demandOption: true, describe: 'File to write: FILE.tar' } },
  flags: {
    ...signaturesFlag,
    ...sourceFlags,
    ...timeoutFlag(BULK_TIMEOUT_S),
    ...lockFlag('Lockfile to take along'),
    ...outFlag('Folder of the bundle, which says how it was rendered'),
    ...writeFlag,
    ...outputFlag,
  },
  examples: [
    ['$0 bundle platform.tar', 'all that is locked, in one file'],
    ['$0 mirror --from platform.tar --to mirror.example.org', 'on the other side'],
  ],
  epilogue:
    'The file is a tar of an OCI image layout, which oras, skopeo and crane read, with ' +
    '`xpkg.lock.yaml` and `rendered/` beside it. The same lockfile makes the same bytes.',
  run: async (args, io): Promise<BundleValue> => {
    if (!isBundleFile(args.file)) {
      throw new InputError(`\`${args.file}\`: the name of a bundle ends in \`.tar\``);
    }
    const { lockfile, text } = await readRequiredLock(args, io);
    const { rendering } = renderAgain(lockfile, {}, await BundleFolder.of(args, io));
    const texts = new Map([[DEFAULT_LOCK, text]]);
    for (const [name, content] of rendering.files) texts.set(`rendered/${name}`, content);
    const { stats, onImage, ...opened } = await openLockedSources(args, lockfile, io);
    const { concurrency, signatures } = args;
    return withProgress(io, stats, async () => {
      const images = await closureImages(lockfile, 'bundled', opened);
      const file = await placeOfFile(args.file, io.cwd);
      const value = { file: args.file, images: images.length };
      if (!args.write) return value;
      const bytes = await writeBundle({ file, shown: args.file }, texts, (layout) =>
        fillLayout(images, layout, { concurrency, signatures, onImage }),
      );
      return { ...value, bytes };
    });
  },
  json: () => bundleOutput,
  closingNotes: ({ file, images, bytes }) =>
    bytes === undefined
      ? [`would write ${file}: ${amount(images, 'image')}`]
      : [
          `wrote ${file}: ${images} images, ${size(bytes)}`,
          `on the other side: \`xpkg-resolve mirror --from ${shellWord(file)} --to REGISTRY\`; \`tar -xf ${shellWord(file)} ${DEFAULT_LOCK} rendered\` takes out what to apply`,
        ],
});

/** Returns the path of the file without symbolic links. Throws if it cannot be written. */
async function placeOfFile(shown: string, project: string): Promise<string> {
  const path = resolve(project, shown);
  return withWriteError(shown, async () => {
    // A missing folder is not created: the path probably has a typing error.
    await access(dirname(path));
    return outputPath(path, project);
  });
}

/** Fills a temporary layout next to the file and packs it. Removes the layout, also after a failure. */
async function writeBundle(
  { file, shown }: { readonly file: string; readonly shown: string },
  texts: ReadonlyMap<string, string>,
  fill: (layout: LayoutWriter) => Promise<void>,
): Promise<number> {
  const beside = `${file}.layout`;
  return withStagedLayout(beside, shown, async (layout) => {
    await fill(layout);
    await layout.seal('whole');
    const bytes = await writeBundleFile(file, layout.staging, texts);
    await removeWithRetry(layout.staging);
    await removeAbandoned(dirname(beside), basename(beside));
    return bytes;
  });
}
