import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import {
  objectFinding,
  type OwnerChange,
  ownerChanges,
  packageChanges,
  type PackageChanges,
} from './changes.js';
import {
  comparedAs,
  compareDocuments,
  type DocumentOwner,
  type DocumentParser,
  type OwnedDocument,
} from './documents.js';
import { type DroppedField, findDroppedFields, uncheckedFieldsText } from './dropped-fields.js';
import { type DiffFinding, type DiffSeverity, FindingList } from './findings.js';
import { inParallel } from '../../base/collections.js';
import type { Digest } from '../../base/digest.js';
import type { PackageDocument } from '../../crossplane/package-yaml/read-package-yaml.js';
import {
  byKindAndName,
  type OwnedObject,
  ownershipKey,
} from '../../crossplane/packages/owned-objects.js';
import type { PackageContents } from '../../crossplane/packages/package-contents.js';
import type { Candidate, PackageKind } from '../../crossplane/packages/package.js';
import { isUpgradeToV2, type Target, targetFor } from '../../crossplane/releases/target.js';
import { revisionNotes } from './new-revisions.js';
import type { LockedPackage, Lockfile } from '../../project/lockfile/lockfile.js';

/** Reads the documents of a locked package, and passes each to `take` in order. */
export type DocumentReader = (
  locked: LockedPackage,
  take: (document: PackageDocument) => void,
) => Promise<void>;

/** One of two compared package sets. */
export interface DiffSide {
  readonly lockfile: Lockfile;
  readonly read: DocumentReader;
  /** Returns undefined if no source has the locked bytes. */
  readonly contentsOf?:
    ((locked: LockedPackage) => Promise<PackageContents | undefined>) | undefined;
}

export interface DiffOptions {
  /** undefined: only lockfiles are compared, packages are not read. */
  readonly parser: DocumentParser | undefined;
  /** Maximum number of packages that are read at the same time. */
  readonly concurrency: number;
}

/** Differences between two package sets. */
export interface Diff {
  readonly packages: PackageChanges;
  /** Sorted by kind and name. */
  readonly objects: readonly ObjectChange[];
  /** Worst first. */
  readonly findings: readonly DiffFinding[];
  /** Numbers of findings that are not listed. */
  readonly omitted: readonly { readonly severity: DiffSeverity; readonly count: number }[];
  /** Metadata of packages that the newer release ignores. */
  readonly warnings: readonly DroppedField[];
  readonly notes: readonly string[];
}

export type ObjectChange =
  | OwnerChange
  | (OwnedObject & {
      /** The object has the same owner, but its document changed. */
      readonly change: 'schema';
    });

/** Compares two package sets: packages, owned objects, and the documents of changed packages. */
export async function diff(old: DiffSide, newer: DiffSide, options: DiffOptions): Promise<Diff> {
  const changes = lockChanges(old.lockfile, newer.lockfile);
  const found = toDiff(changes, await compareContents(changes, old, newer, options));
  const { crossplane, packages } = newer.lockfile;
  const releases = [targetFor(old.lockfile.crossplane), targetFor(crossplane)] as const;
  const { dropped, unchecked } = await droppedByUpgrade(packages, releases, {
    ...options,
    ...newer,
  });
  return {
    ...found,
    warnings: dropped,
    notes: [...found.notes, ...unchecked, ...revisionNotes(old.lockfile, newer.lockfile, releases)],
  };
}

/**
 * Returns the metadata of packages that Crossplane v2 ignores, and a note if the metadata of some
 * is unknown. Both are empty unless the releases are an upgrade from v1 to v2.
 */
export async function droppedByUpgrade(
  packages: readonly LockedPackage[],
  [before, after]: readonly [Target | undefined, Target | undefined],
  { contentsOf, concurrency }: Pick<DiffSide, 'contentsOf'> & Pick<DiffOptions, 'concurrency'>,
): Promise<{ readonly dropped: readonly DroppedField[]; readonly unchecked: readonly string[] }> {
  if (before === undefined || after === undefined || !isUpgradeToV2(before, after)) {
    return { dropped: [], unchecked: [] };
  }
  const running = packages.filter(({ kind }) => kind !== 'Configuration');
  const read = await inParallel(
    running,
    concurrency,
    async (locked) => [locked, await contentsOf?.(locked)] as const,
  );
  const { dropped, unchecked } = findDroppedFields(read, after);
  const isChecked = unchecked.length === 0;
  return { dropped, unchecked: isChecked ? [] : [uncheckedFieldsText(unchecked, after.version)] };
}

