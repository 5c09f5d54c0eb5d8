import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LockedPackage } from '../../src/lock/lockfile.js';
import type { IndexFile } from '../../src/model/index-file.js';
import { memorySource } from '../../src/sources/memory-source.js';
import { plan } from '../../src/usecases/plan/plan.js';
import { lockfileOf, locked, needs } from '../support/lockfiles.js';
import { providers } from '../support/universes.js';
import { fewestStops, problemsOf } from './brute-force.js';
import type { Ends } from './ends.js';
import { expectAccepted, expectFollowed, statesOf } from './held-to-rules.js';

const RUNS = 120;
/** As many as a plan may have. */
const MOST_STOPS = 4;
const NAMES = ['a', 'b', 'c', 'd', 'e'].map((letter) => `x.io/acme/${letter}`);
/** The others are in neither lockfile. */
const LOCKED = 3;

const ofAll = <T>(each: fc.Arbitrary<T>, length = NAMES.length) =>
  fc.array(each, { minLength: length, maxLength: length });

/** Which packages require which: at the ends only later ones, and mostly the version of their end alone. */
const edges = ofAll(ofAll(fc.constantFrom(undefined, '^', '^', '>=')));

/** What a version in between says of each other package. */
const wishes = ofAll(
  fc.constantFrom(undefined, undefined, undefined, '>=v1.0.0', '>=v1.0.0', '<v3.0.0', '^v1.0.0'),
);

interface Drawn extends Ends {
  readonly between: readonly LockedPackage[];
}

const drawn: fc.Arbitrary<Drawn> = fc
  .record({
    edges,
    absent: fc.tuple(fc.nat({ max: LOCKED * 3 }), fc.nat({ max: LOCKED * 3 })),
    /** Whether what lies between may require what stands before it, and so close a circle. */
    backwards: fc.nat({ max: 3 }).map((one) => one === 0),
    middles: ofAll(fc.option(wishes, { freq: 4 })),
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

/** Of each package, what it may be on the way. */
function waysOf({ from, to, between }: Drawn) {
  return NAMES.map((name) => {
    const [before, after, middle] = [from.packages, to.packages, between].map((packages) =>
      packages.find(({ repository }) => repository === name),
    );
    return [before, ...(middle === undefined ? [] : [middle]), after];
  });
}

test('versions in between are found wherever they help, in as few stops as may be', async () => {
  const found = { planned: 0, between: 0, strangers: 0, none: 0 };
  const property = fc.asyncProperty(drawn, async (given) => {
    const { from, to, between } = given;
    expect([from, to].flatMap(problemsOf)).toEqual([]);
    const source = () => Promise.resolve(memorySource(universeOf(between)));
    const answer = await plan(from, to, { source });
    const fewest = fewestStops(to, waysOf(given), MOST_STOPS);
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
