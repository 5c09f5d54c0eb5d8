import type { Digest } from '../text/digest.js';
import { printable } from '../text/printable.js';
import { SourceError } from '../model/source-error.js';
import type { TargetRules } from '../model/target/target.js';
import type { ExpectedBlob } from './blob.js';
import type { Descriptor } from './descriptor.js';
import { FlattenedFiles } from './flattened-files.js';
import type { ImageRepository } from './image-repository.js';
import { LIMITS, type Limits } from './limits.js';
import type { LocatedPackage } from './locate-package.js';
import {
  findPackageYaml,
  isPackageYaml,
  noteOthers,
  type FoundPackageYaml,
  type ContentReader,
} from './find-package-yaml.js';
import { NotATar, tarEntries } from './archive/tar-entries.js';
import { unpack } from './archive/unpack.js';

/** What an image holds for a target; `refused`: it is intact, and the target would not install it. */
export type ReadPackage<T> =
  | {
      readonly status: 'read';
      readonly value: T;
      /** Of the bytes of package.yaml. */
      readonly packageYaml: Digest;
      /** undefined: the image had to be flattened. */
      readonly baseLayer: Digest | undefined;
      readonly notes: readonly string[];
    }
  | { readonly status: 'refused'; readonly why: string };

type Rules = Pick<TargetRules, 'tarEntry'>;

/** Reads package.yaml from where it was located: one layer, unless none is marked. */
export async function readPackage<T>(
  repository: ImageRepository,
  located: LocatedPackage,
  rules: Rules,
  options: { readonly read: ContentReader<T>; readonly limits?: Limits | undefined },
): Promise<ReadPackage<T>> {
  const { at } = located;
  const context = { repository, limits: options.limits ?? LIMITS, read: options.read };
  if (at.place === 'refused') return { status: 'refused', why: at.why };
  if (at.place === 'layer') return fromLayer(at.layer, rules, context, located);
  try {
    return await fromFlattened(at.layers, rules, context, located);
  } catch (error) {
    // `oras push` gives every file the media type of a tar, unless told otherwise.
    if (at.artifact === undefined || !(error instanceof NotATar)) throw error;
    const why = `it is no package but an artifact (\`${printable(at.artifact)}\`)`;
    return { status: 'refused', why };
  }
}

interface Context<T> {
  readonly repository: ImageRepository;
  readonly limits: Limits;
  readonly read: ContentReader<T>;
}

async function fromLayer<T>(
  layer: Descriptor,
  rules: Rules,
  context: Context<T>,
  located: LocatedPackage,
): Promise<ReadPackage<T>> {
  const found = await inLayer(layer, context, isPackageYaml(rules));
  if (found === undefined) {
    return {
      status: 'refused',
      why: `the layer marked as base holds no package.yaml${platformHint(located)}`,
    };
  }
  return read(found, layer.digest, noteOthers(found));
}

/** Reads layers from the top down, until package.yaml is found or cannot be found any more. */
async function fromFlattened<T>(
  layers: readonly Descriptor[],
  rules: Rules,
  context: Context<T>,
  located: LocatedPackage,
): Promise<ReadPackage<T>> {
  const files = new FlattenedFiles(rules);
  let bytes = 0;
  for (const [index, layer] of [...layers].reverse().entries()) {
    const found = await inLayer(layer, context, (entry) => files.showsPackageYaml(entry));
    bytes += layer.size;
    if (found !== undefined) {
      return read(found, undefined, [unmarked(index + 1, bytes), ...noteOthers(found)]);
    }
    if (files.decided) break;
  }
  return {
    status: 'refused',
    why: `no layer is marked \`io.crossplane.xpkg: base\`, and none holds package.yaml${platformHint(located)}`,
  };
}

function read<T>(
  found: FoundPackageYaml<T>,
  baseLayer: Digest | undefined,
  notes: readonly string[],
): ReadPackage<T> {
  return { status: 'read', value: found.value, packageYaml: found.digest, baseLayer, notes };
}

function unmarked(layers: number, bytes: number): string {
  const read = layers === 1 ? 'the top layer' : `${layers} layers`;
  return `no layer is marked \`io.crossplane.xpkg: base\`, so ${read} (${bytes} bytes) had to be read; \`docker pull\` and \`docker push\` lose the mark, and so does what converts manifests: copy with \`crane copy\` or \`oras copy -r\`, from registry to registry`;
}

function platformHint({ platformless }: LocatedPackage): string {
  return platformless
    ? ' (the index lists a child without a platform first, and Crossplane takes such a child for the package)'
    : '';
}

async function inLayer<T>(
  layer: Descriptor,
  { repository, limits, read }: Context<T>,
  taken: Parameters<typeof findPackageYaml>[2]['taken'],
): Promise<FoundPackageYaml<T> | undefined> {
  const subject = `${repository.name}@${layer.digest}`;
  const bytes = await blobOf(repository, layer, subject);
  const entries = tarEntries(unpack(bytes, subject, limits), subject, limits);
  return findPackageYaml(entries, read, { taken, subject, limits });
}

async function blobOf(
  repository: ImageRepository,
  expected: ExpectedBlob,
  subject: string,
): Promise<Uint8Array> {
  const bytes = await repository.blob(expected);
  if (bytes !== undefined) return bytes;
  const what = 'the manifest names this layer, and it is not there';
  throw new SourceError('BAD_IMAGE', subject, what);
}
