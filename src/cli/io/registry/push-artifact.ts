import { InputError } from '../../../model/input-error.js';
import type { Artifact } from '../../../image/artifact.js';
import type { Io } from '../io.js';
import { parseOciPath } from './oci-path.js';
import { registriesFor, type RegistryArgs } from './registries.js';
import { jsonDocument } from '../../output/json-document.js';

/** Stores an artifact under a tag; returns what to print, its name by digest. */
export async function pushArtifact(
  text: string,
  artifact: Artifact,
  args: RegistryArgs & { readonly output?: 'text' | 'json' },
  io: Io,
): Promise<string> {
  const reference = parseOciPath(text);
  if (reference.digest !== undefined) {
    throw new InputError(`\`${text}\` names a digest, and what is pushed has its own`, {
      hint: 'name a tag: `oci://REGISTRY/REPOSITORY:TAG`',
    });
  }
  const registries = args.offline ? undefined : await registriesFor(args, io);
  if (registries === undefined) {
    throw new InputError('`--offline` forbids the network, so nothing is pushed');
  }
  await registries.push(reference, artifact);
  const { digest } = artifact.manifest;
  const pinned = `oci://${reference.name}@${digest}`;
  io.note(`pushed ${text}`);
  if (args.output !== 'json') return `${pinned}\n`;
  return jsonDocument({ reference: text, digest, pinned });
}
