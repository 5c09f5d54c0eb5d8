import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { refusalText } from '../../../src/features/resolve/refusal-output.js';
import type {
  FactVersions,
  NamedFact,
  RequirementPlace,
} from '../../../src/resolver/explain/refusal.js';
import { formatOrigin, type Origin } from '../../../src/base/errors.js';
import { memorySource } from '../../../src/sources/memory-source.js';
import { resolveWithOptions } from '../../../src/testing/properties/xpkg-resolver.js';
import type { Request } from '../../../src/project/inputs/request.js';
import { unsolvable } from '../../support/universes.js';

const RUNS = { seed: 8, numRuns: 120 };
/** Maximum number of lines of a printed refusal. */
const MAX_LINES = 30;

test('the summary names every root and every package of the core, in a few lines', async () => {
  const property = fc.asyncProperty(unsolvable(), async ({ universe, request, options }) => {
    const answer = await resolveWithOptions(memorySource(universe), request, { options, universe });
    fc.pre(answer.status === 'unsolvable');
    const { headline, lines } = answer.summary;
    const text = [headline, ...lines].join('\n');
    for (const name of packagesIn(answer.facts)) expect(text).toContain(lastPart(name));
    for (const place of placesIn(answer.facts, request)) expect(text).toContain(place);
    expect(refusalText(answer).length).toBeLessThanOrEqual(MAX_LINES);
  });
  await fc.assert(property, RUNS);
});

/** Returns every package in the facts of a core. */
function packagesIn(facts: readonly NamedFact[]): Set<string> {
  return new Set(facts.flatMap(partiesIn).flatMap((party) => nameIn(party)));
}

function nameIn(party: string | FactVersions | RequirementPlace): string[] {
  if (typeof party === 'string') return [party];
  return 'repository' in party ? [party.repository] : [];
}

function partiesIn(fact: NamedFact): readonly (string | FactVersions | RequirementPlace)[] {
  switch (fact.fact) {
    case 'root':
      return [fact.on];
    case 'requires':
      return [fact.by, fact.on];
    case 'provides':
    case 'crossplane':
      return [fact.by];
    case 'owns':
      return [fact.one, fact.other];
    case 'kind':
      return [fact.by, fact.on];
    case 'missing':
    case 'rejected':
    case 'excluded':
    case 'ruled-out':
      return [fact.of];
    case 'cycle':
      return fact.members;
    case 'no-others':
      return [];
  }
}

/** Returns the input places of the roots that the core names. */
function placesIn(facts: readonly NamedFact[], { roots }: Request): string[] {
  const origins = roots.flatMap((root) => {
    if (root.root !== 'local') return [root.origin];
    const ownNeeds = (root.crossplane === undefined ? 0 : 1) + (root.objects.length > 0 ? 1 : 0);
    return [
      ...Array<Origin>(ownNeeds).fill(root.origin),
      ...root.dependsOn.map((one) => one.origin),
    ];
  });
  return facts.flatMap((fact) =>
    fact.fact === 'root' ? [formatOrigin(origins[fact.by.root]!)] : [],
  );
}

function lastPart(repository: string): string {
  return repository.slice(repository.lastIndexOf('/') + 1);
}
