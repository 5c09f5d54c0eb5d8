import { createHash } from 'node:crypto';
import { open, mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BASE, OCI_MANIFEST } from '../registry/image.js';

interface Stored {
  readonly digest: string;
  readonly size: number;
}

/** Writes blobs of any size to an OCI layout in pieces. */
export class HostileLayout {
  readonly #folder: string;
  readonly #images: object[] = [];

  constructor(folder: string) {
    this.#folder = folder;
  }

  async blob(pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<Stored> {
    const blobs = join(this.#folder, 'blobs', 'sha256');
    await mkdir(blobs, { recursive: true });
    const hash = createHash('sha256');
    let size = 0;
    const file = await open(join(blobs, 'unfinished'), 'w');
    try {
      for await (const piece of pieces) {
        hash.update(piece);
        size += piece.length;
        await file.writeFile(piece);
      }
    } finally {
      await file.close();
    }
    const hex = hash.digest('hex');
    await rename(join(blobs, 'unfinished'), join(blobs, hex));
    return { digest: `sha256:${hex}`, size };
  }

  /** Writes an image with these layers under each tag; `more` is added to its manifest. */
  async image(
    repository: string,
    tags: readonly string[],
    layers: readonly (Stored & { readonly annotations?: object })[],
    more: object = {},
  ): Promise<void> {
    const config = await this.blob([Buffer.from('{}')]);
    const manifest = {
      schemaVersion: 2,
      mediaType: OCI_MANIFEST,
      config: { mediaType: 'application/vnd.oci.image.config.v1+json', ...config },
      layers: layers.map((layer) => ({
        mediaType: 'application/vnd.oci.image.layer.v1.tar',
        ...layer,
      })),
      ...more,
    };
    await this.manifest(repository, tags, Buffer.from(JSON.stringify(manifest)));
  }

  async manifest(repository: string, tags: readonly string[], bytes: Uint8Array): Promise<void> {
    const stored = await this.blob([bytes]);
    for (const tag of tags) {
      const annotations = { 'org.opencontainers.image.ref.name': `${repository}:${tag}` };
      this.#images.push({ mediaType: OCI_MANIFEST, ...stored, annotations });
    }
  }

  /** Writes versions of one package with these bytes as base layer. */
  async package(
    pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
    tags: readonly string[],
  ): Promise<void> {
    const layer = { ...(await this.blob(pieces)), annotations: BASE };
    await this.image('registry.example.test/a/p', tags, [layer]);
  }

  async finish(): Promise<void> {
    await writeFile(join(this.#folder, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
    const index = { schemaVersion: 2, manifests: this.#images };
    await writeFile(join(this.#folder, 'index.json'), JSON.stringify(index));
  }
}
