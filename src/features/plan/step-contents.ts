import { isDeepStrictEqual } from 'node:util';
import type { ContentRefusal } from './journey.js';
import { objectsText, type PlanStep } from './steps.js';
import { getOrCreate, inParallel } from '../../base/collections.js';
import { SourceError } from '../../base/errors.js';
import { isRejection, judge } from '../../crossplane/packages/admission.js';
import { objectNameOf } from '../../crossplane/packages/object-names.js';
import {
  isCrdOwner,
  type OwnedObject,
  ownershipKey,
} from '../../crossplane/packages/owned-objects.js';
import type { PackageContents } from '../../crossplane/packages/package-contents.js';
import type { Candidate, PackageKind, Repository } from '../../crossplane/packages/package.js';
import { isUpgradeToV2, targetFor } from '../../crossplane/releases/target.js';
import type { LockedPackage, Lockfile, ObjectTemplate } from '../../project/lockfile/lockfile.js';
import { assignNames } from '../../project/manifests/object-names.js';
import { checkedPackage } from '../../resolver/driver/checked-package.js';
import type { PackageSource } from '../../sources/package-source.js';
import { diff, type DiffSide, droppedFieldNotes, lockChanges, mayDiffer } from '../diff/diff.js';
import type { DocumentParser } from '../diff/documents.js';
import type { DiffFinding } from '../diff/findings.js';

/** Readers of the packages of both lockfiles of a plan. */
export interface PlanContents {
  readonly old: Pick<DiffSide, 'read' | 'contentsOf'>;
  readonly fresh: Pick<DiffSide, 'read' | 'contentsOf'>;
  readonly parser: DocumentParser;
  /** Maximum number of packages that are read at the same time. */
  readonly concurrency: number;
}

/** The lockfiles at both ends of a plan. */
export interface PlanEnds {
  readonly from: Lockfile;
  readonly to: Lockfile;
}

/** Package contents for journeys between Crossplane v1 and v2. For others, nothing is read. */
export class JourneyContents {
  readonly #contents: PlanContents | undefined;
  readonly #known = new Map<string, PackageContents | undefined>();

  constructor({ from, to }: PlanEnds, contents: PlanContents | undefined) {
    const [before, after] = [targetFor(from.crossplane), targetFor(to.crossplane)];
    const isCrossing =
      before !== undefined &&
      after !== undefined &&
      (isUpgradeToV2(before, after) || isUpgradeToV2(after, before));
    this.#contents = isCrossing ? contents : undefined;
  }

  /** Reads the packages of both lockfiles, each version once. */
  async readEnds({ from, to }: PlanEnds): Promise<void> {
    await this.#read(from.packages, this.#contents?.old.contentsOf);
    await this.#read(to.packages, this.#contents?.fresh.contentsOf);
  }

  /** Reads intermediate versions. */
  async read(packages: readonly LockedPackage[]): Promise<void> {
    await this.#read(packages, this.#contents?.fresh.contentsOf);
  }

  async #read(
    packages: readonly LockedPackage[],
    contentsOf: DiffSide['contentsOf'],
  ): Promise<void> {
    if (this.#contents === undefined || contentsOf === undefined) return;
    const unknown = packages.filter((locked) => !this.#known.has(keyOf(locked)));
    await inParallel(unknown, this.#contents.concurrency, async (locked) => {
      this.#known.set(keyOf(locked), await contentsOf(locked));
    });
  }

  /** Whether the contents of a package were read, and so checked against every release. */
  readonly isRead = (locked: LockedPackage): boolean =>
    this.#known.get(keyOf(locked)) !== undefined;

  /** Returns why a release rejects a package; undefined: it does not, or was not read. */
  readonly refusal: ContentRefusal = (locked, release) => {
    const contents = this.#known.get(keyOf(locked));
    const judged = contents && judge(contents, release);
    if (judged === undefined || !isRejection(judged)) return undefined;
    return judged.findings.find(({ severity }) => severity === 'error')?.message;
  };
}

