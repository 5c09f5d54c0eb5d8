import * as fc from 'fast-check';
import type { LockedPackage, Lockfile } from '../../../src/project/lockfile/lockfile.js';
import { locked, lockfileOf, needs } from '../../support/lockfiles.js';

/** Lockfiles at both ends of a plan. */
export interface Ends {
  readonly from: Lockfile;
  readonly to: Lockfile;
}

/** Documented upgrade paths of Crossplane between the ends. */
export const PATHS: readonly (readonly string[])[] = [
  ['v2.3.4'],
  ['v1.20.0', 'v2.0.8', 'v2.1.8', 'v2.2.4', 'v2.3.4'],
  ['v2.3.4', 'v2.2.4', 'v2.1.8', 'v2.0.8', 'v1.20.0'],
];
/**
 * Constraints on a major version, from strict to loose. The dialects interpret one of them
 * differently.
 */
const RANGES = [
  (major: number) => `^v${major}.0.0`,
  (major: number) => `<v${major + 1}.0.0`,
  (major: number) => `>=v${major}.0.0`,
  (major: number) => `<=${major}`,
  () => '>=v1.0.0',
];

const nameOf = (at: number) => `x.io/acme/${'abcdefgh'[at]}`;
const twice = <T>(each: fc.Arbitrary<T>) => fc.tuple(each, each);

interface PackagePlan {
  /** Whether the package is the same at both ends. */
  readonly stays: boolean;
  /** Major version at each end; 0: not installed. */
  readonly majors: readonly [number, number];
  /**
   * At each end: index of the range for each later package; indexes beyond the list mean no
   * requirement.
   */
  readonly ranges: readonly [readonly number[], readonly number[]];
  readonly crossplane: readonly [boolean, boolean];
  /** At each end: number of the owned CRD; 0: none. */
  readonly owns: readonly [number, number];
}

/**
 * Generates lockfile pairs. Most pairs are accepted themselves, but states between them seldom are.
 */
export function ends(knobs: {
  readonly packages: number;
  readonly owns: boolean;
}): fc.Arbitrary<Ends> {
  const plan = fc.record<PackagePlan>({
    stays: fc.nat({ max: 4 }).map((one) => one === 0),
    majors: twice(fc.nat({ max: 2 })),
    ranges: twice(fc.array(fc.nat({ max: RANGES.length * 2 }), { maxLength: knobs.packages })),
    crossplane: twice(fc.boolean()),
    owns: twice(fc.nat({ max: knobs.owns ? 5 : 0 })),
  });
  return fc
    .record({
      packages: fc.array(plan, { minLength: 2, maxLength: knobs.packages, size: 'max' }),
      releases: fc.constantFrom(...PATHS),
      backwards: fc.tuple(fc.boolean(), fc.boolean()),
    })
    .map(({ packages, releases, backwards }) => ({
      from: lockfileAt(0, packages, releases[0]!, backwards),
      to: lockfileAt(1, packages, releases.at(-1)!, backwards),
    }));
}

function lockfileAt(
  end: 0 | 1,
  plans: readonly PackagePlan[],
  crossplane: string,
  backwards: readonly [boolean, boolean],
): Lockfile {
  const owned = new Set<number>();
  const packages = plans.flatMap((plan, at): LockedPackage[] => {
    const own = plan.stays ? 0 : end;
    const major = plan.majors[own];
    if (major === 0) return [];
    const others = [...plans.keys()].filter((other) => (backwards[own] ? other < at : other > at));
    const requirements = others.flatMap((other, place) => {
      const range = RANGES[plan.ranges[own][place] ?? RANGES.length];
      const its = plans[other]!.majors[own];
      return range === undefined || its === 0 ? [] : [needs(`${nameOf(other)} ${range(its)}`)];
    });
    const crd = plan.stays ? 0 : plan.owns[own];
    const owns =
      crd === 0 || owned.has(crd) ? [] : [{ kind: 'CRD' as const, name: `c${crd}.x.io` }];
    owned.add(crd);
    const wanted = crossplane.startsWith('v1') ? '<v2.0.0' : '>=v2.0.0';
    return [
      locked(`${nameOf(at)}:v${major}.${own}.0`, {
        requirements,
        owns,
        crossplane: plan.crossplane[own] ? wanted : undefined,
      }),
    ];
  });
  return lockfileOf(packages, { crossplane });
}
