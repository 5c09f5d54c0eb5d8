import { isDeepStrictEqual } from 'node:util';
import { findIntermediateVersions } from './intermediate-versions.js';
import { type Between, journeyBetween } from './journey.js';
import {
  droppedWarnings,
  JourneyContents,
  type PlanContents,
  type PlanEnds,
  storedVersions,
  uncheckedStoredVersions,
  withFreeNames,
} from './step-contents.js';
import {
  causeText,
  type CheckedPackages,
  type Impasse,
  planJourney,
  type PlannedJourney,
  type PlanStep,
  stepWarnings,
} from './steps.js';
import type { JsonObject } from '../../base/json.js';
import { targetFor } from '../../crossplane/releases/target.js';
import type { Lockfile } from '../../project/lockfile/lockfile.js';
import { labelOf } from '../../project/manifests/object-names.js';
import type { Pin } from '../../project/manifests/package-object.js';
import type { PackageSource } from '../../sources/package-source.js';

/** A step of a plan with its warnings. */
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
  const contents = new JourneyContents({ from, to }, options.contents);
  await contents.readEnds({ from, to });
  const planVia = async ({ releases, packages = [] }: Between) => {
    await contents.read(packages);
    const between = { releases, packages: withFreeNames(packages, { from, to }) };
    return planJourney(journeyBetween(from, to, between, contents.refusal));
  };
  const planned = await planVia(options.via ?? {});
  const toSteps = (journey: Extract<PlannedJourney, { status: 'planned' }>) =>
    toPlan(journey, { from, to }, { contents: options.contents, isRead: contents.isRead });
  if (planned.status === 'planned') return toSteps(planned);
  const isFinal = planned.status === 'gave-up' || planned.atEnd;
  const found =
    isFinal || options.source === undefined || options.via !== undefined
      ? undefined
      : await findIntermediateVersions({
          from,
          to,
          impasse: planned,
          planVia,
          open: options.source,
        });
  return {
    status: planned.status === 'gave-up' ? 'gave-up' : 'unsolvable',
    impasse: planned,
    between: found && { ...found.between, plan: await toSteps(found.planned) },
  };
}

async function toPlan(
  { steps, brokenBefore }: Extract<PlannedJourney, { status: 'planned' }>,
  ends: PlanEnds,
  { contents, isRead }: Pick<PlanOptions, 'contents'> & Pick<CheckedPackages, 'isRead'>,
): Promise<LockfilePlan> {
  const { from, to } = ends;
  const objects = keptChanges(from, to);
  const hasOnlyObjects = steps.length === 0 && objects.applied.length + objects.removed.length > 0;
  const planned: PlannedStep[] = [];
  const unchecked = new Set<string>();
  const checked = { lockedFor: to.crossplane, isRead };
  for (const step of hasOnlyObjects ? [emptyStep(to)] : steps) {
    const stored = await storedVersions(step, ends, contents);
    const dropped = await droppedWarnings(step, contents);
    const warnings = [...stepWarnings(step, checked), ...dropped, ...stored.warnings];
    planned.push({ ...step, warnings, migratedCrds: stored.migratedCrds });
    if (stored.unchecked !== undefined) unchecked.add(stored.unchecked);
  }
  const notes = brokenBefore.map((cause) => `before any step: ${causeText(cause)}`);
  const [reason] = unchecked;
  if (reason !== undefined) notes.push(uncheckedStoredVersions(reason));
  return { status: 'planned', steps: planned, kept: objects, wanted: to, notes };
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
