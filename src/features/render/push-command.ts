import { sha256 } from '../../base/digest.js';
import { InputError } from '../../base/errors.js';
import {
  lockFlag,
  outFlag,
  outputFlag,
  pinFlags,
  writeFlag,
} from '../../cli/arguments/common-flags.js';
import { requireLock } from '../../cli/files/lock-file.js';
import { renderAgain, renderingNotes } from '../../cli/files/render-again.js';
import { BundleFolder } from '../../cli/files/rendered-folder.js';
import { command, EXIT, jsonDocument } from '../../cli/kit/command.js';
import { BULK_TIMEOUT_S, networkFlags, timeoutFlag } from '../../cli/sources/network-flags.js';
import { LOCK_TITLE, pushPlace, type RegistryArgs } from '../../cli/sources/registries.js';
import { sourceDate } from '../../cli/terminal/environment.js';
import type { Io } from '../../cli/terminal/io.js';
import type { Artifact, ArtifactFile } from '../../oci/image/artifact.js';
import { buildFluxArtifact } from '../../oci/image/flux-artifact.js';
import { isFormatted } from '../../project/lockfile/format-lockfile.js';

/** `push`: stores lockfile and manifests at a registry, for `oras pull` and Flux. */
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
      describe: 'Where it comes from, such as the URL of a git repository, as an annotation',
    },
    revision: {
      type: 'string',
      describe: 'Its revision there, such as main@sha1:… (default: the digest of the lockfile)',
    },
    ...writeFlag,
    ...outputFlag,
  },
  examples: [
    ['$0 push oci://registry.example.org/platform/packages:prod', 'what is locked and rendered'],
  ],
  run: async (args, io) => {
    const lock = await requireLock(args, io);
    if (lock === undefined) return EXIT.lockMismatch;
    const { lockfile, text } = lock;
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
    io.out(await pushArtifact(args.reference, artifact, args, io));
    return EXIT.done;
  },
});

/** Maximum number of single files in a manifest. With more, `oras pull` gets only the layer of the folder. */
const MOST_SINGLE_FILES = 50;

/** OCI annotations about the origin of an artifact; Flux shows them. */
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

/**
 * Stores an artifact under a tag; with `write` false nothing is sent. Returns what to print, its name
 * by digest.
 */
async function pushArtifact(
  text: string,
  artifact: Artifact,
  args: RegistryArgs & { readonly output?: 'text' | 'json'; readonly write: boolean },
  io: Io,
): Promise<string> {
  const { reference, registries } = await pushPlace(text, args, io);
  if (args.write) await registries.push(reference, artifact);
  const { digest } = artifact.manifest;
  const pinned = `oci://${reference.name}@${digest}`;
  io.note(`${args.write ? 'pushed' : 'would push'} ${text}`);
  if (args.output !== 'json') return `${pinned}\n`;
  return jsonDocument({ reference: text, digest, pinned });
}
