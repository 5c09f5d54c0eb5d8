import type { Artifact } from '../../../image/artifact.js';
import type { Io } from '../io.js';
import { pushPlace } from './push-place.js';
import type { RegistryArgs } from './registries.js';
import { jsonDocument } from '../../output/json-document.js';

/** Stores an artifact under a tag; returns what to print, its name by digest. */
export async function pushArtifact(
  text: string,
  artifact: Artifact,
  args: RegistryArgs & { readonly output?: 'text' | 'json' },
  io: Io,
): Promise<string> {
  const { reference, registries } = await pushPlace(text, args, io);
  await registries.push(reference, artifact);
  const { digest } = artifact.manifest;
  const pinned = `oci://${reference.name}@${digest}`;
  io.note(`pushed ${text}`);
  if (args.output !== 'json') return `${pinned}\n`;
  return jsonDocument({ reference: text, digest, pinned });
}
