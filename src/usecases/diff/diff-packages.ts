import type { LockedPackage } from '../../lock/lockfile.js';
import type { OwnedObject } from '../../model/owned-object.js';
import type { Candidate, PackageKind } from '../../model/package.js';
import type { PackageDocument } from '../../model/document/package-document.js';
import type { Target } from '../../model/target/target.js';
import type { Digest } from '../../text/digest.js';
import type { DocumentOwner, DocumentParser } from './compare-documents.js';
import { Compared, comparedKey } from './compared.js';
import { lockChanges, toDiff, type Diff } from './diff.js';
import { HeldDocuments } from './held-documents.js';

/** A package that is compared with another, as if it were another version of that. */
export interface PackageSide {
  /** As the user wrote it: its version, where it has no other. */
  readonly shown: string;
  /** undefined: it is of a file, which says neither. */
  readonly candidate: Candidate | undefined;
  /** Gives every document in order, and then says what the package is. It is read once. */
  read(take: (document: PackageDocument) => void): Promise<ComparedPackage>;
}

export interface ComparedPackage {
  /** As its meta says. */
  readonly name: string;
  readonly kind: PackageKind;
  readonly owns: readonly OwnedObject[];
  /** undefined: not known, since it is no image. */
  readonly digest: Digest | undefined;
}

export interface DiffPackagesOptions {
  readonly target: Target;
  /** undefined: documents are not compared, only what the packages own. */
  readonly parser: DocumentParser | undefined;
}

/** Compares two packages: what they own, and what the documents of both say. */
export async function diffPackages(
  old: PackageSide,
  fresh: PackageSide,
  { target, parser }: DiffPackagesOptions,
): Promise<Diff> {
  const held = new HeldDocuments();
  const was = await old.read((document) => {
    const key = parser && comparedKey(document);
    if (key !== undefined) held.add(key, document);
  });
  const repository = (fresh.candidate ?? old.candidate)?.repository ?? (was.name || old.shown);
  // The documents of the new package are compared as they come, before its kind is known for sure.
  const owner = ownerOf(old, was.kind, repository);
  const newOwner = ownerOf(fresh, was.kind, repository);
  const compared = parser && new Compared(parser);
  const is = await fresh.read((document) => {
    const key = compared && comparedKey(document);
    const before = key === undefined ? undefined : held.find(key, document);
    if (before === undefined || before === 'same') return;
    compared?.add({ document: before, owner }, { document, owner: newOwner });
  });
  const changes = lockChanges(
    alone(owner, was, target),
    alone({ ...newOwner, kind: is.kind }, is, target),
  );
  return toDiff(changes, compared === undefined ? [] : [compared]);
}

function ownerOf(
  { shown, candidate }: PackageSide,
  kind: PackageKind,
  repository: string,
): DocumentOwner {
  const version = candidate?.repository === repository ? candidate.version : shown;
  return { repository, version, kind };
}

/** A lockfile of one package, which nothing wants. */
function alone(owner: DocumentOwner, { owns, digest }: ComparedPackage, { version }: Target) {
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
