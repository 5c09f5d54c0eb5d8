import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LockedPackage } from '../../../src/project/lockfile/lockfile.js';
import type { IndexFile } from '../../../src/sources/index/index-file.js';
import { memorySource } from '../../../src/sources/memory-source.js';
import { plan } from '../../../src/features/plan/plan.js';
import { lockfileOf, locked, needs } from '../../support/lockfiles.js';
import { providers } from '../../support/universes.js';
import { fewestStops, problemsOf } from './brute-force.js';
import type { Ends } from './lockfile-pairs.js';
import { expectAccepted, expectFollowed, statesOf } from './expectations.js';

const RUNS = 120;
/** Maximum number of intermediate stops that a plan has. */
const MAX_STOPS = 4;
const NAMES = ['a', 'b', 'c', 'd', 'e'].map((letter) => `x.io/acme/${letter}`);
/** Number of packages in the lockfiles. The others are in neither. */
const LOCKED = 3;

const ofAll = <T>(each: fc.Arbitrary<T>, length = NAMES.length) =>
  fc.array(each, { minLength: length, maxLength: length });

/**
 * Requirements between packages. At the ends, a package requires only later ones, mostly only the
 * version of that end.
 */
const edges = ofAll(ofAll(fc.constantFrom(undefined, '^', '^', '>=')));

/** Constraints of an intermediate version on each other package. */
const constraints = ofAll(
  fc.constantFrom(undefined, undefined, undefined, '>=v1.0.0', '>=v1.0.0', '<v3.0.0', '^v1.0.0'),
);

interface Drawn extends Ends {
  readonly between: readonly LockedPackage[];
}

const drawn: fc.Arbitrary<Drawn> = fc
  .record({
    edges,
    absent: fc.tuple(fc.nat({ max: LOCKED * 3 }), fc.nat({ max: LOCKED * 3 })),
    /** Whether an intermediate version may require earlier packages, which can close a cycle. */
    backwards: fc.nat({ max: 3 }).map((one) => one === 0),
    middles: ofAll(fc.option(constraints, { freq: 4 })),
  })
  .map(({ edges, absent, backwards, middles }) => {
    const end = (at: 0 | 1) => {
      const there = [...NAMES.keys()].filter((each) => each < LOCKED && each !== absent[at]);
      return lockfileOf(
        there.map((each) =>
          locked(`${NAMES[each]}:v${at + 1}.0.0`, {
            requirements: there.flatMap((other) => {
              const sign = other > each ? edges[each]![other] : undefined;
              return sign === undefined ? [] : [needs(`${NAMES[other]} ${sign}v${at + 1}.0.0`)];
            }),
          }),
        ),
      );
    };
    const between = middles.flatMap((wanted, at): LockedPackage[] => {
      if (wanted === null) return [];
      const requirements = wanted.flatMap((range, other) =>
        range === undefined || other === at || (other < at && !backwards)
          ? []
          : [needs(`${NAMES[other]} ${range}`)],
      );
      return [locked(`${NAMES[at]}:v1.5.0`, { requirements })];
    });
    return { from: end(0), to: end(1), between };
  });

const isLocked = ({ repository }: LockedPackage) => NAMES.indexOf(repository) < LOCKED;

function universeOf(packages: readonly LockedPackage[]): IndexFile {
  return providers(
    Object.fromEntries(
      packages.map(({ repository, version, digest, requirements }) => {
        const dependsOn = requirements.flatMap((each) =>
          each.requires === 'package'
            ? [{ provider: each.repository, version: each.constraint }]
            : [],
        );
        return [repository, { [version]: { digest, dependsOn } }];
      }),
    ),
  );
}

/** Returns the possible versions of each package along the way. */
function versionsOf({ from, to, between }: Drawn) {
  return NAMES.map((name) => {
    const [before, after, middle] = [from.packages, to.packages, between].map((packages) =>
      packages.find(({ repository }) => repository === name),
    );
    return [before, ...(middle === undefined ? [] : [middle]), after];
  });
}

test('finds intermediate versions wherever they help, with as few stops as possible', async () => {
  const found = { planned: 0, between: 0, strangers: 0, none: 0 };
  const property = fc.asyncProperty(drawn, async (given) => {
    const { from, to, between } = given;
    expect([from, to].flatMap(problemsOf)).toEqual([]);
    const source = () => Promise.resolve(memorySource(universeOf(between)));
    const answer = await plan(from, to, { source });
    const fewest = fewestStops(to, versionsOf(given), MAX_STOPS);
    if (answer.status === 'planned') {
      expect(fewest).toBe(0);
      found.planned += 1;
      return;
    }
    expect(answer.between?.packages?.length).toBe(fewest);
    if (answer.between === undefined) {
      found.none += 1;
      return;
    }
    const states = statesOf(given, answer.between.plan.steps);
    expectAccepted(given, states);
    expectFollowed(states, undefined);
    found[answer.between.packages!.every(isLocked) ? 'between' : 'strangers'] += 1;
  });
  await fc.assert(property, { numRuns: RUNS });
  for (const count of Object.values(found)) expect(count).toBeGreaterThan(2);
});
