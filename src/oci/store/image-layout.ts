import { getOrCreate } from '../../base/collections.js';
import type { Repository } from '../../crossplane/packages/package.js';
import { isDigest, type Digest } from '../../base/digest.js';
import { printable } from '../../base/escape.js';
import { isTag, splitPackageReference } from '../../crossplane/packages/reference.js';
import { SourceError } from '../../base/errors.js';
import { fileBlob, type FileTree } from './file-tree.js';
import { parseAnnotations, parseDescriptor, type Descriptor } from '../image/descriptor.js';
import type { ImageRepository } from '../image/image-repository.js';
import { readManifestFields, manifestSubject } from '../image/manifest.js';
import { listOf } from '../../base/json.js';
import { LIMITS } from '../image/limits.js';

/** The repository of images whose name is only a tag or missing. */
export interface LayoutName {
  readonly repository: Repository;
  /** Tag for the only image of a layout, if it has no name. */
  readonly tag: string | undefined;
}

export const REF_NAME = 'org.opencontainers.image.ref.name';
const CONTAINERD_NAME = 'io.containerd.image.name';

/** Annotation of a layout that has only what the resolver reads. */
export const PARTIAL_ANNOTATION = { 'dev.xpkg-resolve.extent': 'needed' };

/** Reads the index of a layout. `unnamed` has the entries without a repository. */
export async function openLayout(tree: FileTree, name: LayoutName | undefined) {
  const { descriptors, partial } = await readIndex(tree);
  const tags = new Map<Repository, Map<string, Descriptor>>();
  const unnamed: string[] = [];
  for (const descriptor of descriptors) {
    const at = imageCandidate(descriptor, name, descriptors.length === 1);
    if (at === undefined) {
      unnamed.push(printable(imageName(descriptor) ?? descriptor.digest));
      continue;
    }
    const versions = getOrCreate(tags, at.source, () => new Map<string, Descriptor>());
    const other = versions.get(at.version);
    if (other !== undefined && other.digest !== descriptor.digest) {
      const what = `\`index.json\` names two images \`${printable(`${at.source}:${at.version}`)}\``;
      throw new SourceError('BAD_SOURCE', tree.shown, what);
    }
    versions.set(at.version, descriptor);
  }
  const repositories = Array.from(
    tags,
    ([source, versions]) => [source, repositoryIn(tree, source, { versions, partial })] as const,
  );
  return { repositories: new Map(repositories), unnamed };
}

/** Reads the fields of `index.json`. Returns undefined if there is no such file. */
export async function readIndexFields(
  tree: FileTree,
): Promise<ReadonlyMap<string, unknown> | undefined> {
  const bytes = await tree.read('index.json', LIMITS.tagPageBytes);
  const fields = bytes && readManifestFields(bytes);
  if (fields === undefined || !('problem' in fields)) return fields;
  throw new SourceError('BAD_SOURCE', tree.shown, `\`index.json\` ${fields.problem}`);
}

async function readIndex(tree: FileTree) {
  const exists = (await tree.size('oci-layout')) !== undefined;
  const fields = exists ? await readIndexFields(tree) : undefined;
  const bad = (what: string) => new SourceError('BAD_SOURCE', tree.shown, what);
  if (fields === undefined) {
    throw bad('not an OCI image layout: it lacks `oci-layout` or `index.json`');
  }
  const descriptors = listOf(fields.get('manifests'))?.map(parseDescriptor);
  if (descriptors === undefined || !descriptors.every((found) => found !== undefined)) {
    throw bad('`index.json` is not an OCI image index');
  }
  const annotations = parseAnnotations(fields.get('annotations'));
  const partial = Object.entries(PARTIAL_ANNOTATION).every(
    ([key, value]) => annotations.get(key) === value,
  );
  return { descriptors, partial };
}

function imageName({ annotations }: Descriptor): string | undefined {
  return annotations.get(REF_NAME) ?? annotations.get(CONTAINERD_NAME);
}

function imageCandidate(
  descriptor: Descriptor,
  name: LayoutName | undefined,
  alone: boolean,
): { readonly source: Repository; readonly version: string } | undefined {
  const names = [REF_NAME, CONTAINERD_NAME].map((key) => descriptor.annotations.get(key));
  const fullName = names.find((text) => text?.includes('/') === true);
  if (fullName !== undefined) return splitPackageReference(fullName);
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
    fileBlob(tree, blobPath(expected.digest), expected);
  return {
    name: `${tree.shown} (${name})`,
    partial,
    tags: async () => [...versions.keys()].filter((version) => !isDigest(version)),
    manifest: async (reference) => {
      const entry = versions.get(reference);
      const digest = entry?.digest ?? (isDigest(reference) ? reference : undefined);
      if (digest === undefined) return undefined;
      const bytes = await blobIn({ digest, size: entry?.size }).bytes(LIMITS.manifestBytes);
      if (bytes !== undefined || entry === undefined) return bytes && { digest, bytes };
      const what = `\`index.json\` names \`${blobPath(digest)}\`, which is not there`;
      throw new SourceError('BAD_SOURCE', tree.shown, what);
    },
    referrers: async (digest) => {
      // The name of an untagged image ends with its digest.
      const untagged = [...versions.values()].filter((one) =>
        isDigest(imageName(one)?.split('@')[1] ?? ''),
      );
      const referring: Descriptor[] = [];
      for (const one of untagged) {
        const bytes = await blobIn(one).bytes(LIMITS.manifestBytes);
        if (bytes && manifestSubject({ digest: one.digest, bytes }) === digest) referring.push(one);
      }
      return referring;
    },
    blob: (expected) => blobIn(expected).bytes(LIMITS.layerBytes),
    copyBlob: (expected, to) => blobIn(expected).copy(to),
    openBlob: (expected) => blobIn(expected).open(LIMITS.layerBytes),
  };
}

function blobPath(digest: Digest): string {
  return `blobs/${digest.replace(':', '/')}`;
}
