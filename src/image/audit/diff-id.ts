import { createHash } from 'node:crypto';
import { printable } from '../../text/printable.js';
import { SourceError } from '../../model/source-error.js';
import type { Descriptor } from '../descriptor.js';
import { undefinedIfOffline, isComplete, missingPart } from './missing-part.js';
import type { ImageRepository } from '../image-repository.js';
import { fieldsOf, listOf, parseJson, stringOf } from '../../text/json.js';
import { LIMITS, type Limits } from '../limits.js';
import type { ImageManifest } from '../manifest.js';
import { readLayer } from '../layer/read-layer.js';

/**
 * Checks layers against the diffIDs in the image's config.
 *
 * The digest of a layer is of its packed bytes, its diffID of the tar inside. A container runtime
 * refuses an image in which they disagree. Returns why they could not be compared; undefined: they
 * were, and agree.
 */
export async function checkDiffIds(
  repository: ImageRepository,
  { config, layers }: ImageManifest,
  checked: readonly Descriptor[],
  options: { readonly subject: string; readonly limits?: Limits | undefined },
): Promise<string | undefined> {
  const { subject, limits = LIMITS } = options;
  if (config.size > limits.configBytes) {
    const what = `its config is larger than ${limits.configBytes} bytes`;
    throw new SourceError('TOO_LARGE', subject, what);
  }
  const bytes = await undefinedIfOffline(repository.blob(config));
  if (bytes === undefined) {
    if (isComplete(repository)) throw missingPart(subject, `the config ${config.digest}`);
    return 'its config is not at hand, so diffIDs were not compared';
  }
  const diffIds = diffIdsIn(bytes);
  if (diffIds === undefined) return 'its config lists no diffIDs to compare';
  if (diffIds.length !== layers.length) {
    const what = `its config lists ${diffIds.length} layers, and its manifest ${layers.length}`;
    throw new SourceError('BAD_IMAGE', subject, what);
  }
  for (const [at, layer] of layers.entries()) {
    if (!checked.includes(layer)) continue;
    const got = await diffIdOf(repository, layer, options);
    if (got === diffIds[at]) continue;
    const what = `it contradicts itself: its config says that layer ${layer.digest} unpacks to ${printable(diffIds[at]!, 100)}, and it unpacks to ${got}`;
    throw new SourceError('BAD_IMAGE', subject, what, {
      hint: 'container runtimes refuse such an image: ask its publisher to build it anew',
    });
  }
  return undefined;
}

function diffIdsIn(config: Uint8Array): readonly string[] | undefined {
  const fields = fieldsOf(parseJson(config)?.value);
  const listed = listOf(fieldsOf(fields?.get('rootfs'))?.get('diff_ids'))?.map(stringOf);
  return listed?.every((text) => text !== undefined) === true ? listed : undefined;
}

async function diffIdOf(
  repository: ImageRepository,
  layer: Descriptor,
  { subject, limits = LIMITS }: { readonly subject: string; readonly limits?: Limits | undefined },
): Promise<string> {
  const got = await readLayer(repository, layer, { subject, limits }, async (tar) => {
    const hash = createHash('sha256');
    for await (const chunk of tar) hash.update(chunk);
    return `sha256:${hash.digest('hex')}`;
  });
  if (got === undefined) throw missingPart(subject, `the layer ${layer.digest}`);
  return got.value;
}
