import { formatLockfile } from '../../../lock/format-lockfile.js';
import { InputError } from '../../../model/input-error.js';
import { artifactOf, type ArtifactFile } from '../../../image/artifact.js';
import { command } from '../../command.js';
import { EXIT } from '../../exit-code.js';
import { outFlag } from '../../flags/bundle-flags.js';
import { BundleFolder } from '../../io/bundle/bundle-folder.js';
import { renderAgain } from '../../io/bundle/render-again.js';
import { requireLock } from '../../io/lock-file.js';
import { lockFlag } from '../../flags/lock-flag.js';
import { BULK_TIMEOUT_S, networkFlags, timeoutFlag } from '../../flags/source/network-flags.js';
import { outputFlag } from '../../flags/output-flag.js';
import { pinFlags } from '../../flags/pin-flags.js';
import { pushArtifact } from '../../io/registry/push-artifact.js';
import { LOCK_TITLE } from '../../io/registry/registries.js';
import { renderingNotes } from '../../output/lock/rendering.js';

/** `push`: lockfile and bundle where a fleet can fetch them, `oras pull` included. */
export const pushCommand = command({
  positionals: {
    reference: {
      type: 'string',
      demandOption: true,
      describe: 'Where to: oci://REGISTRY/REPOSITORY:TAG',
    },
  },
  flags: {
    ...networkFlags,
    ...timeoutFlag(BULK_TIMEOUT_S),
    ...pinFlags,
    ...outFlag('Folder of the bundle, which says how it was rendered'),
    ...lockFlag('Lockfile to push'),
    ...outputFlag,
  },
  run: async (args, io) => {
    const lock = await requireLock(args, io);
    if (lock === undefined) return EXIT.lockMismatch;
    const { lockfile, text } = lock;
    if (formatLockfile(lockfile) !== text) {
      throw new InputError(`\`${args.lock}\` is not as \`xpkg-resolve resolve\` wrote it`, {
        hint: 'resolve again, and push what it writes',
      });
    }
    const rendered = renderAgain(lockfile, args, await BundleFolder.of(args, io));
    for (const line of renderingNotes(rendered, args.out)) io.note(line);
    const bundle = [...rendered.rendering.files].map(([name, content]) =>
      yaml(`rendered/${name}`, content),
    );
    const artifact = artifactOf('lock', [yaml(LOCK_TITLE, text), ...bundle]);
    io.out(await pushArtifact(args.reference, artifact, args, io));
    return EXIT.done;
  },
});

function yaml(title: string, text: string): ArtifactFile {
  return { title, mediaType: 'application/yaml', bytes: Buffer.from(text) };
}
