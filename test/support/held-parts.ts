import type { Artifact } from '../../src/oci/image/artifact.js';
import type { ImageRepository } from '../../src/oci/image/image-repository.js';
import type { IndexFile } from '../../src/sources/index/index-file.js';
import { SourceError } from '../../src/base/errors.js';
import { buildParts, sparseIndexArtifact } from '../../src/sources/sparse-index/index-parts.js';
import { SparseIndexSnapshot } from '../../src/sources/sparse-index/snapshot.js';
import { sha256 } from '../../src/base/digest.js';

/**
 * An artifact in memory whose bytes can be changed; it checks what it returns, like any repository.
 */
export class MemoryArtifact implements ImageRepository {
  readonly name = 'registry.example.test/team/index';
  /** Digests that were requested, in order. */
  readonly asked: string[] = [];
  readonly bytes: Map<string, Uint8Array>;
  readonly artifact: Artifact;

  constructor(artifact: Artifact) {
    this.artifact = artifact;
    const manifests = [...(artifact.manifests ?? []), artifact.manifest];
    this.bytes = new Map<string, Uint8Array>([
      ...artifact.blobs,
      ...manifests.map(({ digest, bytes }) => [digest, bytes] as const),
    ]);
  }

  static async of(index: IndexFile): Promise<MemoryArtifact> {
    return new MemoryArtifact(sparseIndexArtifact(await buildParts(index)));
  }

  open(): Promise<SparseIndexSnapshot> {
    return SparseIndexSnapshot.open(this, this.artifact.manifest, 'the index');
  }

  async tags(): Promise<readonly string[]> {
    return ['v1'];
  }

  async manifest(reference: string) {
    const bytes = this.#read(reference);
    return bytes && { digest: sha256(bytes), bytes };
  }

  async blob({ digest, size }: { readonly digest: string; readonly size: number }) {
    const bytes = this.#read(digest);
    if (bytes !== undefined && bytes.length !== size) throw this.#bad(digest);
    return bytes;
  }

  #read(digest: string): Uint8Array | undefined {
    this.asked.push(digest);
    const bytes = this.bytes.get(digest);
    if (bytes !== undefined && sha256(bytes) !== digest) throw this.#bad(digest);
    return bytes;
  }

  #bad(digest: string): SourceError {
    return new SourceError('BAD_DIGEST', digest, 'other bytes');
  }
}
