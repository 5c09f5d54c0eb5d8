import { isDeepStrictEqual } from 'node:util';
import { findIntermediateVersions, type PlanEnds, withFreeNames } from './intermediate-versions.js';
import { type Between, type ContentRefusal, journeyBetween } from './journey.js';
import type { Impasse } from './ordering.js';
import {
  causeText,
  type CheckedPackages,
  objectsText,
  planJourney,
  type PlanStep,
  type SolvedJourney,
  stepWarnings,
} from './steps.js';
import { getOrCreate, inParallel } from '../../base/collections.js';
import { SourceError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json.js';
import { isRejection, judge } from '../../crossplane/packages/admission.js';
import {
  isCrdOwner,
  type OwnedObject,
  ownershipKey,
} from '../../crossplane/packages/owned-objects.js';
import type { PackageContents } from '../../crossplane/packages/package-contents.js';
import { isUpgradeToV2, targetFor } from '../../crossplane/releases/target.js';
import type { LockedPackage, Lockfile } from '../../project/lockfile/lockfile.js';
import { labelOf } from '../../project/manifests/object-names.js';
import type { Pin } from '../../project/manifests/package-object.js';
import type { PackageSource } from '../../sources/package-source.js';
import { diff, type DiffSide, droppedByUpgrade, lockChanges, mayDiffer } from '../diff/diff.js';
import type { DocumentParser } from '../diff/documents.js';
import type { DiffFinding } from '../diff/findings.js';

export interface PlannedStep extends PlanStep {
  readonly warnings: readonly string[];
  /** Names of the CRDs whose stored objects must be migrated before the step. */
  readonly migratedCrds: readonly string[];
}

export interface LockfilePlan {
  readonly status: 'planned';
  readonly steps: readonly PlannedStep[];
  /** The user's own objects, which are applied with the first step and deleted after the last. */
  readonly kept: KeptChanges;
  /** The destination of the steps. */
  readonly wanted: Lockfile;
  readonly notes: readonly string[];
}

/** The result if no plan exists. */
export interface NoPlan {
  readonly status: 'unsolvable' | 'gave-up';
  readonly impasse: Impasse;
  /** Intermediate versions that make a plan possible, with that plan. */
  readonly between: (Between & { readonly plan: LockfilePlan }) | undefined;
}

export interface PlanOptions {
  /** How `spec.package` names versions. With digests, the cluster checks no dependencies. */
  readonly pin?: Pin | undefined;
  /** Intermediate versions that the plan must pass through. */
  readonly via?: Between | undefined;
  /** Opens the source for intermediate versions; undefined: none are searched for. */
  readonly source?: (() => Promise<PackageSource>) | undefined;
  /** Readers of the packages of both lockfiles; undefined: only the lockfiles are read. */
  readonly contents?: PlanContents | undefined;
}

/** Returns the steps from one lockfile to another, or why there are none. */
export async function plan(
  current: Lockfile,
  wanted: Lockfile,
  options: PlanOptions = {},
): Promise<LockfilePlan | NoPlan> {
  const from = asInstalled(current, options);
  const to = asInstalled(wanted, options);
  const ends = { from, to };
  const contents = new JourneyContents(ends, options.contents);
  await contents.read(from.packages, 'old');
  await contents.read(to.packages, 'newer');
  const planVia = async ({ releases, packages = [] }: Between) => {
    await contents.read(packages, 'newer');
    const between = { releases, packages: withFreeNames(packages, ends) };
    return planJourney(journeyBetween(from, to, between, contents.refusal));
  };
  const toSteps = (journey: SolvedJourney) =>
    toPlan(journey, ends, options.contents, contents.isRead);
  const planned = await planVia(options.via ?? {});
  if (planned.status === 'planned') return toSteps(planned);
  const { source: open, via } = options;
  const canHelp = planned.status === 'impossible' && !planned.atEnd && via === undefined;
  const found =
    canHelp && open
      ? await findIntermediateVersions({ ...ends, impasse: planned, planVia, open })
      : undefined;
  return {
    status: planned.status === 'gave-up' ? 'gave-up' : 'unsolvable',
    impasse: planned,
    between: found && { ...found.between, plan: await toSteps(found.planned) },
  };
}

async function toPlan(
  { steps, brokenBefore }: SolvedJourney,
  ends: PlanEnds,
  contents: PlanContents | undefined,
  isRead: CheckedPackages['isRead'],
): Promise<LockfilePlan> {
  const { from, to } = ends;
  const kept = keptChanges(from, to);
  const hasOnlyObjects = steps.length === 0 && kept.applied.length + kept.removed.length > 0;
  const planned: PlannedStep[] = [];
  const unchecked: string[] = [];
  for (const step of hasOnlyObjects ? [emptyStep(to)] : steps) {
    const stored = await storedVersions(step, ends, contents);
    const { release, releaseBefore, after } = step;
    const installed = after.map(({ locked }) => locked);
    const { dropped, unchecked: fields } = await droppedByUpgrade(
      installed,
      [releaseBefore, release],
      {
        contentsOf: contents?.newer.contentsOf,
        concurrency: contents?.concurrency ?? 1,
      },
    );
    const risks = stepWarnings(step, { lockedFor: to.crossplane, isRead });
    const ignored = [...dropped.map(({ text }) => text), ...fields];
    const warnings = [...risks, ...ignored, ...stored.warnings];
    planned.push({ ...step, warnings, migratedCrds: stored.migratedCrds });
    if (stored.unchecked !== undefined) unchecked.push(stored.unchecked);
  }
  const notes = brokenBefore.map((cause) => `before any step: ${causeText(cause)}`);
  if (unchecked.length > 0) {
    notes.push(
      `not checked: whether a step removes a version of a CRD in which objects are stored (${unchecked[0]}); \`xpkg-resolve diff OLD NEW\` compares the CRDs`,
    );
  }
  return { status: 'planned', steps: planned, kept, wanted: to, notes };
}

/** Returns a step without packages, for changes of the user's own objects only. */
function emptyStep({ crossplane }: Lockfile): PlanStep {
  const release = targetFor(crossplane)!;
  return { release, releaseBefore: undefined, applied: [], removed: [], before: [], after: [] };
}

/** Disables dependency checks if packages are pinned by digest, as a cluster does. */
function asInstalled(lockfile: Lockfile, { pin }: PlanOptions): Lockfile {
  if (pin !== 'digest') return lockfile;
  return { ...lockfile, skipDependencyResolution: ['packages are pinned by digest'] };
}

/** Changes of the user's ImageConfigs and runtime configs. */
export interface KeptChanges {
  /** New and changed objects, in input order. */
  readonly applied: readonly JsonObject[];
  readonly removed: readonly JsonObject[];
}

function keptChanges(from: Lockfile, to: Lockfile): KeptChanges {
  const before = new Map(from.objects.map((object) => [labelOf(object), object]));
  const after = new Set(to.objects.map(labelOf));
  return {
    applied: to.objects.filter((object) => !isDeepStrictEqual(before.get(labelOf(object)), object)),
    removed: from.objects.filter((object) => !after.has(labelOf(object))),
  };
}

/** Readers of the packages of both lockfiles of a plan. */
export interface PlanContents {
  readonly old: Pick<DiffSide, 'read' | 'contentsOf'>;
  readonly newer: Pick<DiffSide, 'read' | 'contentsOf'>;
  readonly parser: DocumentParser;
  /** Maximum number of packages that are read at the same time. */
  readonly concurrency: number;
}

/** Package contents for journeys between Crossplane v1 and v2. For others, nothing is read. */
class JourneyContents {
  readonly #contents: PlanContents | undefined;
  readonly #contentsByKey = new Map<string, PackageContents | undefined>();

  constructor({ from, to }: PlanEnds, contents: PlanContents | undefined) {
    const [before, after] = [targetFor(from.crossplane), targetFor(to.crossplane)];
    const isCrossing =
      before !== undefined &&
      after !== undefined &&
      (isUpgradeToV2(before, after) || isUpgradeToV2(after, before));
    this.#contents = isCrossing ? contents : undefined;
  }

  /** Reads packages with the reader of one lockfile, each version once. */
  async read(packages: readonly LockedPackage[], side: 'old' | 'newer'): Promise<void> {
    const contentsOf = this.#contents?.[side].contentsOf;
    if (this.#contents === undefined || contentsOf === undefined) return;
    const unknown = packages.filter((locked) => !this.#contentsByKey.has(keyOf(locked)));
    await inParallel(unknown, this.#contents.concurrency, async (locked) => {
      this.#contentsByKey.set(keyOf(locked), await contentsOf(locked));
    });
  }

  /** Whether the contents of a package were read, and so checked against every release. */
  readonly isRead = (locked: LockedPackage): boolean =>
    this.#contentsByKey.get(keyOf(locked)) !== undefined;

  /** Returns why a release rejects a package; undefined: it does not, or was not read. */
  readonly refusal: ContentRefusal = (locked, release) => {
    const contents = this.#contentsByKey.get(keyOf(locked));
    const judged = contents && judge(contents, release);
    if (judged === undefined || !isRejection(judged)) return undefined;
    return judged.findings.find(({ severity }) => severity === 'error')?.message;
  };
}

function keyOf({ repository, version, digest }: LockedPackage): string {
  return JSON.stringify([repository, version, digest]);
}

/** Warnings and migrations for stored objects before a step. */
interface StoredVersions extends Pick<PlannedStep, 'warnings' | 'migratedCrds'> {
  /** Why the CRDs were not compared; undefined: they were, or there are none. */
  readonly unchecked?: string | undefined;
}

/** Finds CRD versions that a step removes although the cluster may store objects in them. */
async function storedVersions(
  step: PlanStep,
  { from, to }: PlanEnds,
  contents: PlanContents | undefined,
): Promise<StoredVersions> {
  const before = [...step.applied, ...step.removed].flatMap((move) => move.from?.locked ?? []);
  const after = step.applied.map((move) => move.to!.locked);
  const old = { ...from, crossplane: to.crossplane, packages: before };
  const newer = { ...to, packages: after };
  const none = { warnings: [], migratedCrds: [] };
  if (!hasComparedCrds(lockChanges(old, newer))) return none;
  if (contents === undefined) return { ...none, unchecked: 'no packages were read' };
  try {
    const { findings } = await diff(
      { lockfile: old, read: contents.old.read },
      { lockfile: newer, read: contents.newer.read },
      contents,
    );
    return fromFindings(findings, after);
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    return { ...none, unchecked: `the CRDs could not be read: ${error.message}` };
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
  readonly finding: DiffFinding;
  readonly owner: LockedPackage;
  readonly objects: OwnedObject[];
}

function fromFindings(
  findings: readonly DiffFinding[],
  packages: readonly LockedPackage[],
): StoredVersions {
  const groups = new Map<string, RemovedVersion>();
  const crds = new Set<string>();
  for (const finding of findings) {
    const { rule, object, claim, version, severity, before, after } = finding;
    const owner = packages.find(({ repository }) => repository === after?.repository);
    const owned = owner?.owns.find(
      (each) => isCrdOwner(each) && ownershipKey(each) === `crd:${object.name}`,
    );
    if (rule !== 'version-removed' || before === undefined || !owner || !owned) continue;
    const isStored = severity === 'stored';
    const key = JSON.stringify([owner.repository, before, version, isStored]);
    getOrCreate(groups, key, () => ({ finding, owner, objects: [] })).objects.push(owned);
    if (owner.kind === 'Function' || isStored) continue;
    for (const name of [object.name, ...(claim === undefined ? [] : [claim])]) crds.add(name);
  }
  return { warnings: [...groups.values()].map(warningOf), migratedCrds: [...crds] };
}

function warningOf({ finding, owner, objects }: RemovedVersion): string {
  const { version, severity } = finding;
  const before = `${finding.before!.repository} ${finding.before!.version}`;
  const removal = `${owner.repository} ${owner.version} removes version ${version} of ${objectsText(objects)}: the API server refuses a new CRD while the \`status.storedVersions\` of the old one names ${version}`;
  if (owner.kind === 'Function') return removal;
  return severity === 'stored'
    ? `${removal}, and ${before} stores objects in ${version}, so they cannot be rewritten before this step; pass through a version that has ${version} and stores objects in another: \`--via ${owner.repository}@VERSION\``
    : `${removal}; rewrite all objects in the version that ${before} stores, and then remove ${version} from \`status.storedVersions\`, as the script of this step does`;
}
