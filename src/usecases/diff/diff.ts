import { objectFinding } from '../../compare/object-findings.js';
import { ownerChanges, type OwnerChange } from '../../compare/owner-changes.js';
import { packageChanges, type PackageChanges } from '../../compare/package-changes.js';
import type { DiffSeverity } from '../../compare/severity.js';
import type { LockedPackage, Lockfile } from '../../lock/lockfile.js';
import { byKindAndName, ownershipKey, type OwnedObject } from '../../model/owned-object.js';
import type { PackageDocument } from '../../model/document/package-document.js';
import { comparedAs, compareDocuments, type DocumentParser } from './compare-documents.js';
import { FindingList, type DiffFinding } from './diff-finding.js';
import { HeldDocuments, type HeldDocument } from './held-documents.js';

/** Gives every document of a locked package, in order. */
export type DocumentReader = (
  locked: LockedPackage,
  take: (document: PackageDocument) => void,
) => Promise<void>;

/** A set that is compared with another. */
export interface DiffSide {
  readonly lockfile: Lockfile;
  readonly read: DocumentReader;
}

export interface DiffOptions {
  /** undefined: what packages hold is not read, and only what lockfiles say is compared. */
  readonly parser: DocumentParser | undefined;
  /** Packages that are read at a time. */
  readonly concurrency: number;
}

/** What two sets differ in. */
export interface Diff {
  readonly packages: PackageChanges;
  /** By kind and name. */
  readonly objects: readonly ObjectChange[];
  /** Worst first. */
  readonly findings: readonly DiffFinding[];
  /** How many findings there are beyond those listed. */
  readonly omitted: readonly { readonly severity: DiffSeverity; readonly count: number }[];
  readonly notes: readonly string[];
}

export type ObjectChange =
  | OwnerChange
  | (OwnedObject & {
      /** Its owner stays, and its document says something else. */
      readonly change: 'schema';
    });

/** Compares two sets: packages, what they own, and what the documents of those that changed say. */
export async function diff(old: DiffSide, fresh: DiffSide, options: DiffOptions): Promise<Diff> {
  const packages = packageChanges(old.lockfile, fresh.lockfile);
  const owners = ownerChanges(old.lockfile, fresh.lockfile);
  const findings = new FindingList();
  for (const change of owners) tellOwner(change, findings);
  const compared =
    options.parser === undefined
      ? []
      : await new DocumentComparison({ old, fresh }, options.parser).run(packages, owners, options);
  for (const each of compared) findings.addAll(each.findings);
  const changed = compared.flatMap(({ objects }) => objects);
  return {
    packages,
    objects: [...owners, ...changed.map((as) => ({ ...as, change: 'schema' as const }))].sort(
      byKindAndName,
    ),
    findings: findings.sorted,
    omitted: findings.omitted,
    notes: compared.flatMap(({ notes }) => notes),
  };
}

const place = (locked: LockedPackage | undefined) =>
  locked && { repository: locked.repository, version: locked.version };

function tellOwner(change: OwnerChange, findings: FindingList): void {
  const finding = objectFinding(change);
  if (finding === undefined) return;
  const { kind, name, before, after } = change;
  const places = { before: place(before), after: place(after) };
  findings.add({ object: { kind, name }, version: '', path: '', ...finding, ...places });
}

/** What came of comparing the documents of one package. */
interface Compared {
  readonly findings: FindingList;
  readonly objects: OwnedObject[];
  readonly notes: string[];
}

/** Reads packages that changed, the old one first, and compares what both hold. */
class DocumentComparison {
  readonly #old: DiffSide;
  readonly #fresh: DiffSide;
  readonly #parser: DocumentParser;
  /** Objects that change hands: their old documents, from whichever package they leave. */
  readonly #handedOver = new HeldDocuments();

  constructor({ old, fresh }: Readonly<Record<'old' | 'fresh', DiffSide>>, parser: DocumentParser) {
    this.#old = old;
    this.#fresh = fresh;
    this.#parser = parser;
  }

  /** In the order of packages, whichever is read first. */
  async run(
    { moved }: PackageChanges,
    owners: readonly OwnerChange[],
    { concurrency }: DiffOptions,
  ): Promise<readonly Compared[]> {
    const crossing = owners.filter(({ change }) => change === 'owner');
    const keys = new Set(crossing.map(ownershipKey));
    const leaving = new Set(crossing.map(({ before }) => before!));
    await inParallel([...leaving], concurrency, (locked) =>
      this.#old.read(locked, (document) => {
        const key = keyOf(document);
        if (key !== undefined && keys.has(key)) this.#handedOver.add(key, document, locked);
      }),
    );
    const before = new Map(moved.map((change) => [change.after!, change.before!]));
    const differing = [...before].filter(([is, was]) => mayDiffer(is, was)).map(([is]) => is);
    const arriving = new Set([...differing, ...crossing.map(({ after }) => after!)]);
    return inParallel([...arriving], concurrency, (is) => this.#compare(before.get(is), is));
  }

  async #compare(was: LockedPackage | undefined, is: LockedPackage): Promise<Compared> {
    const held = new HeldDocuments();
    if (was !== undefined) {
      await this.#old.read(was, (document) => {
        const key = keyOf(document);
        if (key !== undefined) held.add(key, document, was);
      });
    }
    const compared: Compared = { findings: new FindingList(), objects: [], notes: [] };
    await this.#fresh.read(is, (document) => {
      const key = keyOf(document);
      if (key === undefined) return;
      const old = held.find(key, document) ?? this.#handedOver.find(key, document);
      if (old !== undefined && old !== 'same') this.#tell(old, { document, locked: is }, compared);
    });
    return compared;
  }

  #tell(old: HeldDocument, fresh: HeldDocument, { findings, objects, notes }: Compared): void {
    const found = compareDocuments(old, fresh, this.#parser);
    const { kind, name } = fresh.document;
    if (typeof found === 'string') {
      const { repository, version } = fresh.locked;
      notes.push(`${kind} ${name} of ${repository} ${version} cannot be compared: ${found}`);
      return;
    }
    for (const finding of found) findings.add(finding);
    const as = comparedAs(fresh.document);
    if (as !== undefined && as !== 'meta' && found.length > 0) objects.push({ kind: as, name });
  }
}

/** Packages of which it is known that their bytes are the same need not be read. */
function mayDiffer(a: LockedPackage, b: LockedPackage): boolean {
  return a.packageYaml === undefined || a.packageYaml !== b.packageYaml;
}

/** Equal for documents that are of one object; undefined: not compared. */
function keyOf(document: PackageDocument): string | undefined {
  const as = comparedAs(document);
  if (as === undefined) return undefined;
  return as === 'meta' ? 'meta' : ownershipKey({ kind: as, name: document.name });
}

/** Does some work for each, so many at a time; the answers are in the order of the values. */
async function inParallel<T, R>(
  values: readonly T[],
  most: number,
  work: (value: T) => Promise<R>,
): Promise<R[]> {
  const answers: R[] = [];
  const left = values.entries();
  const worker = async () => {
    for (const [i, value] of left) answers[i] = await work(value);
  };
  await Promise.all(Array.from({ length: Math.min(most, values.length) }, worker));
  return answers;
}
