import type * as fc from 'fast-check';
import type { IndexFile, IndexVersion } from '../../src/sources/index/index-file.js';
import type { Knobs } from '../../src/testing/generators/knobs.js';
import { scenario, type Scenario } from '../../src/testing/generators/scenario.js';
import type { ResolverOptions } from '../../src/testing/resolver.js';
import { exhaustive } from '../../src/testing/oracles/exhaustive.js';

export type Versions = Readonly<Record<string, IndexVersion>>;

/** Returns a universe of providers, for tests that only need requirements. */
export function providers(packages: Readonly<Record<string, Versions>>): IndexFile {
  const entries = Object.entries(packages).map(
    ([repository, versions]) => [repository, { kind: 'Provider', versions }] as const,
  );
  return { packages: Object.fromEntries(entries) };
}

/** Returns a version that requires other providers. */
export function requiring(requirements: Readonly<Record<string, string>>): IndexVersion {
  const dependsOn = Object.entries(requirements).map(([provider, version]) => ({
    provider,
    version,
  }));
  return { dependsOn };
}

/** Returns scenarios with a solution under these options, checked by exhaustive search. */
export function solvable(
  knobs: Partial<Knobs> = {},
  options: ResolverOptions = {},
): fc.Arbitrary<Scenario> {
  return scenario(knobs).filter((made) => statusOf(made, options) === 'solved');
}

/** Returns scenarios without a solution under these options, checked by exhaustive search. */
export function unsolvable(
  knobs: Partial<Knobs> = {},
  options: ResolverOptions = {},
): fc.Arbitrary<Scenario> {
  return scenario(knobs).filter((made) => statusOf(made, options) === 'unsolvable');
}

function statusOf({ universe, request, options }: Scenario, more: ResolverOptions): string {
  return exhaustive(universe, request, { ...options, ...more }).status;
}
