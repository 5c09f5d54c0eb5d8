import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatLockfile } from '../../../src/project/lockfile/format-lockfile.js';
import type { Lockfile } from '../../../src/project/lockfile/lockfile.js';
import { parseLockfile } from '../../../src/project/lockfile/parse-lockfile.js';
import { isDigest } from '../../../src/base/digest.js';
import { parseReference } from '../../../src/crossplane/packages/reference.js';
import { lockfile, type LockfileKnobs } from '../../../src/testing/generators/lockfile.js';

function sample(knobs: Partial<LockfileKnobs> = {}): Lockfile[] {
  return fc.sample(lockfile(knobs), { numRuns: 200, seed: 12 });
}

test('a drawn lockfile is the same after writing and reading', () => {
  for (const made of [...sample(), ...sample({ awkward: 0.5 })])
    expect(parseLockfile(formatLockfile(made), 'xpkg.lock.yaml')).toEqual(structuredClone(made));
});

test('packages have names like in registries, and require existing packages', () => {
  const made = sample().flatMap(({ packages }) => packages.map((one) => ({ one, packages })));
  for (const { one, packages } of made) {
    expect(parseReference(`${one.repository}:v1.0.0`, { strict: true })).toBeDefined();
    for (const required of one.requirements)
      if (required.requires === 'package')
        expect(packages.map(({ repository }) => repository)).toContain(required.repository);
  }
  const share = (holds: (row: (typeof made)[number]['one']) => boolean) =>
    made.filter(({ one }) => holds(one)).length / made.length;
  expect(share(({ requirements }) => requirements.length > 0)).toBeGreaterThan(0.3);
  expect(share(({ direct }) => direct)).toBeGreaterThan(0.2);
  expect(share(({ manifest }) => manifest !== undefined)).toBeGreaterThan(0.05);
});

describe('each parameter has an effect', () => {
  const PEACE = { digests: 0, undigested: 0, customized: 0, skipping: 0, awkward: 0 };
  const cases: readonly [keyof typeof PEACE, (made: Lockfile) => boolean][] = [
    ['digests', ({ packages }) => packages.some(({ version }) => isDigest(version))],
    ['undigested', ({ packages }) => packages.some(({ digest }) => digest === undefined)],
    ['customized', ({ packages }) => packages.some((p) => Object.keys(p.object.spec).length > 0)],
    ['skipping', (made) => made.skipDependencyResolution.length > 0],
    ['awkward', ({ packages }) => packages.some(({ owns }) => owns.some((o) => o.kind === 'MRD'))],
  ];

  test.each(cases)('%s', (knob, holds) => {
    expect(sample(PEACE).filter(holds)).toHaveLength(0);
    expect(sample({ ...PEACE, [knob]: 0.5 }).filter(holds).length).toBeGreaterThan(20);
  });

  test('packages', () => {
    expect(Math.max(...sample({ packages: 3 }).map(({ packages }) => packages.length))).toBe(3);
  });
});

test('a failing lockfile shrinks to one simple package', () => {
  const { counterexample } = fc.check(
    fc.property(lockfile(), ({ packages }) => !packages.some(({ direct }) => direct)),
    { seed: 12 },
  );
  const [small] = counterexample!;
  expect(small.packages).toHaveLength(1);
  expect(small.objects).toEqual([]);
  expect(small.packages[0]).toMatchObject({ version: 'v1.0.0', requirements: [], direct: true });
});
