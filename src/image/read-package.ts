import { posix } from 'node:path';
import type { Digest } from '../text/digest.js';
import { printable } from '../text/printable.js';
import { SourceError } from '../model/source-error.js';
import type { TargetRules } from '../model/target/target.js';
import type { Descriptor } from './descriptor.js';
import { FlattenedFiles } from './flattened-files.js';
import type { ImageRepository } from './image-repository.js';
import { LIMITS, type Limits } from './limits.js';
import type { LocatedPackage } from './locate-package.js';
import {
  findPackageYaml,
  isPackageYaml,
  noteOthers,
  PACKAGE_YAML,
  readHashed,
  type FoundPackageYaml,
  type ContentReader,
  type TakenEntries,
} from './find-package-yaml.js';
import type { Packing } from './archive/unpack.js';
import { NotATar, tarEntries, type TarEntry } from './archive/tar-entries.js';
import { readLayer } from './layer/read-layer.js';

/** What an image holds for a target; `refused`: it is intact, and the target would not install it. */
export type ReadPackage<T> =
  | {
      readonly status: 'read';
      readonly value: T;
      /** Of the bytes of package.yaml; undefined: the package is one of many files. */
      readonly packageYaml: Digest | undefined;
      /** undefined: the image had to be flattened. */
      readonly baseLayer: Digest | undefined;
      readonly notes: readonly string[];
      /** How the layers that were read are packed, each once; sorted. */
      readonly packings: readonly Packing[];
    }
  | { readonly status: 'refused'; readonly why: string };

/** Reads a package that is kept in many files, which come in the order of the layers. */
export interface FilesReader<T> {
  /** Whether a file, by its path in the image, is part of such a package. */
  takes(path: string): boolean;
  /** Called with each file once; may stop reading before its end. */
  add(path: string, content: AsyncIterable<Uint8Array>): Promise<void>;
  /** undefined: no file of such a package came. */
  readonly value: T | undefined;
}

type Rules = Pick<TargetRules, 'tarEntry'>;

interface ReadOptions<T> {
  readonly read: ContentReader<T>;
  /** Reads an image without package.yaml; undefined: such an image is refused. */
  readonly files?: FilesReader<T> | undefined;
  readonly limits?: Limits | undefined;
}

/** Reads package.yaml from where it was located: one layer, unless none is marked. */
export async function readPackage<T>(
  repository: ImageRepository,
  located: LocatedPackage,
  rules: Rules,
  options: ReadOptions<T>,
): Promise<ReadPackage<T>> {
  const { at } = located;
  const packings = new Set<Packing>();
  const context = { ...options, repository, packings, limits: options.limits ?? LIMITS };
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

interface Context<T> extends ReadOptions<T> {
  readonly repository: ImageRepository;
  readonly limits: Limits;
  /** Of the layers read so far. */
  readonly packings: Set<Packing>;
}

async function fromLayer<T>(
  layer: Descriptor,
  rules: Rules,
  context: Context<T>,
  located: LocatedPackage,
): Promise<ReadPackage<T>> {
  const found = await inLayer(layer, context, { taken: isPackageYaml(rules) });
  if (found === undefined) {
    return {
      status: 'refused',
      why: `the layer marked as base holds no package.yaml${platformHint(located)}`,
    };
  }
  return read(found, layer.digest, { notes: noteOthers(found), packings: context.packings });
}

/** Reads layers from the top down, until package.yaml is found. */
async function fromFlattened<T>(
  layers: readonly Descriptor[],
  rules: Rules,
  context: Context<T>,
  located: LocatedPackage,
): Promise<ReadPackage<T>> {
  const { repository, files } = context;
  const entries = flattened(`${repository.name}@${located.digest}`, rules, context);
  let bytes = 0;
  for (const [index, layer] of [...layers].reverse().entries()) {
    const found = await inLayer(layer, context, entries);
    bytes += layer.size;
    if (found !== undefined) {
      const notes = [unmarked(index + 1, bytes), ...noteOthers(found)];
      return read(found, undefined, { notes, packings: context.packings });
    }
  }
  const value = files?.value;
  if (value !== undefined) {
    const packings = [...context.packings].sort();
    return {
      status: 'read',
      value,
      packageYaml: undefined,
      baseLayer: undefined,
      notes: [],
      packings,
    };
  }
  return {
    status: 'refused',
    why: `no layer is marked \`io.crossplane.xpkg: base\`, and none holds package.yaml${platformHint(located)}`,
  };
}

/** What entries of layers are taken for, the top layer first: what an upper one hides, for nothing. */
function flattened<T>(
  subject: string,
  { tarEntry }: Rules,
  { files, limits }: Context<T>,
): TakenEntries {
  const all = new FlattenedFiles(subject, limits);
  const shown = new WeakSet<TarEntry>();
  return {
    taken: (entry) => {
      if (!all.shows(entry)) return false;
      shown.add(entry);
      const named = tarEntry === 'exact' ? entry.path : posix.basename(entry.path);
      return named === PACKAGE_YAML;
    },
    beside: async (entry) => {
      const { path, type, content } = entry;
      if (files?.takes(path) !== true || type !== 'file' || !shown.has(entry)) return;
      await readHashed(content, (stream) => files.add(path, stream), { subject, limits });
    },
  };
}

function read<T>(
  found: FoundPackageYaml<T>,
  baseLayer: Digest | undefined,
  { notes, packings }: { readonly notes: readonly string[]; readonly packings: Set<Packing> },
): ReadPackage<T> {
  return {
    status: 'read',
    value: found.value,
    packageYaml: found.digest,
    baseLayer,
    notes,
    packings: [...packings].sort(),
  };
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
  { repository, limits, read, packings }: Context<T>,
  entries: TakenEntries,
): Promise<FoundPackageYaml<T> | undefined> {
  const subject = `${repository.name}@${layer.digest}`;
  const note = (packing: Packing) => void packings.add(packing);
  const found = await readLayer(repository, layer, { subject, limits, note }, (tar) =>
    findPackageYaml(tarEntries(tar, subject, limits), read, { ...entries, subject, limits }),
  );
  if (found !== undefined) return found.value;
  const what = 'the manifest names this layer, and it is not there';
  throw new SourceError('BAD_IMAGE', subject, what);
}
