import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { refusalText } from '../../../src/cli/output/answer/refusal.js';
import type { FactVersions, NamedFact, RequirementPlace } from '../../../src/explain/named-fact.js';
import { formatOrigin } from '../../../src/model/input-error.js';
import type { Origin } from '../../../src/model/package.js';
import { memorySource } from '../../../src/sources/memory-source.js';
import { scenario } from '../../../src/testing/generate/scenario.js';
import { answerTo } from '../../../src/testing/laws/xpkg-resolver.js';
import type { Request } from '../../../src/model/request.js';

const RUNS = { seed: 8, numRuns: 200 };
/** Of a refusal, as it is printed. */
const MAX_LINES = 30;

test('the short form names every root and every package of the core, in few lines', async () => {
  let refused = 0;
  const property = fc.asyncProperty(scenario(), async ({ universe, request, options }) => {
    const answer = await answerTo(memorySource(universe), request, { options, universe });
    if (answer.status !== 'unsolvable') return;
    refused++;
    const { headline, lines } = answer.summary;
    const text = [headline, ...lines].join('\n');
    for (const name of packagesIn(answer.facts)) expect(text).toContain(lastPart(name));
    for (const place of placesIn(answer.facts, request)) expect(text).toContain(place);
    expect(refusalText(answer).length).toBeLessThanOrEqual(MAX_LINES);
  });
  await fc.assert(property, RUNS);
  expect(refused).toBeGreaterThan(RUNS.numRuns / 4);
});

/** Every package that the facts of a core are about. */
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

/** Where the user wrote what the core names of the roots. */
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
