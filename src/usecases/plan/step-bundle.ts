import { keptForTarget } from '../../bundle/kept-object.js';
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
export function stepBundle({ steps, kept }: LockfilePlan, step: number, pin: Pin): StepBundle {
  const { release, releaseBefore, applied } = steps[step]!;
  const isTime = step === 0 || releaseBefore !== undefined;
  return {
    kept: isTime ? kept.applied.flatMap((each) => taken(each, release)) : [],
    packages: applied.map(({ to }) => {
      const skipDependencyResolution = to!.skips || pin === 'digest';
      return packageObject(to!.locked, release, { pin, skipDependencyResolution }).object;
    }),
  };
}

function taken(object: JsonObject, release: Target): readonly JsonObject[] {
  const { object: fitted } = keptForTarget(object, release);
  return fitted === undefined ? [] : [fitted];
}
