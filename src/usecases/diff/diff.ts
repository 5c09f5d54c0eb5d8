import { objectFinding } from '../../compare/object-findings.js';
import { ownerChanges, type OwnerChange } from '../../compare/owner-changes.js';
import { packageChanges, type PackageChanges } from '../../compare/package-changes.js';
import type { DiffSeverity } from '../../compare/severity.js';
import type { LockedPackage, Lockfile } from '../../lock/lockfile.js';
import { byKindAndName, ownershipKey, type OwnedObject } from '../../model/owned-object.js';
import type { PackageDocument } from '../../model/document/package-document.js';
import type { DocumentParser } from './compare-documents.js';
import { Compared, comparedKey } from './compared.js';
import { FindingList, type DiffFinding } from './diff-finding.js';
import { HeldDocuments } from './held-documents.js';

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
  const changes = lockChanges(old.lockfile, fresh.lockfile);
  if (options.parser === undefined) return toDiff(changes, []);
  const comparison = new DocumentComparison({ old, fresh }, options.parser);
  return toDiff(changes, await comparison.run(changes, options));
}

/** What two lockfiles alone tell. */
export interface LockChanges {
  readonly packages: PackageChanges;
  readonly owners: readonly OwnerChange[];
}

export function lockChanges(old: Lockfile, fresh: Lockfile): LockChanges {
  return { packages: packageChanges(old, fresh), owners: ownerChanges(old, fresh) };
}

export function toDiff({ packages, owners }: LockChanges, compared: readonly Compared[]): Diff {
  const findings = new FindingList();
  for (const change of owners) tellOwner(change, findings);
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

/** Reads packages that changed, the old one first and each of them once, and compares what both hold. */
class DocumentComparison {
  readonly #old: DiffSide;
  readonly #fresh: DiffSide;
  readonly #parser: DocumentParser;
  /** Objects that change hands, and the old package that each leaves. */
  readonly #givers = new Map<string, LockedPackage>();
  /** What is held of these packages. */
  readonly #given = new Map<LockedPackage, HeldDocuments>();

  constructor({ old, fresh }: Readonly<Record<'old' | 'fresh', DiffSide>>, parser: DocumentParser) {
    this.#old = old;
    this.#fresh = fresh;
    this.#parser = parser;
  }

  /** In the order of packages, whichever is read first. */
  async run(
    { packages, owners }: LockChanges,
    { concurrency }: DiffOptions,
  ): Promise<readonly Compared[]> {
    const crossing = owners.filter(({ change }) => change === 'owner');
    for (const change of crossing) this.#givers.set(ownershipKey(change), change.before!);
    const moved = packages.moved.map(({ before, after }) => [after!, before!] as const);
    const before = new Map(moved.filter(([is, was]) => mayDiffer(is, was)));
    const staying = new Set(before.values());
    await inParallel([...new Set(this.#givers.values())], concurrency, async (was) => {
      const held = await this.#hold(
        was,
        (key) => staying.has(was) || this.#givers.get(key) === was,
      );
      this.#given.set(was, held);
    });
    const arriving = new Set([...before.keys(), ...crossing.map(({ after }) => after!)]);
    return inParallel([...arriving], concurrency, (is) => this.#compare(before.get(is), is));
  }

  async #hold(was: LockedPackage, wanted: (key: string) => boolean): Promise<HeldDocuments> {
    const held = new HeldDocuments();
    await this.#old.read(was, (document) => {
      const key = comparedKey(document);
      if (key !== undefined && wanted(key)) held.add(key, document);
    });
    return held;
  }

  async #compare(was: LockedPackage | undefined, is: LockedPackage): Promise<Compared> {
    const held = was && (this.#given.get(was) ?? (await this.#hold(was, () => true)));
    const compared = new Compared(this.#parser);
    await this.#fresh.read(is, (document) => {
      const key = comparedKey(document);
      if (key === undefined) return;
      const kept = held?.find(key, document);
      const owner = kept === undefined ? this.#givers.get(key) : was;
      if (owner === undefined || kept === 'same') return;
      const old = kept ?? this.#given.get(owner)?.find(key, document);
      if (old === undefined || old === 'same') return;
      compared.add({ document: old, owner }, { document, owner: is });
    });
    return compared;
  }
}

/** Packages of which it is known that their bytes are the same need not be read. */
function mayDiffer(a: LockedPackage, b: LockedPackage): boolean {
  return a.packageYaml === undefined || a.packageYaml !== b.packageYaml;
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
