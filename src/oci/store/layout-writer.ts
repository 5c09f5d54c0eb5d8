import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { byCodePoint, getOrCreate } from '../../base/collections.js';
import type { Digest } from '../../base/digest.js';
import {
  fillAtomically,
  makeFolder,
  removeWithRetry,
  syncFolder,
  writeThrough,
} from '../../base/files/file-system.js';
import type { BlobSink, StoredManifest } from '../image/image-repository.js';
import { MEDIA_TYPE } from '../image/descriptor.js';
import { manifestMediaType } from '../image/manifest.js';
import { FileSink } from './file-tree.js';
import { PARTIAL_ANNOTATION, REF_NAME } from './image-layout.js';
import { publishLayout, stageLayout, type LayoutStaging } from './layout-staging.js';

/** Blob mode before the umask: unlike a cache, a layout is shared with others. */
const SHARED_FILE = 0o666;

/**
 * Writes an OCI image layout to a staging folder and moves it into place when complete.
 *
 * The folder has either the whole new layout or its previous content. The order in which images are
 * added does not affect the result.
 */
export class LayoutWriter {
  readonly #staging: LayoutStaging;
  /** Size of each blob in bytes; undefined if no source had it. */
  readonly #written = new Map<Digest, Promise<number | undefined>>();
  readonly #images = new Map<string, object>();

  constructor(staged: LayoutStaging) {
    this.#staging = staged;
  }

  /** The staging folder. The caller removes it if the layout is never finished. */
  get staging(): string {
    return this.#staging.staging;
  }

  /** Throws if the folder has files that `vendor` did not write. */
  static async open(folder: string, shown: string): Promise<LayoutWriter> {
    const staged = await stageLayout(folder, shown);
    try {
      await makeFolder(join(staged.staging, 'blobs', 'sha256'));
    } catch (error) {
      await removeWithRetry(staged.staging);
      throw error;
    }
    return new LayoutWriter(staged);
  }

  async blob(digest: Digest, bytes: Uint8Array): Promise<void> {
    await this.blobFrom(digest, async (to) => {
      await to.add(bytes);
      return true;
    });
  }

  /**
   * Writes a blob with `fill`, unless it is already written. `fill` returns false if there is no
   * such blob. Returns the size in bytes, or undefined if there is no such blob.
   */
  blobFrom(digest: Digest, fill: (to: BlobSink) => Promise<boolean>): Promise<number | undefined> {
    return getOrCreate(this.#written, digest, () => this.#fill(digest, fill));
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

  /** Adds an image to the index. `reference` includes the registry. */
  name(reference: string, manifest: StoredManifest): void {
    this.#images.set(reference, {
      mediaType: manifestMediaType(manifest),
      digest: manifest.digest,
      size: manifest.bytes.length,
      annotations: { [REF_NAME]: reference },
    });
  }

  /** Moves the layout into place. Returns the total size of its blobs in bytes. */
  async finish(extent: 'whole' | 'needed'): Promise<number> {
    const bytes = await this.seal(extent);
    await publishLayout(this.#staging);
    return bytes;
  }

  /** Completes the layout in its staging folder. Returns the total size of its blobs in bytes. */
  async seal(extent: 'whole' | 'needed'): Promise<number> {
    const names = [...this.#images.keys()].sort(byCodePoint);
    const index = {
      schemaVersion: 2,
      mediaType: MEDIA_TYPE.ociIndex,
      manifests: names.map((name) => this.#images.get(name)),
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
