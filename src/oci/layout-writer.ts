import { randomBytes } from 'node:crypto';
import { existsSync, renameSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { byCodePoint } from '../model/code-point-order.js';
import { InputError } from '../model/input-error.js';
import type { Digest } from '../model/package.js';
import { syncFolder, writeAtomically } from './atomic-file.js';
import { MEDIA_TYPE } from './descriptor.js';
import type { StoredManifest } from './image-repository.js';
import { REF_NAME } from './image-layout.js';
import { fieldsOf, parseJson, stringOf } from './json-shape.js';
import { codeOf } from './transport.js';

/** For whomever the user's own settings let in: a layout is made to be handed on. */
const SHARED = 0o666;

/**
 * Writes an OCI image layout beside the folder it is to become.
 *
 * The folder is there with everything in it, or as it was before. The same images make the same
 * bytes, in whichever order they come.
 */
export class LayoutWriter {
  readonly #folder: string;
  /** Where it is until it is finished; to be removed if it never is. */
  readonly staging: string;
  readonly #written = new Map<Digest, Promise<number>>();
  readonly #named = new Map<string, object>();

  private constructor(folder: string, staging: string) {
    this.#folder = folder;
    this.staging = staging;
  }

  /** Refuses a folder that holds anything but a layout. */
  static async open(folder: string, shown: string): Promise<LayoutWriter> {
    const names = await namesIn(folder, shown);
    if (names.length > 0 && !names.includes('oci-layout')) {
      throw new InputError(`\`${shown}\` holds files, and is no OCI image layout`, {
        hint: 'name a folder that does not exist, is empty, or was written by `vendor`',
      });
    }
    const staging = join(
      dirname(folder),
      `.${basename(folder)}.${randomBytes(6).toString('hex')}.new`,
    );
    await mkdir(join(staging, 'blobs', 'sha256'), { recursive: true });
    return new LayoutWriter(folder, staging);
  }

  async blob(digest: Digest, bytes: Uint8Array): Promise<void> {
    const writing = this.#written.get(digest) ?? this.#write(digest, bytes);
    this.#written.set(digest, writing);
    await writing;
  }

  async #write(digest: Digest, bytes: Uint8Array): Promise<number> {
    await writeAtomically(join(this.staging, 'blobs', ...digest.split(':')), bytes, SHARED);
    return bytes.length;
  }

  /** Gives an image its name; `reference` is all of it, registry included. */
  name(reference: string, manifest: StoredManifest): void {
    this.#named.set(reference, {
      mediaType: mediaTypeOf(manifest),
      digest: manifest.digest,
      size: manifest.bytes.length,
      annotations: { [REF_NAME]: reference },
    });
  }

  /** Puts the layout in its place; says how many bytes of blobs it holds. */
  async finish(): Promise<number> {
    const names = [...this.#named.keys()].sort(byCodePoint);
    const index = {
      schemaVersion: 2,
      mediaType: MEDIA_TYPE.ociIndex,
      manifests: names.map((name) => this.#named.get(name)),
    };
    const write = (name: string, value: object) =>
      writeFile(join(this.staging, name), JSON.stringify(value), { flush: true });
    await write('oci-layout', { imageLayoutVersion: '1.0.0' });
    await write('index.json', index);
    await syncFolder(this.staging);
    await replaceFolder(this.#folder, this.staging);
    const sizes = await Promise.all(this.#written.values());
    return sizes.reduce((sum, size) => sum + size, 0);
  }
}

async function namesIn(folder: string, shown: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw new InputError(`\`${shown}\` cannot be written: ${codeOf(error)}`, { cause: error });
  }
}

/**
 * A folder with something in it cannot be renamed over: the old one steps aside first. Without a
 * pause between the two, in which a signal could end the process.
 */
async function replaceFolder(folder: string, fresh: string): Promise<void> {
  const old = `${fresh}.old`;
  const stood = existsSync(folder);
  if (stood) renameSync(folder, old);
  try {
    renameSync(fresh, folder);
  } catch (error) {
    if (stood) renameSync(old, folder);
    throw error;
  }
  await rm(old, { recursive: true, force: true });
  await syncFolder(dirname(folder));
}

/** Manifests need not say what they are; what they hold does. */
export function mediaTypeOf({ bytes }: StoredManifest): string {
  const fields = fieldsOf(parseJson(Buffer.from(bytes).toString('utf8'))?.value);
  const implied = fields?.has('manifests') === true ? MEDIA_TYPE.ociIndex : MEDIA_TYPE.ociManifest;
  return stringOf(fields?.get('mediaType')) ?? implied;
}