function keyOf({ repository, version, digest }: LockedPackage): string {
  return JSON.stringify([repository, version, digest]);
}

/** What must be done with stored objects before a step. */
interface StoredVersions {
  readonly warnings: readonly string[];
  /** Names of the CRDs whose objects can be migrated before the step. */
  readonly migratedCrds: readonly string[];
  /** Why the CRDs were not compared; undefined: they were, or there are none. */
  readonly unchecked?: string | undefined;
}

/** Finds CRD versions that a step removes although the cluster may store objects in them. */
export async function storedVersions(
  step: PlanStep,
  { from, to }: PlanEnds,
  contents: PlanContents | undefined,
): Promise<StoredVersions> {
  const before = [...step.applied, ...step.removed].flatMap((move) => move.from?.locked ?? []);
  const after = step.applied.map((move) => move.to!.locked);
  const old = { ...from, crossplane: to.crossplane, packages: before };
  const fresh = { ...to, packages: after };
  if (!hasComparedCrds(lockChanges(old, fresh))) return { warnings: [], migratedCrds: [] };
  if (contents === undefined) {
    return { warnings: [], migratedCrds: [], unchecked: 'no packages were read' };
  }
  try {
    const { findings } = await diff(
      { lockfile: old, read: contents.old.read },
      { lockfile: fresh, read: contents.fresh.read },
      contents,
    );
    return fromFindings(findings, after);
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    const unchecked = `the CRDs could not be read: ${error.message}`;
    return { warnings: [], migratedCrds: [], unchecked };
  }
}

/** Whether the definition of an installed CRD may change. */
function hasComparedCrds({ packages, owners }: ReturnType<typeof lockChanges>): boolean {
  const isMoved = packages.moved.some(
    ({ before, after }) =>
      mayDiffer(before!, after!) && before!.owns.some(isCrdOwner) && after!.owns.some(isCrdOwner),
  );
  return isMoved || owners.some((owned) => owned.change === 'owner' && isCrdOwner(owned));
}

/** CRDs that lose the same version in the same update of a package. */
interface RemovedVersion {
  readonly version: string;
  readonly before: string;
  readonly after: string;
  readonly repository: string;
  /** Whether the old package stores objects in this version. */
  readonly isStored: boolean;
  readonly isInput: boolean;
  readonly objects: OwnedObject[];
}

function fromFindings(
  findings: readonly DiffFinding[],
  packages: readonly LockedPackage[],
): StoredVersions {
  const groups = new Map<string, RemovedVersion>();
  const crds = new Set<string>();
  for (const { rule, object, claim, version, severity, before, after } of findings) {
    const owner = packages.find(({ repository }) => repository === after?.repository);
    const owned = owner?.owns.find(
      (each) => isCrdOwner(each) && ownershipKey(each) === `crd:${object.name}`,
    );
    if (rule !== 'version-removed' || before === undefined || !owner || !owned) continue;
    const isInput = owner.kind === 'Function';
    const isStored = severity === 'stored';
    const key = JSON.stringify([owner.repository, before, version, isStored]);
    const group = getOrCreate(groups, key, () => ({
      version,
      before: `${before.repository} ${before.version}`,
      after: `${owner.repository} ${owner.version}`,
      repository: owner.repository,
      isStored,
      isInput,
      objects: [],
    }));
    group.objects.push(owned);
    if (isInput || isStored) continue;
    for (const name of [object.name, ...(claim === undefined ? [] : [claim])]) crds.add(name);
  }
  return { warnings: [...groups.values()].map(warningOf), migratedCrds: [...crds] };
}

