import type { PackageDocument } from '../../model/document/package-document.js';
import type { PackageContents } from '../../model/package-contents.js';
import { RegistryPackage } from './registry-package.js';

/** A package of the first format with the documents of its CRDs, read file by file in any order. */
export class RegistryDocuments {
  readonly #documents = new Map<string, PackageDocument[]>();
  readonly #package = new RegistryPackage((document) => {
    this.#documents.set(document.name, [...(this.#documents.get(document.name) ?? []), document]);
  });

  takes(path: string): boolean {
    return this.#package.takes(path);
  }

  add(path: string, content: AsyncIterable<Uint8Array>): Promise<void> {
    return this.#package.add(path, content);
  }

  /** undefined: there is no such package. */
  get value(): PackageContents | undefined {
    return this.#package.value;
  }

  /** Gives the documents, each of which is a whole CRD; a text for each CRD that several files have parts of. */
  give(take: (document: PackageDocument) => void): string[] {
    const notes: string[] = [];
    for (const [name, documents] of this.#documents) {
      if (documents.length === 1) take(documents[0]!);
      else notes.push(`CRD ${name} is in several files, and is not compared`);
    }
    return notes;
  }
}
