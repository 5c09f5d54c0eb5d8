import { ownershipKey, type OwnedObject } from '../../model/owned-object.js';
import type { PackageDocument } from '../../model/document/package-document.js';
import {
  comparedAs,
  compareDocuments,
  type DocumentParser,
  type OwnedDocument,
} from './compare-documents.js';
import { FindingList } from './diff-finding.js';

/** What came of comparing the documents of one package. */
export class Compared {
  readonly findings = new FindingList();
  readonly objects: OwnedObject[] = [];
  readonly notes: string[] = [];
  readonly #parser: DocumentParser;

  constructor(parser: DocumentParser) {
    this.#parser = parser;
  }

  add(old: OwnedDocument, fresh: OwnedDocument): void {
    const found = compareDocuments(old, fresh, this.#parser);
    const { kind, name } = fresh.document;
    if (typeof found === 'string') {
      const { repository, version } = fresh.owner;
      this.notes.push(`${kind} ${name} of ${repository} ${version} cannot be compared: ${found}`);
      return;
    }
    for (const finding of found) this.findings.add(finding);
    const as = comparedAs(fresh.document);
    if (as !== undefined && as !== 'meta' && found.length > 0)
      this.objects.push({ kind: as, name });
  }
}

/** Equal for documents that are of one object; undefined: not compared. */
export function comparedKey(document: PackageDocument): string | undefined {
  const as = comparedAs(document);
  if (as === undefined) return undefined;
  return as === 'meta' ? 'meta' : ownershipKey({ kind: as, name: document.name });
}
