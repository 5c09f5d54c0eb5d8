import type { Pin } from '../../bundle/package-object.js';
import type { Lockfile } from '../../lock/lockfile.js';
import type { PackageSource } from '../../model/package-source.js';
import { targetFor } from '../../model/target/target.js';
import { causeText } from '../../plan/cause-text.js';
import { journeyBetween, type Between } from '../../plan/journey.js';
import {
  planJourney,
  type Impasse,
  type PlannedJourney,
  type PlanStep,
} from '../../plan/plan-journey.js';
import { stepWarnings } from '../../plan/step-warnings.js';
import { keptChanges, type KeptChanges } from './kept-changes.js';
import { findBetween } from './find-between.js';
import { withFreeNames } from './locked-at.js';

/** A step of a plan, with what is to be known before it is made. */
export interface PlannedStep extends PlanStep {
  readonly warnings: readonly string[];
}

export interface LockfilePlan {
  readonly status: 'planned';
  readonly steps: readonly PlannedStep[];
  /** The user's own objects: applied with the first step, deleted after the last. */
  readonly kept: KeptChanges;
  /** Where the steps lead to. */
  readonly wanted: Lockfile;
  readonly notes: readonly string[];
}

/** That there is no plan. */
export interface NoPlan {
  readonly status: 'unsolvable' | 'gave-up';
  readonly impasse: Impasse;
  /** What would help, if it lay between, with the plan that there is then. */
  readonly between: (Between & { readonly plan: LockfilePlan }) | undefined;
}

export interface PlanOptions {
  /** How `spec.package` names versions; by digest, the cluster checks no dependency. */
  readonly pin?: Pin | undefined;
  /** Versions to pass through on the way. */
  readonly via?: Between | undefined;
  /** Where versions in between are looked for; undefined: nowhere. */
  readonly source?: (() => Promise<PackageSource>) | undefined;
}

/** The steps from one lockfile to another, or why there are none. */
export async function plan(
  given: Lockfile,
  wanted: Lockfile,
  options: PlanOptions = {},
): Promise<LockfilePlan | NoPlan> {
  const [from, to] = [pinned(given, options), pinned(wanted, options)];
  const planVia = ({ release, packages = [] }: Between) => {
    const named = withFreeNames(packages, { from, to });
    return planJourney(journeyBetween(from, to, { release, packages: named }));
  };
  const planned = planVia(options.via ?? {});
  if (planned.status === 'planned') return toPlan(planned, from, to);
  const isHopeless = planned.status === 'gave-up' || planned.atEnd;
  const status = planned.status === 'gave-up' ? 'gave-up' : 'unsolvable';
  if (isHopeless || options.source === undefined || options.via !== undefined) {
    return { status, impasse: planned, between: undefined };
  }
  const found = await findBetween({ from, to, impasse: planned, planVia, open: options.source });
  if (found === undefined) return { status, impasse: planned, between: undefined };
  const between = { ...found.between, plan: toPlan(found.planned, from, to) };
  return { status, impasse: planned, between };
}

function toPlan(
  { steps, brokenBefore }: Extract<PlannedJourney, { status: 'planned' }>,
  from: Lockfile,
  to: Lockfile,
): LockfilePlan {
  const kept = keptChanges(from, to);
  const isIdle = steps.length === 0 && kept.applied.length + kept.removed.length > 0;
  return {
    status: 'planned',
    steps: (isIdle ? [idleStep(to)] : steps).map((step) => ({
      ...step,
      warnings: stepWarnings(step, to.crossplane),
    })),
    kept,
    wanted: to,
    notes: brokenBefore.map((cause) => `before any step: ${causeText(cause)}`),
  };
}

/** For objects of the user alone to be applied or removed with. */
function idleStep({ crossplane }: Lockfile): PlanStep {
  const release = targetFor(crossplane)!;
  return { release, releaseBefore: undefined, applied: [], removed: [], before: [], after: [] };
}

function pinned(lockfile: Lockfile, { pin }: PlanOptions): Lockfile {
  if (pin !== 'digest') return lockfile;
  return { ...lockfile, skipDependencyResolution: ['packages are pinned by digest'] };
}
