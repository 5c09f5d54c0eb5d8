import { sha256 } from '../../base/digest.js';
import { InputError } from '../../base/errors.js';
import {
  lockFlag,
  outFlag,
  outputFlag,
  pinFlags,
  writeFlag,
} from '../../cli/arguments/common-flags.js';
import { readRequiredLock } from '../../cli/files/lock-file.js';
import { renderAgain, renderingNotes } from '../../cli/files/render-again.js';
import { BundleFolder } from '../../cli/files/rendered-folder.js';
import { defineCommand } from '../../cli/kit/command.js';
import { BULK_TIMEOUT_S, networkFlags, timeoutFlag } from '../../cli/sources/network-flags.js';
import { LOCK_TITLE, pushPlace } from '../../cli/sources/registries.js';
import { sourceDate } from '../../cli/terminal/environment.js';
import type { RunIo } from '../../cli/terminal/io.js';
import { type ArtifactFile, buildFluxArtifact } from '../../oci/image/artifact.js';
import { isFormatted } from '../../project/lockfile/format-lockfile.js';
import { pushNote, pushOutput, type PushValue } from './output.js';

/** `push`: stores lockfile and manifests at a registry, for `oras pull` and Flux. */
export const pushCommand = defineCommand({
  positionals: {
    reference: { demandOption: true, describe: 'Where to: oci://REGISTRY/REPOSITORY:TAG' },
  },
  flags: {
    ...networkFlags,
    ...timeoutFlag(BULK_TIMEOUT_S),
    ...pinFlags,
    ...outFlag('Folder of the bundle, which says how it was rendered'),
    ...lockFlag('Lockfile to push'),
    source: {
      describe: 'Where it comes from, such as the URL of a git repository, as an annotation',
    },
    revision: {
      describe: 'Its revision there, such as main@sha1:… (default: the digest of the lockfile)',
    },
    ...writeFlag,
    ...outputFlag,
  },
  examples: [
    ['$0 push oci://registry.example.org/platform/packages:prod', 'what is locked and rendered'],
  ],
  run: async (args, io): Promise<PushValue> => {
    const { lockfile, text } = await readRequiredLock(args, io);
    if (!isFormatted(text, lockfile)) {
      throw new InputError(`\`${args.lock}\` is not as \`xpkg-resolve resolve\` wrote it`, {
        hint: 'resolve again, and push what it writes',
      });
    }
    const rendered = renderAgain(lockfile, args, await BundleFolder.of(args, io));
    for (const line of renderingNotes(rendered, args)) io.note(line);
    const { files: content } = rendered.rendering;
    const single = content.size > MOST_SINGLE_FILES ? [] : [...content];
    const files = single.map(([name, file]) => yaml(`rendered/${name}`, file));
    const artifact = await buildFluxArtifact([yaml(LOCK_TITLE, text), ...files], {
      content,
      annotations: originOf(args, text, io),
    });
    const { reference, registries } = await pushPlace(args.reference, args, io);
    if (args.write) await registries.push(reference, artifact);
    const { digest } = artifact.manifest;
    return { reference: args.reference, digest, pinned: `oci://${reference.name}@${digest}` };
  },
  json: () => pushOutput,
  notes: (value, args) => [pushNote(value, args)],
  text: ({ pinned }) => [pinned],
});

/** Maximum number of single files in a manifest. With more, `oras pull` gets only the layer of the folder. */
const MOST_SINGLE_FILES = 50;

/** OCI annotations about the origin of an artifact; Flux shows them. */
function originOf(
  { source, revision }: Readonly<Record<'source' | 'revision', string | undefined>>,
  lockfile: string,
  io: RunIo,
): Readonly<Record<string, string>> {
  const date = sourceDate(io);
  return {
    ...(date !== undefined && { 'org.opencontainers.image.created': new Date(date).toISOString() }),
    ...(source !== undefined && { 'org.opencontainers.image.source': source }),
    'org.opencontainers.image.revision': revision ?? `${LOCK_TITLE}@${sha256(lockfile)}`,
  };
}

function yaml(title: string, text: string): ArtifactFile {
  return { title, mediaType: 'application/yaml', bytes: Buffer.from(text) };
}
