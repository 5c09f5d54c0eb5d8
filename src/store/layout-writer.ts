import { rm, writeFile, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { byCodePoint } from '../text/code-point-order.js';
import type { Digest } from '../text/digest.js';
import { fillAtomically, syncFolder, writeAtomically } from '../files/atomic-file.js';
import type { BlobSink } from '../image/blob.js';
import { MEDIA_TYPE } from '../image/descriptor.js';
import type { StoredManifest } from '../image/image-repository.js';
import { PARTIAL, REF_NAME } from './image-layout.js';
import { fieldsOf, parseJson, stringOf } from '../text/json.js';
import { makeFolder } from '../files/make-folder.js';
import { moveIn, placeFor, type LayoutPlace } from './layout-staging.js';
import type { Run } from '../files/run.js';

/** For whomever the user's own settings let in: a layout is made to be handed on. */
const SHARED = 0o666;

/**
 * Writes an OCI image layout out of sight and puts it in place once it is whole.
 *
 * The folder has everything in it, or is as it was before. The same images make the same bytes, in
 * whichever order they come.
 */
export class LayoutWriter {
  readonly #place: LayoutPlace;
  readonly #run: Run;
  /** How many bytes each blob has; undefined: nobody had it. */
  readonly #written = new Map<Digest, Promise<number | undefined>>();
  readonly #named = new Map<string, object>();

  private constructor(place: LayoutPlace, run: Run) {
    this.#place = place;
    this.#run = run;
  }

  /** Where it is until it is finished; to be removed if it never is. */
  get staging(): string {
    return this.#place.staging;
  }

  /** Refuses a folder that holds anything which `vendor` did not put there. */
  static async open(folder: string, shown: string, run: Run): Promise<LayoutWriter> {
    const place = await placeFor(folder, shown, run);
    await makeFolder(join(place.staging, 'blobs', 'sha256'));
    return new LayoutWriter(place, run);
  }

  async blob(digest: Digest, bytes: Uint8Array): Promise<void> {
    const writing = this.#written.get(digest) ?? this.#write(digest, bytes);
    this.#written.set(digest, writing);
    await writing;
  }

  async #write(digest: Digest, bytes: Uint8Array): Promise<number> {
    await writeAtomically(this.#pathOf(digest), bytes, SHARED);
    return bytes.length;
  }

  /**
   * Writes a blob that `fill` brings, unless it is there; `fill` says whether it has any. How many
   * bytes it has; undefined: there is none.
   */
  blobFrom(digest: Digest, fill: (to: BlobSink) => Promise<boolean>): Promise<number | undefined> {
    const writing = this.#written.get(digest) ?? this.#fill(digest, fill);
    this.#written.set(digest, writing);
    return writing;
  }

  async #fill(
    digest: Digest,
    fill: (to: BlobSink) => Promise<boolean>,
  ): Promise<number | undefined> {
    const path = this.#pathOf(digest);
    let sink: FileSink | undefined;
    let found = false;
    try {
      await fillAtomically(
        path,
        async (file) => {
          sink = new FileSink(file);
          found = await fill(sink);
        },
        SHARED,
      );
    } catch (error) {
      throw sink?.failure ?? error;
    }
    if (found) return sink?.size;
    await rm(path);
    return undefined;
  }

  #pathOf(digest: Digest): string {
    return join(this.staging, 'blobs', ...digest.split(':'));
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
  async finish(extent: 'whole' | 'needed'): Promise<number> {
    const names = [...this.#named.keys()].sort(byCodePoint);
    const index = {
      schemaVersion: 2,
      mediaType: MEDIA_TYPE.ociIndex,
      manifests: names.map((name) => this.#named.get(name)),
      ...(extent === 'needed' && { annotations: PARTIAL }),
    };
    const write = (name: string, value: object) =>
      writeFile(join(this.staging, name), JSON.stringify(value), { flush: true });
    await write('oci-layout', { imageLayoutVersion: '1.0.0' });
    await write('index.json', index);
    await syncFolder(this.staging);
    await moveIn(this.#place, this.#run);
    const sizes = await Promise.all(this.#written.values());
    return sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
  }
}

/** A file that grows. What goes wrong with it is not to be taken for trouble with where bytes come from. */
class FileSink implements BlobSink {
  size = 0;
  failure: unknown;
  readonly #file: FileHandle;

  constructor(file: FileHandle) {
    this.#file = file;
  }

  async add(chunk: Uint8Array): Promise<void> {
    await this.#attempt(() => this.#file.writeFile(chunk));
    this.size += chunk.byteLength;
  }

  async restart(): Promise<void> {
    await this.#attempt(() => this.#file.truncate(0));
    this.size = 0;
  }

  async #attempt(step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      this.failure = error;
      throw new Error('the layout cannot be written', { cause: error });
    }
  }
}

/** Manifests need not say what they are; what they hold does. */
export function mediaTypeOf({ bytes }: StoredManifest): string {
  const fields = fieldsOf(parseJson(Buffer.from(bytes).toString('utf8'))?.value);
  const implied = fields?.has('manifests') === true ? MEDIA_TYPE.ociIndex : MEDIA_TYPE.ociManifest;
  return stringOf(fields?.get('mediaType')) ?? implied;
}
