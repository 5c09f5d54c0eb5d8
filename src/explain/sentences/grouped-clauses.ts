import type { Fact } from '../../solver/fact.js';
import { factClause } from './fact-clause.js';
import type { NounPhrases } from './noun-phrases.js';
import { rangeText } from './range-text.js';
import { andList } from './word-list.js';

/** How many ranges, or pairs of versions, one clause names before the rest is only counted. */
const MAX_NAMED = 3;

/**
 * Part of step 3: facts as clauses, in their order; what the versions of one package say of
 * another, each in its own words, is one clause.
 */
export function groupedClauses(facts: readonly Fact[], nouns: NounPhrases): string[] {
  const groups = new Map<string, Fact[]>();
  for (const [i, fact] of facts.entries()) {
    const key = groupOf(fact) ?? `alone ${i}`;
    groups.set(key, [...(groups.get(key) ?? []), fact]);
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (group.length === 1) return factClause(first!, nouns) ?? [];
    return first!.fact === 'requires'
      ? requirementsClause(group, nouns)
      : ownershipClause(group, nouns);
  });
}

/** Equal for facts that are worth one clause together; undefined: worth one by itself. */
function groupOf(fact: Fact): string | undefined {
  if (fact.fact === 'owns') return `owns ${fact.one.variable} ${fact.other.variable}`;
  if (fact.fact !== 'requires' || fact.on.values.isEmpty) return undefined;
  return `requires ${fact.by.variable} ${fact.on.variable}`;
}

/** `a requires b: ">=v1.0.0" in v1.0.0 to v1.2.0, ">=v2.0.0" in v2.0.0`. */
function requirementsClause(facts: readonly Fact[], nouns: NounPhrases): string {
  const requirements = facts.filter((fact) => fact.fact === 'requires');
  const by = nouns.package(requirements[0]!.by);
  const on = nouns.package(requirements[0]!.on);
  const ranges = requirements.map(
    (fact) => `\`${fact.constraint}\` in ${rangeText(by.versions, fact.by.values)}`,
  );
  const more = ranges.length - MAX_NAMED;
  const shown =
    more > 1 ? [...ranges.slice(0, MAX_NAMED), `${more} others in other versions`] : ranges;
  return `${nouns.name(by.repository)} requires ${nouns.name(on.repository)}: ${andList(shown)}`;
}

/** The first pair with what it would own, then the others by their versions alone. */
function ownershipClause(facts: readonly Fact[], nouns: NounPhrases): string {
  const [first, ...rest] = facts.filter((fact) => fact.fact === 'owns');
  const pairs = rest.map((fact) => `${nouns.some(fact.one)} and ${nouns.some(fact.other)}`);
  const more = pairs.length - MAX_NAMED + 1;
  const shown = more > 1 ? [...pairs.slice(0, MAX_NAMED - 1), `${more} pairs more`] : pairs;
  return `${factClause(first!, nouns)}, and so would ${andList(shown)}`;
}
