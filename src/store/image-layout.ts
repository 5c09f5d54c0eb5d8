import type { Repository } from '../model/package.js';
import { isDigest, type Digest } from '../text/digest.js';
import { printable } from '../text/printable.js';
import { isTag, splitPackageReference } from '../model/reference.js';
import { SourceError } from '../model/source-error.js';
import { FileBlob } from './file-blob.js';
import { annotationsFrom, descriptorFrom, type Descriptor } from '../image/descriptor.js';
import type { FileTree } from './file-tree.js';
import type { ImageRepository } from '../image/image-repository.js';
import { subjectOf } from '../image/manifest.js';
import { fieldsOf, listOf, parseJson } from '../text/json.js';
import { LIMITS } from '../image/limits.js';

/** An OCI image layout: images by repository and tag. */
interface ImageLayout {
  readonly repositories: ReadonlyMap<Repository, ImageRepository>;
  /** Names of entries that do not say which repository they belong to. */
  readonly unnamed: readonly string[];
}

/** The repository of images whose name in the layout is a tag, or that have no name. */
export interface LayoutName {
  readonly repository: Repository;
  /** Tag of the only image of a layout, where it has no name. */
  readonly tag: string | undefined;
}

export const REF_NAME = 'org.opencontainers.image.ref.name';
const CONTAINERD_NAME = 'io.containerd.image.name';

/** Marks the index of a layout that holds only what resolving reads. */
export const PARTIAL_ANNOTATION = { 'dev.xpkg-resolve.extent': 'needed' };

/** Reads the index of a layout; images are read on demand. */
export async function openLayout(
  tree: FileTree,
  name: LayoutName | undefined,
): Promise<ImageLayout> {
  const { descriptors, partial } = await indexOf(tree);
  const tags = new Map<Repository, Map<string, Descriptor>>();
  const unnamed: string[] = [];
  for (const descriptor of descriptors) {
    const at = placeOf(descriptor, name, descriptors.length === 1);
    if (at === undefined) {
      unnamed.push(printable(writtenName(descriptor) ?? descriptor.digest));
      continue;
    }
    const versions = tags.get(at.source) ?? new Map<string, Descriptor>();
    tags.set(at.source, versions);
    const other = versions.get(at.version);
    if (other !== undefined && other.digest !== descriptor.digest) {
      const what = `\`index.json\` names two images \`${printable(`${at.source}:${at.version}`)}\``;
      throw new SourceError('BAD_SOURCE', tree.shown, what);
    }
    versions.set(at.version, descriptor);
  }
  const repositories = new Map(
    [...tags].map(([source, versions]) => [
      source,
      repositoryIn(tree, source, { versions, partial }),
    ]),
  );
  return { repositories, unnamed };
}

interface LayoutIndex {
  readonly descriptors: readonly Descriptor[];
  readonly partial: boolean;
}

async function indexOf(tree: FileTree): Promise<LayoutIndex> {
  const bytes = await tree.read('index.json', LIMITS.tagPageBytes);
  if ((await tree.size('oci-layout')) === undefined || bytes === undefined) {
    throw new SourceError(
      'BAD_SOURCE',
      tree.shown,
      'not an OCI image layout: it lacks `oci-layout` or `index.json`',
    );
  }
  const fields = fieldsOf(parseJson(bytes)?.value);
  const descriptors = listOf(fields?.get('manifests'))?.map((value) => descriptorFrom(value));
  if (descriptors === undefined || !descriptors.every((found) => found !== undefined)) {
    throw new SourceError('BAD_SOURCE', tree.shown, '`index.json` is not an OCI image index');
  }
  const annotations = annotationsFrom(fields?.get('annotations'));
  const partial = Object.entries(PARTIAL_ANNOTATION).every(
    ([key, value]) => annotations.get(key) === value,
  );
  return { descriptors, partial };
}

function writtenName({ annotations }: Descriptor): string | undefined {
  return annotations.get(REF_NAME) ?? annotations.get(CONTAINERD_NAME);
}

/** The digest by which a layout names an image; undefined: it has a tag. */
function writtenDigest(descriptor: Descriptor): string | undefined {
  return writtenName(descriptor)?.split('@')[1];
}

function placeOf(
  descriptor: Descriptor,
  name: LayoutName | undefined,
  alone: boolean,
): { readonly source: Repository; readonly version: string } | undefined {
  const names = [REF_NAME, CONTAINERD_NAME].map((key) => descriptor.annotations.get(key));
  const full = names.find((text) => text?.includes('/') === true);
  if (full !== undefined) return splitPackageReference(full);
  const [tag] = names;
  if (name === undefined || (tag !== undefined && !isTag(tag))) return undefined;
  if (alone && name.tag !== undefined) return { source: name.repository, version: name.tag };
  return { source: name.repository, version: tag ?? descriptor.digest };
}

function repositoryIn(
  tree: FileTree,
  name: string,
  { versions, partial }: { versions: ReadonlyMap<string, Descriptor>; partial: boolean },
): ImageRepository {
  const blobIn = (expected: { digest: Digest; size: number | undefined }) =>
    new FileBlob(tree, blobPath(expected.digest), expected);
  return {
    name: `${tree.shown} (${name})`,
    partial,
    tags: async () => [...versions.keys()].filter((version) => !isDigest(version)),
    manifest: async (reference) => {
      const named = versions.get(reference);
      const digest = named?.digest ?? (isDigest(reference) ? reference : undefined);
      if (digest === undefined) return undefined;
      const bytes = await blobIn({ digest, size: named?.size }).bytes(LIMITS.manifestBytes);
      if (bytes !== undefined || named === undefined) return bytes && { digest, bytes };
      const what = `\`index.json\` names \`${blobPath(digest)}\`, which is not there`;
      throw new SourceError('BAD_SOURCE', tree.shown, what);
    },
    referrers: async (digest) => {
      const kept = [...versions.values()].filter((one) => isDigest(writtenDigest(one) ?? ''));
      const about: Descriptor[] = [];
      for (const one of kept) {
        const bytes = await blobIn(one).bytes(LIMITS.manifestBytes);
        if (bytes && subjectOf({ digest: one.digest, bytes }) === digest) about.push(one);
      }
      return about;
    },
    blob: (expected) => blobIn(expected).bytes(LIMITS.layerBytes),
    copyBlob: (expected, to) => blobIn(expected).copy(to),
    openBlob: (expected) => blobIn(expected).open(LIMITS.layerBytes),
  };
}

function blobPath(digest: Digest): string {
  return `blobs/${digest.replace(':', '/')}`;
}