function warningOf(group: RemovedVersion): string {
  const { version, before, after, repository, objects, isStored, isInput } = group;
  const removal = `${after} removes version ${version} of ${objectsText(objects)}: the API server refuses a new CRD while the \`status.storedVersions\` of the old one names ${version}`;
  if (isInput) return removal;
  return isStored
    ? `${removal}, and ${before} stores objects in ${version}, so they cannot be rewritten before this step; pass through a version that has ${version} and stores objects in another: \`--via ${repository}@VERSION\``
    : `${removal}; rewrite all objects in the version that ${before} stores, and then remove ${version} from \`status.storedVersions\`, as the script of this step does`;
}

/** Returns a note that stored versions were not checked, and why. */
export function uncheckedStoredVersions(reason: string): string {
  return `not checked: whether a step removes a version of a CRD in which objects are stored (${reason}); \`xpkg-resolve diff OLD NEW\` compares the CRDs`;
}

/** Returns warnings on metadata that Crossplane v2 ignores, for the step that upgrades to it. */
export async function droppedWarnings(
  { release, releaseBefore, after }: PlanStep,
  contents: PlanContents | undefined,
): Promise<readonly string[]> {
  if (releaseBefore === undefined || !isUpgradeToV2(releaseBefore, release)) return [];
  const packages = after.map(({ locked }) => locked);
  return droppedFieldNotes(packages, release, {
    contentsOf: contents?.fresh.contentsOf,
    concurrency: contents?.concurrency ?? 1,
  });
}

/**
 * Returns an intermediate version as a locked package; undefined: no source has it, or the release
 * rejects it. Its object comes from a lockfile. If neither has the package, it gets the settings
 * that all objects of its kind share.
 */
export async function lockedAt(
  candidate: Candidate,
  ends: PlanEnds,
  source: PackageSource,
): Promise<LockedPackage | undefined> {
  const target = targetFor(ends.to.crossplane)!;
  const fetched = await source.fetch(candidate, target);
  if (fetched === undefined) return undefined;
  const { digest, manifest, baseLayer, packageYaml, contents } = checkedPackage(fetched, candidate);
  const meta = judge(contents, target);
  if (isRejection(meta)) return undefined;
  const { repository, version } = candidate;
  const { kind, crossplane, requirements, owns } = meta;
  const like = lockedPackageIn(ends.to, repository) ?? lockedPackageIn(ends.from, repository);
  const { name, direct, object } = like ?? {
    name: objectNameOf(repository, target),
    direct: false,
    object: commonObject(kind, ends.to),
  };
  const image = { digest, manifest, baseLayer, packageYaml };
  const metadata = { kind, crossplane, requirements, owns };
  return { repository, version, name, direct, object, ...image, ...metadata };
}

export function lockedPackageIn(
  { packages }: Lockfile,
  wanted: Repository,
): LockedPackage | undefined {
  return packages.find(({ repository }) => repository === wanted);
}

/** Returns the settings that all packages of a kind share, such as pull secrets. */
function commonObject(kind: PackageKind, { packages }: Lockfile): ObjectTemplate {
  const specs = packages.filter((each) => each.kind === kind).map(({ object }) => object.spec);
  const [first = {}, ...others] = specs;
  const common = Object.entries(first).filter(([key, value]) =>
    others.every((spec) => isDeepStrictEqual(spec[key], value)),
  );
  return { apiVersion: undefined, metadata: {}, spec: Object.fromEntries(common) };
}

/** Gives packages of neither lockfile names that no other package has at either end. */
export function withFreeNames(
  packages: readonly LockedPackage[],
  { from, to }: PlanEnds,
): readonly LockedPackage[] {
  const known = [...to.packages, ...from.packages];
  const repositories = new Set(known.map(({ repository }) => repository));
  const added = packages.filter(({ repository }) => !repositories.has(repository));
  if (added.length === 0) return packages;
  const { names } = assignNames(
    [
      ...known.map(({ repository, name }) => ({ repository, locked: name })),
      ...added.map(({ repository }) => ({ repository })),
    ],
    targetFor(to.crossplane),
  );
  return packages.map((each) =>
    repositories.has(each.repository) ? each : { ...each, name: names.get(each.repository)! },
  );
}
