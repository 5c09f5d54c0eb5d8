import { pinImages } from '../../bundle/image-pins.js';
import { keptForTarget } from '../../bundle/kept-object.js';
import { labelOf } from '../../bundle/object-label.js';
import { packageObject, type Pin } from '../../bundle/package-object.js';
import type { Target } from '../../model/target/target.js';
import type { JsonObject } from '../../text/json.js';
import type { LockfilePlan } from './plan.js';

/** What one step applies. */
export interface StepBundle {
  /** ImageConfigs and runtime configs of the user: before packages, which lean on them. */
  readonly kept: readonly JsonObject[];
  /** Packages that move, dependencies first. */
  readonly packages: readonly JsonObject[];
}

/** The user's own objects go with the first step, and again with a Crossplane that may know more of them. */
export function stepBundle(plan: LockfilePlan, step: number, pin: Pin): StepBundle {
  const { release, releaseBefore, applied } = plan.steps[step]!;
  const isTime = step === 0 || releaseBefore !== undefined;
  const own = isTime ? plan.kept.applied.flatMap((each) => taken(each, release)) : [];
  return {
    kept: pin === 'locked' ? withPins(own, plan, step) : own,
    packages: applied.map(({ to }) => {
      const skipDependencyResolution = to!.skips || pin === 'digest';
      return packageObject(to!.locked, release, { pin, skipDependencyResolution }).object;
    }),
  };
}

/** A pin goes with its package, and in the first step if that stays as it is. */
function withPins(own: readonly JsonObject[], plan: LockfilePlan, step: number): JsonObject[] {
  const { release, applied } = plan.steps[step]!;
  const { packages, objects } = plan.wanted;
  const given = objects.flatMap((each) => taken(each, release));
  const moving = new Set(
    plan.steps.flatMap((each) => each.applied.map(({ to }) => to!.locked.repository)),
  );
  const staying = packages.filter(({ repository }) => step === 0 && !moving.has(repository));
  const pinned = [...staying, ...applied.map(({ to }) => to!.locked)];
  const labels = new Set(own.map(labelOf));
  const kept = pinImages(packages, given, release).kept;
  return [
    ...kept.filter((each) => labels.has(labelOf(each))),
    ...pinImages(pinned, given, release).pins,
  ];
}

function taken(object: JsonObject, release: Target): readonly JsonObject[] {
  const { object: fitted } = keptForTarget(object, release);
  return fitted === undefined ? [] : [fitted];
}