/** Changes that are visible in the lockfiles. */
export function lockChanges(old: Lockfile, newer: Lockfile) {
  return { packages: packageChanges(old, newer), owners: ownerChanges(old, newer) };
}

type LockChanges = ReturnType<typeof lockChanges>;

function toDiff({ packages, owners }: LockChanges, compared: readonly Comparison[]): Diff {
  const findings = new FindingList();
  for (const change of owners) {
    const finding = objectFinding(change);
    if (finding === undefined) continue;
    const { kind, name, before, after, orphanedBy } = change;
    const places = { before: placeOf(before), after: placeOf(after ?? orphanedBy) };
    findings.add({ object: { kind, name }, version: '', path: '', ...finding, ...places });
  }
  for (const each of compared) findings.addAll(each.findings);
  const changed = compared.flatMap(({ objects }) =>
    objects.map((object) => ({ ...object, change: 'schema' as const })),
  );
  return {
    packages,
    objects: [...owners, ...changed].sort(byKindAndName),
    findings: findings.sorted,
    omitted: findings.omitted,
    warnings: [],
    notes: compared.flatMap(({ notes }) => notes),
  };
}

function placeOf(locked: LockedPackage | undefined): DiffFinding['before'] {
  return locked && { repository: locked.repository, version: locked.version };
}

/**
 * Compares the documents of changed packages. Old packages are read first, and each package only
 * once. Returns the results in the order of packages.
 */
async function compareContents(
  { packages, owners }: LockChanges,
  old: DiffSide,
  newer: DiffSide,
  { parser, concurrency }: DiffOptions,
): Promise<readonly Comparison[]> {
  if (parser === undefined) return [];
  const moves = owners.filter(({ change }) => change === 'owner');
  const oldOwners = new Map(moves.map((move) => [ownershipKey(move), move.before!]));
  const updates = packages.moved.map(({ before, after }) => [after!, before!] as const);
  const previous = new Map(updates.filter(([after, before]) => mayDiffer(after, before)));
  const updated = new Set(previous.values());
  const ownerDocuments = new Map<LockedPackage, DocumentCache>();
  await inParallel([...new Set(oldOwners.values())], concurrency, async (owner) => {
    const isNeeded = (key: string) => updated.has(owner) || oldOwners.get(key) === owner;
    ownerDocuments.set(owner, await readDocuments(owner, old, isNeeded));
  });
  const pending = new Set([...previous.keys(), ...moves.map(({ after }) => after!)]);
  return inParallel([...pending], concurrency, async (after) => {
    const before = previous.get(after);
    const documents =
      before && (ownerDocuments.get(before) ?? (await readDocuments(before, old, () => true)));
    const compared = new Comparison();
    await newer.read(after, (document) => {
      const key = comparedKey(document);
      if (key === undefined) return;
      const sameOwner = documents?.find(key, document);
      const owner = sameOwner === undefined ? oldOwners.get(key) : before;
      if (owner === undefined) return;
      const found = sameOwner ?? ownerDocuments.get(owner)?.find(key, document);
      if (found === undefined || found === 'same') return;
      compared.add({ document: found, owner }, { document, owner: after }, parser);
    });
    return compared;
  });
}

async function readDocuments(
  locked: LockedPackage,
  { read }: DiffSide,
  isNeeded: (key: string) => boolean,
): Promise<DocumentCache> {
  const documents = new DocumentCache();
  await read(locked, (document) => {
    const key = comparedKey(document);
    if (key !== undefined && isNeeded(key)) documents.add(key, document);
  });
  return documents;
}

/** Returns false if the contents of two packages are known to be equal. */
export function mayDiffer(a: LockedPackage, b: LockedPackage): boolean {
  return a.packageYaml === undefined || a.packageYaml !== b.packageYaml;
}

class Comparison {
  readonly findings = new FindingList();
  readonly objects: OwnedObject[] = [];
  readonly notes: string[] = [];

  add(old: OwnedDocument, newer: OwnedDocument, parser: DocumentParser): void {
    const found = compareDocuments(old, newer, parser);
    const { kind, name } = newer.document;
    if (typeof found === 'string') {
      const { repository, version } = newer.owner;
      this.notes.push(`${kind} ${name} of ${repository} ${version} cannot be compared: ${found}`);
      return;
    }
    for (const finding of found) this.findings.add(finding);
    const as = comparedAs(newer.document)!;
    if (as !== 'meta' && found.length > 0) this.objects.push({ kind: as, name });
  }
}

