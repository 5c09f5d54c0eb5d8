import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { undefinedIfAbsent, readError } from '../../base/files/file-system.js';
import { InputError, SourceError } from '../../base/errors.js';
import { friendlyId, objectNameOf } from '../../crossplane/packages/object-names.js';
import type { Candidate } from '../../crossplane/packages/package.js';
import { isDigest } from '../../base/digest.js';
import type { FetchedPackage, PackageSource } from '../package-source.js';
import { joinReference } from '../../crossplane/packages/reference.js';
import { LIMITS } from '../../oci/image/limits.js';
import { decompressLayer } from '../../oci/archive/unpack.js';
import { withReaderTurn, readWithDigest } from '../../oci/image/read-package.js';
import { readPackageYaml } from '../../crossplane/package-yaml/read-package-yaml.js';
import type { ReleaseRules } from '../../crossplane/releases/release-facts.js';
import { openXpkgSource } from './image-source.js';

/**
 * Opens Crossplane's own package cache: gzipped package.yaml files, named after image and digest.
 *
 * It has no tag lists. It finds digests, and a tag only if the pull policy `Never` made Crossplane
 * name the file after it. Its files cannot be verified against the digest of an image.
 */
export async function openCrossplaneCache(folder: string, shown: string): Promise<PackageSource> {
  const stats = await stat(folder).catch((error: unknown) => {
    throw readError(shown, error);
  });
  if (!stats.isDirectory()) throw new InputError(`${shown}: not a folder`);
  return {
    tags: async () => undefined,
    fetch: async (candidate, target) => {
      for (const id of fileIds(candidate, target)) {
        const path = join(folder, fileName(id));
        const size = await sizeOf(path, shown);
        if (size !== undefined)
          return readCached(path, size, candidate, `${shown}/${fileName(id)}`);
      }
      return readXpkg(folder, shown, candidate, target);
    },
  };
}

/** The tag of a reference without one. */
const UNTAGGED = 'latest';

/** Reads an untagged package from a `.xpkg` file, as in caches of older Crossplane releases. */
async function readXpkg(
  folder: string,
  shown: string,
  candidate: Candidate,
  target: ReleaseRules,
): Promise<FetchedPackage | undefined> {
  const { repository, version: tag } = candidate;
  const name = `${repository}.xpkg`;
  const path = join(folder, name);
  if (tag !== UNTAGGED || (await sizeOf(path, shown)) === undefined) return undefined;
  const file = `${shown}/${name}`;
  const source = await openXpkgSource(path, { shown: file, repository, tag });
  const found = await source.fetch(candidate, target);
  const note = `\`${file}\` is taken for \`${repository}\` by its name; Crossplane opens \`${fileName(repository)}\`, which \`crossplane xpkg extract --from-xpkg\` makes of it`;
  return found && { ...found, notes: [...(found.notes ?? []), note] };
}

function fileIds({ repository, version }: Candidate, target: ReleaseRules): readonly string[] {
  const literal = joinReference(repository, version);
  if (version === UNTAGGED) return [literal, repository];
  if (!isDigest(version)) return [literal];
  return [
    friendlyId(repository, version),
    friendlyId(objectNameOf(repository, target), version.slice('sha256:'.length)),
    literal,
  ];
}

/** Crossplane removes everything after the last dot, even the patch number of a tag. */
function fileName(id: string): string {
  return `${id.slice(0, id.length - extname(id).length)}.gz`;
}

async function sizeOf(file: string, shown: string): Promise<number | undefined> {
  const stats = await undefinedIfAbsent(stat(file)).catch((error: unknown) => {
    throw readError(shown, error);
  });
  return stats?.size;
}

async function readCached(
  path: string,
  size: number,
  { version }: Candidate,
  file: string,
): Promise<FetchedPackage> {
  const limits = { ...LIMITS, unpackedBytes: LIMITS.packageYamlBytes };
  const packed = { chunks: readableChunks(path, file), size };
  const read = await withReaderTurn(() =>
    readWithDigest(decompressLayer(packed, file, limits), readPackageYaml, { subject: file }),
  );
  if (read.size === 0) throw new SourceError('BAD_SOURCE', file, 'it is empty');
  const taken = `\`${file}\` is taken for ${version} by its name`;
  const isExact = isDigest(version);
  const note = isExact
    ? `${taken} alone: a package cache cannot be checked against a digest`
    : `${taken}, from which Crossplane drops what follows the last dot`;
  return {
    contents: read.value,
    digest: isExact ? version : undefined,
    packageYaml: read.digest,
    notes: [note],
  };
}

async function* readableChunks(path: string, shown: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path);
  } catch (error) {
    throw readError(shown, error);
  }
}
