import { formatLockfile } from '../../../lock/format-lockfile.js';
import { InputError } from '../../../model/input-error.js';
import type { ArtifactFile } from '../../../image/artifact.js';
import { fluxArtifactOf } from '../../../image/flux/flux-artifact.js';
import { sha256 } from '../../../text/digest.js';
import type { Io } from '../../io/io.js';
import { command } from '../../command.js';
import { EXIT } from '../../exit-code.js';
import { outFlag } from '../../flags/bundle-flags.js';
import { BundleFolder } from '../../io/bundle/bundle-folder.js';
import { renderAgain } from '../../io/bundle/render-again.js';
import { requireLock } from '../../io/lock-file.js';
import { sourceDate } from '../../io/source-date.js';
import { lockFlag } from '../../flags/lock-flag.js';
import { BULK_TIMEOUT_S, networkFlags, timeoutFlag } from '../../flags/source/network-flags.js';
import { outputFlag } from '../../flags/output-flag.js';
import { pinFlags } from '../../flags/pin-flags.js';
import { pushArtifact } from '../../io/registry/push-artifact.js';
import { LOCK_TITLE } from '../../io/registry/registries.js';
import { renderingNotes } from '../../output/lock/rendering.js';

/** `push`: lockfile and bundle where a fleet can fetch them, `oras pull` and Flux included. */
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
    source: {
      type: 'string',
      requiresArg: true,
      describe: 'Where it comes from, such as the URL of a git repository, as an annotation',
    },
    revision: {
      type: 'string',
      requiresArg: true,
      describe: 'Its revision there, such as main@sha1:… (default: the digest of the lockfile)',
    },
    ...outputFlag,
  },
  examples: [
    ['$0 push oci://registry.example.org/platform/packages:prod', 'what is locked and rendered'],
  ],
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
    for (const line of renderingNotes(rendered, args)) io.note(line);
    const { files: content } = rendered.rendering;
    const single = content.size > MOST_SINGLE_FILES ? [] : [...content];
    const files = single.map(([name, file]) => yaml(`rendered/${name}`, file));
    const artifact = await fluxArtifactOf([yaml(LOCK_TITLE, text), ...files], {
      content,
      annotations: originOf(args, text, io),
    });
    io.out(await pushArtifact(args.reference, artifact, args, io));
    return EXIT.done;
  },
});

/** Of more files, `oras pull` gets those in the folder's layer alone: a manifest lists only so many. */
const MOST_SINGLE_FILES = 50;

/** Where an artifact comes from, in the words of OCI; Flux shows it. */
function originOf(
  {
    source,
    revision,
  }: { readonly source?: string | undefined; readonly revision?: string | undefined },
  lockfile: string,
  io: Io,
): Readonly<Record<string, string>> {
  const date = sourceDate(io);
  const created = date === undefined ? undefined : new Date(date).toISOString();
  return {
    ...(created === undefined ? {} : { 'org.opencontainers.image.created': created }),
    ...(source === undefined ? {} : { 'org.opencontainers.image.source': source }),
    'org.opencontainers.image.revision': revision ?? `${LOCK_TITLE}@${sha256(lockfile)}`,
  };
}

function yaml(title: string, text: string): ArtifactFile {
  return { title, mediaType: 'application/yaml', bytes: Buffer.from(text) };
}
