import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { byCodePoint } from '../text/code-point-order.js';
import type { Digest } from '../text/digest.js';
import { fillAtomically, writeAtomically } from '../files/atomic-file.js';
import type { BlobSink } from '../image/blob.js';
import { MEDIA_TYPE } from '../image/descriptor.js';
import type { StoredManifest } from '../image/image-repository.js';
import { manifestMediaType } from '../image/manifest.js';
import { FileSink } from './file-sink.js';
import { PARTIAL_ANNOTATION, REF_NAME } from './image-layout.js';
import { removeFirmly } from '../files/journal/remove-firmly.js';
import { makeFolder } from '../files/make-folder.js';
import { syncFolder } from '../files/sync-folder.js';
import { writeThrough } from '../files/write-through.js';
import { publishLayout, stageLayout, type LayoutStaging } from './layout-staging.js';

/** Mode of blobs before the user's umask: a layout is made to be handed on, a cache is not. */
const SHARED_FILE = 0o666;

/**
 * Writes an OCI image layout to a staging folder and moves it into place once it is complete.
 *
 * The folder has everything in it, or is as it was before. The order in which images are added does
 * not change a byte of the layout.
 */
export class LayoutWriter {
  readonly #staged: LayoutStaging;
  /** Bytes of each blob; undefined: no source had it. */
  readonly #written = new Map<Digest, Promise<number | undefined>>();
  readonly #named = new Map<string, object>();

  constructor(staged: LayoutStaging) {
    this.#staged = staged;
  }

  /** The folder that holds the layout until it is finished; to be removed if it never is. */
  get staging(): string {
    return this.#staged.staging;
  }

  /** Refuses a folder that holds what `vendor` did not write. */
  static async open(folder: string, shown: string): Promise<LayoutWriter> {
    const staged = await stageLayout(folder, shown);
    try {
      await makeFolder(join(staged.staging, 'blobs', 'sha256'));
    } catch (error) {
      await removeFirmly(staged.staging);
      throw error;
    }
    return new LayoutWriter(staged);
  }

  async blob(digest: Digest, bytes: Uint8Array): Promise<void> {
    const writing = this.#written.get(digest) ?? this.#write(digest, bytes);
    this.#written.set(digest, writing);
    await writing;
  }

  async #write(digest: Digest, bytes: Uint8Array): Promise<number> {
    await writeAtomically(this.#pathOf(digest), bytes, { mode: SHARED_FILE });
    return bytes.length;
  }

  /**
   * Writes a blob with `fill`, unless it is written already; `fill` says whether there is such a
   * blob. Returns how many bytes it has; undefined: there is none.
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
        { mode: SHARED_FILE },
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

  /** Names an image in the index; `reference` includes the registry. */
  name(reference: string, manifest: StoredManifest): void {
    this.#named.set(reference, {
      mediaType: manifestMediaType(manifest),
      digest: manifest.digest,
      size: manifest.bytes.length,
      annotations: { [REF_NAME]: reference },
    });
  }

  /** Moves the layout into its place; returns how many bytes its blobs have. */
  async finish(extent: 'whole' | 'needed'): Promise<number> {
    const bytes = await this.seal(extent);
    await publishLayout(this.#staged);
    return bytes;
  }

  /** Completes the layout in its staging folder; returns how many bytes its blobs have. */
  async seal(extent: 'whole' | 'needed'): Promise<number> {
    const names = [...this.#named.keys()].sort(byCodePoint);
    const index = {
      schemaVersion: 2,
      mediaType: MEDIA_TYPE.ociIndex,
      manifests: names.map((name) => this.#named.get(name)),
      ...(extent === 'needed' && { annotations: PARTIAL_ANNOTATION }),
    };
    const write = (name: string, value: object) =>
      writeThrough(join(this.staging, name), (file) => file.writeFile(JSON.stringify(value)));
    await write('oci-layout', { imageLayoutVersion: '1.0.0' });
    await write('index.json', index);
    await syncFolder(this.staging);
    const sizes = await Promise.all(this.#written.values());
    return sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
  }
}
