import * as fc from 'fast-check';
import type { IndexFile } from '../../model/index-file.js';
import type { Request } from '../../model/request.js';
import { pick, picked, sometimes, weighted } from './arbitraries.js';
import { DEFAULT_KNOBS, type Knobs } from './knobs.js';
import { GENERATED_NOW } from './policy/policy-plan.js';
import { requestFromPlan, requestPlan } from './package-set.js';
import { printUniverse } from '../print-universe.js';
import type { ResolverOptions } from '../laws/resolver.js';
import { publish, universePlan } from './universe.js';

/** All that a resolver is given. */
export interface Scenario {
  readonly universe: IndexFile;
  readonly request: Request;
  readonly options: ResolverOptions;
}

/** A universe, a request for some of its packages, and now and then a lockfile. */
export function scenario(knobs: Partial<Knobs> = {}): fc.Arbitrary<Scenario> {
  const all = { ...DEFAULT_KNOBS, ...knobs };
  return fc
    .record({ universe: universePlan(all), request: requestPlan(all), options: optionsPlan(all) })
    .map((plan) => {
      const universe = publish(plan.universe);
      const request = requestFromPlan(plan.request, universe);
      return printableScenario({
        universe,
        request,
        options: optionsOf(plan.options, universe, request),
      });
    });
}

/** Lets fast-check's report of a failure show the scenario as files to paste. */
export function printableScenario(made: Scenario): Scenario {
  return Object.defineProperty(made, fc.toStringMethod, {
    value: () => `\n${printUniverse(made)}`,
  });
}

interface OptionsPlan {
  readonly prefer: 'lowest' | undefined;
  readonly allowCycles: boolean;
  /** Whose prereleases are admitted. */
  readonly prereleases: number | undefined;
  /** Which version of each package is locked. */
  readonly locked: readonly number[] | undefined;
}

function optionsPlan(knobs: Knobs): fc.Arbitrary<OptionsPlan> {
  return fc.record({
    prefer: weighted<OptionsPlan['prefer']>([0.85, undefined], [0.15, 'lowest']),
    allowCycles: weighted([0.9, false], [0.1, true]),
    prereleases: sometimes(knobs.prereleases, pick()),
    locked: sometimes(knobs.locked, fc.array(pick(), { minLength: 1, maxLength: knobs.packages })),
  });
}

function optionsOf(plan: OptionsPlan, universe: IndexFile, request: Request): ResolverOptions {
  const repositories = Object.keys(universe.packages);
  const admitted =
    plan.prereleases === undefined ? undefined : picked(plan.prereleases, repositories);
  const locked = plan.locked?.flatMap((n, place) => {
    const repository = repositories[place];
    const tag = repository && picked(n, Object.keys(universe.packages[repository]!.versions));
    return repository && tag ? [[repository, tag] as const] : [];
  });
  return {
    ...(request.policies && { now: GENERATED_NOW }),
    ...(plan.prefer && !locked ? { prefer: plan.prefer } : {}),
    ...(plan.allowCycles ? { allowCycles: true } : {}),
    ...(admitted === undefined ? {} : { prereleases: [admitted] }),
    ...(locked === undefined ? {} : { locked: new Map(locked) }),
  };
}
