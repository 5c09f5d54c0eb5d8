import { access } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { noStats } from '../../../driver/read-stats.js';
import { cannotWrite } from '../../../files/cannot-write.js';
import { isFileSystemError } from '../../../files/error-code.js';
import { removeFirmly } from '../../../files/journal/remove-firmly.js';
import { outputPath } from '../../../files/output-path.js';
import { InputError } from '../../../model/input-error.js';
import { targetFor } from '../../../model/target/target.js';
import { removeAbandoned } from '../../../store/layout-staging.js';
import type { LayoutWriter } from '../../../store/layout-writer.js';
import { writeBundleFile } from '../../../supply/bundle-file.js';
import { closureImages } from '../../../supply/closure-images.js';
import { fillLayout } from '../../../supply/fill-layout.js';
import { command } from '../../command.js';
import { EXIT } from '../../exit-code.js';
import { outFlag } from '../../flags/bundle-flags.js';
import { DEFAULT_LOCK, lockFlag } from '../../flags/lock-flag.js';
import { signaturesFlag } from '../../flags/source/mirror-flags.js';
import { BULK_TIMEOUT_S, timeoutFlag } from '../../flags/source/network-flags.js';
import { outputFlag } from '../../flags/output-flag.js';
import { openEach, sourceFlags } from '../../flags/source/source-flags.js';
import { BundleFolder } from '../../io/bundle/bundle-folder.js';
import { renderAgain } from '../../io/bundle/render-again.js';
import { isBundleFile } from '../../io/supply/bundle-tar.js';
import { keptIn, requireLock } from '../../io/lock-file.js';
import { withStagedLayout } from '../../io/supply/staged-layout.js';
import { withProgress } from '../../io/progress.js';
import { jsonDocument } from '../../output/json-document.js';
import { size } from '../../output/supply/images.js';

/** `bundle`: lockfile, rendered objects and whole images in one file, to be carried over a gap. */
export const bundleCommand = command({
  positionals: {
    file: { type: 'string', demandOption: true, describe: 'File to write: FILE.tar' },
  },
  flags: {
    ...signaturesFlag,
    ...sourceFlags,
    ...timeoutFlag(BULK_TIMEOUT_S),
    ...lockFlag('Lockfile to take along'),
    ...outFlag('Folder of the bundle, which says how it was rendered'),
    ...outputFlag,
  },
  examples: [
    ['$0 bundle platform.tar', 'all that is locked, in one file'],
    ['$0 mirror --from platform.tar --to mirror.example.org', 'on the other side'],
  ],
  epilogue:
    'The file is a tar of an OCI image layout, which oras, skopeo and crane read, with ' +
    '`xpkg.lock.yaml` and `rendered/` beside it. The same lockfile makes the same bytes.',
  run: async (args, io) => {
    if (!isBundleFile(args.file)) {
      throw new InputError(`\`${args.file}\`: the name of a bundle ends in \`.tar\``);
    }
    const lock = await requireLock(args, io);
    if (lock === undefined) return EXIT.lockMismatch;
    const { lockfile, text } = lock;
    const { rendering } = renderAgain(lockfile, {}, await BundleFolder.of(args, io));
    const texts = new Map([[DEFAULT_LOCK, text]]);
    for (const [name, content] of rendering.files) texts.set(`rendered/${name}`, content);
    const stats = noStats();
    const onImage = (reference: string) => {
      stats.latest = reference;
      stats.fetched += 1;
    };
    const sources = await openEach(args, io, stats, keptIn(lockfile, args.lock));
    const { concurrency, signatures } = args;
    const written = await withProgress(io, stats, async () => {
      const target = targetFor(lockfile.crossplane)!;
      const images = await closureImages(lockfile, 'bundled', { sources, target, concurrency });
      const bytes = await writeBundle(args.file, io.cwd, texts, (layout) =>
        fillLayout(images, layout, { concurrency, signatures, onImage }),
      );
      return { images: images.length, bytes };
    });
    if (args.output === 'json') io.out(jsonDocument({ file: args.file, ...written }));
    io.note(`wrote ${args.file}: ${written.images} images, ${size(written.bytes)}`);
    io.note(
      `on the other side: \`xpkg-resolve mirror --from ${args.file} --to REGISTRY\`; \`tar -xf ${args.file} ${DEFAULT_LOCK} rendered\` takes out what to apply`,
    );
    return EXIT.done;
  },
});

/** Fills a layout beside the file and makes the file of it; should anything fail, nothing is left. */
async function writeBundle(
  shown: string,
  project: string,
  texts: ReadonlyMap<string, string>,
  fill: (layout: LayoutWriter) => Promise<void>,
): Promise<number> {
  const path = resolve(project, shown);
  // A folder that is missing is a mistake in the name; none is made for it.
  await access(dirname(path)).catch((error: unknown) => {
    throw cannotWrite(shown, error);
  });
  const file = await outputPath(path, project).catch((error: unknown) => {
    throw isFileSystemError(error) ? cannotWrite(shown, error) : error;
  });
  const beside = `${file}.layout`;
  return withStagedLayout(beside, shown, async (layout) => {
    await fill(layout);
    await layout.seal('whole');
    const bytes = await writeBundleFile(file, layout.staging, texts);
    await removeFirmly(layout.staging);
    await removeAbandoned(dirname(beside), basename(beside));
    return bytes;
  });
}
