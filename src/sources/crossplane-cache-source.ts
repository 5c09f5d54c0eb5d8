import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { isAbsent } from '../files/error-code.js';
import { InputError } from '../model/input-error.js';
import { friendlyId, objectNameOf, revisionName } from '../model/name.js';
import type { Candidate } from '../model/package.js';
import { isDigest } from '../text/digest.js';
import type { FetchedPackage, PackageSource } from '../model/package-source.js';
import { joinReference } from '../model/reference.js';
import { SourceError } from '../model/source-error.js';
import type { Target } from '../model/target/target.js';
import { LIMITS } from '../image/limits.js';
import { unpack } from '../image/archive/unpack.js';
import { readHashed } from '../image/find-package-yaml.js';
import { inReadingTurn } from '../image/layer/reading-turn.js';
import { readPackageYaml } from '../package-yaml/read-package-yaml.js';
import { unreadable } from './unreadable.js';

/**
 * Crossplane's own package cache: package.yaml files, gzipped, named after image and digest.
 *
 * It has no tag lists. It answers for digests, and for a tag only where a pull policy of `Never` made
 * Crossplane name the file after it. Its files cannot be checked against the digest of an image.
 */
export async function openCrossplaneCache(folder: string, shown: string): Promise<PackageSource> {
  const found = await stat(folder).catch((error: unknown) => {
    throw unreadable(shown, error);
  });
  if (!found.isDirectory()) throw new InputError(`${shown}: not a folder`);
  return {
    tags: async () => undefined,
    fetch: async (candidate, target) => {
      for (const id of idsOf(candidate, target)) {
        const path = join(folder, fileOf(id));
        const size = await sizeOf(path, shown);
        if (size !== undefined) return fetched(path, size, candidate, `${shown}/${fileOf(id)}`);
      }
      return undefined;
    },
  };
}

/** Names that Crossplane releases have given the file, newest first. */
function idsOf({ repository, version }: Candidate, target: Target): readonly string[] {
  const literal = joinReference(repository, version);
  if (!isDigest(version)) return [literal];
  return [
    friendlyId(repository, version),
    revisionName(objectNameOf(repository, target), version),
    literal,
  ];
}

/** Crossplane drops what follows the last dot as an extension, be it the patch number of a tag. */
function fileOf(id: string): string {
  return `${id.slice(0, id.length - extname(id).length)}.gz`;
}

/** undefined: there is no such file. */
async function sizeOf(file: string, shown: string): Promise<number | undefined> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw unreadable(shown, error);
  }
}

async function fetched(
  path: string,
  size: number,
  { version }: Candidate,
  file: string,
): Promise<FetchedPackage> {
  const limits = { ...LIMITS, unpackedBytes: LIMITS.packageYamlBytes };
  const packed = { chunks: readableChunks(path, file), size };
  const read = await inReadingTurn(() =>
    readHashed(unpack(packed, file, limits), readPackageYaml, { subject: file }),
  );
  if (read.size === 0) throw new SourceError('BAD_SOURCE', file, 'it is empty');
  const exact = isDigest(version);
  return {
    contents: read.value,
    digest: exact ? version : undefined,
    packageYaml: read.digest,
    notes: [
      exact
        ? `\`${file}\` is taken for ${version} by its name alone: a package cache cannot be checked against a digest`
        : `\`${file}\` is taken for ${version} by its name, from which Crossplane drops what follows the last dot`,
    ],
  };
}

async function* readableChunks(path: string, shown: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path);
  } catch (error) {
    throw unreadable(shown, error);
  }
}