/** Returns a key that documents of one object share; undefined: the document is not compared. */
function comparedKey(document: PackageDocument): string | undefined {
  const as = comparedAs(document);
  if (as === undefined) return undefined;
  return as === 'meta' ? 'meta' : ownershipKey({ kind: as, name: document.name });
}

/** Documents of the old side, compressed: one provider has a hundred megabytes of text. */
class DocumentCache {
  readonly #documents = new Map<
    string,
    { readonly hash: string; readonly bytes: Uint8Array } & Omit<PackageDocument, 'text'>
  >();

  add(key: string, { text, ...document }: PackageDocument): void {
    const bytes = deflateRawSync(text, { level: 1 });
    this.#documents.set(copyOf(key), { ...copyOf(document), hash: hashOf(text), bytes });
  }

  /** Returns the document with a key; `same`: its text is equal; undefined: there is none. */
  find(key: string, newer: PackageDocument): PackageDocument | 'same' | undefined {
    const compressed = this.#documents.get(key);
    if (compressed === undefined) return undefined;
    const { hash, bytes, ...document } = compressed;
    if (hash === hashOf(newer.text)) return 'same';
    return { ...document, text: inflateRawSync(bytes).toString('utf8') };
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

/** Returns a copy, because V8 keeps a whole string in memory as long as a slice of it is used. */
function copyOf<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T; // contains only strings and numbers
}

/** A package to compare with another package, as if they were two versions of one. */
export interface PackageSide {
  /** As the user wrote it. Used as the version if there is no other. */
  readonly shown: string;
  /** undefined: the package comes from a file, without repository and version. */
  readonly candidate: Candidate | undefined;
  /** Passes every document to `take` in order, and then returns the package. It is called once. */
  read(take: (document: PackageDocument) => void): Promise<ComparedPackage>;
}

export interface ComparedPackage {
  /** Name in the metadata. */
  readonly name: string;
  readonly kind: PackageKind;
  readonly owns: readonly OwnedObject[];
  /** undefined: unknown, because the package is not an image. */
  readonly digest: Digest | undefined;
}

export interface DiffPackagesOptions {
  readonly target: Target;
  /** undefined: only owned objects are compared, documents are not. */
  readonly parser: DocumentParser | undefined;
}

/** Compares two packages: owned objects and documents. */
export async function diffPackages(
  old: PackageSide,
  newer: PackageSide,
  { target, parser }: DiffPackagesOptions,
): Promise<Diff> {
  const documents = new DocumentCache();
  const before = await old.read((document) => {
    const key = parser && comparedKey(document);
    if (key !== undefined) documents.add(key, document);
  });
  const repository = (newer.candidate ?? old.candidate)?.repository ?? (before.name || old.shown);
  // New documents are compared while they are read, before the kind of the new package is known.
  const owner = ownerOf(old, before.kind, repository);
  const newOwner = ownerOf(newer, before.kind, repository);
  const compared = new Comparison();
  const after = await newer.read((document) => {
    const key = parser && comparedKey(document);
    const previous = key && documents.find(key, document);
    if (!parser || !previous || previous === 'same') return;
    compared.add({ document: previous, owner }, { document, owner: newOwner }, parser);
  });
  const changes = lockChanges(
    lockfileOf(owner, before, target),
    lockfileOf({ ...newOwner, kind: after.kind }, after, target),
  );
  return toDiff(changes, [compared]);
}

function ownerOf(
  { shown, candidate }: PackageSide,
  kind: PackageKind,
  repository: string,
): DocumentOwner {
  const version = candidate?.repository === repository ? candidate.version : shown;
  return { repository, version, kind };
}

function lockfileOf(owner: DocumentOwner, { owns, digest }: ComparedPackage, { version }: Target) {
  const locked: LockedPackage = {
    ...owner,
    digest,
    manifest: undefined,
    baseLayer: undefined,
    packageYaml: undefined,
    name: owner.repository,
    direct: false,
    crossplane: undefined,
    requirements: [],
    owns,
    object: { apiVersion: undefined, metadata: {}, spec: {} },
  };
  return { crossplane: version, packages: [locked], objects: [], skipDependencyResolution: [] };
}
