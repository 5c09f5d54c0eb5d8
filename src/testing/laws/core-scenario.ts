import type { NamedFact } from '../../explain/named-fact.js';
import type { IndexFile } from '../../model/index-file.js';
import type { Request } from '../../model/request.js';
import { targetFor } from '../../model/target/target.js';
import { CoreFacts } from './core-facts.js';
import { CoreUniverse } from './core-universe.js';
import type { Core, CoreScenario } from './resolver.js';

interface Explained {
  readonly universe: IndexFile;
  readonly request: Request;
  /** The releases that the facts are about. */
  readonly releases: readonly string[];
}

/**
 * What an explanation names, as a universe and a request; and for each fact that could be
 * otherwise, the universe and the request without that fact.
 */
export function coreScenario(facts: readonly NamedFact[], explained: Explained): Core {
  const keys = new Set(facts.filter((fact) => fact.isDebatable).map(({ key }) => key));
  const without = (key: string) => facts.filter((fact) => fact.key !== key);
  return {
    ...scenarioOf(facts, explained),
    smaller: [...keys].map((key) => scenarioOf(without(key), explained)),
  };
}

function scenarioOf(
  facts: readonly NamedFact[],
  { universe, request, releases }: Explained,
): CoreScenario {
  const target = targetFor(releases[0]!)!;
  const core = new CoreUniverse(new CoreFacts(facts), universe, request, target);
  return {
    universe: core.universe(),
    request: core.request(),
    options: { crossplane: releases.join(' || '), allowCycles: true },
  };
}
