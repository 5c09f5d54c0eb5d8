import { byCodePoint, getOrCreate, groupBy } from '../../base/collections.js';
import { andList, orList } from '../../base/messages.js';
import type { Subjects } from '../solver/encoder-context.js';
import {
  ABSENT,
  type Fact,
  type FactOf,
  type Incompatibility,
  type Term,
  type Variable,
} from '../solver/incompatibility.js';
import type { RootRequirement } from '../solver/problem.js';
import { type NounPhrases, rangeText } from './fact-clause.js';
import { factClause, linkOf, presentationOf } from './fact-kinds.js';
import { unionOf } from '../solver/search-result.js';

/** Maximum number of reasons in a sentence before a step of the argument gets its own sentence. */
const MAX_REASONS_PER_SENTENCE = 8;

/**
 * Step 3 of an explanation: returns a proof as sentences with one reason per line:
 *
 *     Because a,
 *     and b,
 *     c.
 *
 * A conclusion that later sentences use gets a number, and they refer to it by that number.
 */
export function proofText(because: Incompatibility, nouns: NounPhrases): string {
  const useCounts = countUses(because);
  const numbers = new Map<Incompatibility, number>();
  const sentences: string[] = [];

  const append = (node: Incompatibility): void => {
    const parents = reasonsOf(node, useCounts);
    const steps = new Set(parents.filter((parent) => parent !== node && isDerived(parent)));
    for (const step of steps) {
      if (numbers.has(step)) continue;
      append(step);
      numbers.set(step, numbers.size + 1);
      sentences.push(`${sentences.pop()!} (${numbers.get(step)})`);
    }
    const facts = parents.flatMap((parent) => (isDerived(parent) ? [] : [parent.cause as Fact]));
    const reasons = [
      ...Array.from(steps, (step) => `${conclusion(step.terms, nouns)} (${numbers.get(step)})`),
      ...groupedClauses(inPresentationOrder(facts, nouns.subjects), nouns),
      ...(facts.some(({ fact }) => fact === 'crossplane') ? [nouns.targetClause()] : []),
    ];
    const lines = [...new Set(reasons)].map(
      (reason, i) => `${i === 0 ? 'Because' : 'and'} ${reason},`,
    );
    sentences.push([...lines, `${conclusion(node.terms, nouns)}.`].join('\n'));
  };
  append(because);
  return sentences.join('\n\n');
}

/** Returns the reasons of a conclusion. Small steps that nothing else uses are inlined. */
function reasonsOf(
  node: Incompatibility,
  uses: ReadonlyMap<Incompatibility, number>,
): readonly Incompatibility[] {
  if (node.cause.fact !== 'derived') return [node];
  let reasons = node.cause.parents;
  for (const parent of node.cause.parents) {
    if (!isDerived(parent) || uses.get(parent)! > 1) continue;
    const parentReasons = reasonsOf(parent, uses);
    const inlined = reasons.flatMap((reason) => (reason === parent ? parentReasons : [reason]));
    if (inlined.length <= MAX_REASONS_PER_SENTENCE) reasons = inlined;
  }
  return reasons;
}

function countUses(because: Incompatibility): Map<Incompatibility, number> {
  const uses = new Map<Incompatibility, number>();
  const visit = (node: Incompatibility): void => {
    const before = uses.get(node) ?? 0;
    uses.set(node, before + 1);
    if (before > 0 || node.cause.fact !== 'derived') return;
    for (const parent of node.cause.parents) visit(parent);
  };
  visit(because);
  return uses;
}

function isDerived({ cause }: Incompatibility): boolean {
  return cause.fact === 'derived';
}

/** Part of step 3: states what follows from terms that cannot all be true. */
export function conclusion(terms: readonly Term[], nouns: NounPhrases): string {
  const crossplane = terms.find(({ variable }) => variable === nouns.subjects.crossplane);
  const others = terms.filter((term) => term !== crossplane);
  const installedTerms = others
    .filter((term) => !isNegative(term))
    .map((term) => nouns.anyOf(term));
  const wanted = others.filter(isNegative).map((term) => nouns.anyOf(complement(term)));
  if (crossplane !== undefined) {
    const releases = nouns.releases(complement(crossplane).values);
    if (wanted.length === 0) {
      return installedTerms.length === 0
        ? `Crossplane must be ${releases}`
        : `${andList(installedTerms)} ${installedTerms.length === 1 ? 'needs' : 'need'} Crossplane ${releases}`;
    }
    wanted.push(`Crossplane ${releases}`);
  }
  if (wanted.length > 0) {
    if (installedTerms.length === 0) return `${orList(wanted)} is needed`;
    return `${andList(installedTerms)} ${installedTerms.length === 1 ? 'requires' : 'together require'} ${orList(wanted)}`;
  }
  if (installedTerms.length === 0) return 'there is no answer';
  if (installedTerms.length === 1) return `${installedTerms[0]!} cannot be used`;
  return `${andList(installedTerms)} cannot be installed together`;
}

/** Returns whether a term includes the absence of a package: then its complement is required. */
function isNegative({ values }: Term): boolean {
  return values.has(ABSENT);
}

function complement({ variable, values }: Term): Term {
  return { variable, values: values.complement() };
}

/** Maximum number of ranges, or pairs of versions, in a clause. The rest is counted. */
const MAX_NAMED = 3;

/** Returns facts as clauses. Requirements between the same two packages share a clause. */
function groupedClauses(facts: readonly Fact[], nouns: NounPhrases): string[] {
  const groups = groupBy(facts, (fact, i) => clauseKey(fact) ?? `alone ${i}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (group.length === 1) return factClause(first!, nouns) ?? [];
    return first!.fact === 'requires'
      ? requirementsClause(group, nouns)
      : ownershipClause(group, nouns);
  });
}

/** Returns a key that is equal for facts that share a clause; undefined: the fact has its own. */
function clauseKey(fact: Fact): string | undefined {
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

/** Describes the first pair of owners with their objects, and the other pairs by version alone. */
function ownershipClause(facts: readonly Fact[], nouns: NounPhrases): string {
  const [first, ...rest] = facts.filter((fact) => fact.fact === 'owns');
  const pairs = rest.map((fact) => `${nouns.anyOf(fact.one)} and ${nouns.anyOf(fact.other)}`);
  const more = pairs.length - MAX_NAMED + 1;
  const shown = more > 1 ? [...pairs.slice(0, MAX_NAMED - 1), `${more} pairs more`] : pairs;
  return `${factClause(first!, nouns)}, and so would ${andList(shown)}`;
}

/**
 * Step 2 of an explanation: merges similar facts and returns them in the order of presentation. The
 * requirements of the user come first, then what follows from them step by step, then the facts that
 * exclude versions.
 */
export function inPresentationOrder(facts: readonly Fact[], subjects: Subjects): Fact[] {
  const merged = mergeSimilar(facts, subjects);
  const paths = pathsFromRoots(merged);
  const positions = {
    distance: (variable: Variable) => paths.get(variable)?.length ?? Infinity,
    rootIndex: (root: RootRequirement) => subjects.rootIndex(root),
  };
  return merged
    .map((fact) => ({ fact, order: presentationOf(fact).order?.(fact, positions) ?? [Infinity] }))
    .sort((a, b) => compareOrders(a.order, b.order))
    .map(({ fact }) => fact);
}

/** Compares two lists by the first number that differs. */
function compareOrders(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, i) => value !== b[i]);
  return at < 0 ? 0 : a[at]! - b[at]!;
}

/** Merges facts that differ only in their versions: stages of a fact that the solver extended. */
export function mergeSimilar(facts: readonly Fact[], subjects: Subjects): Fact[] {
  const groups = groupBy(facts, (fact, i) => {
    const shared = presentationOf(fact).mergeKey?.(fact);
    return shared === undefined ? `alone ${i}` : `${fact.fact} ${shared}`;
  });
  const merged = Array.from(groups.values(), (group) =>
    group.reduce((before, fact) => presentationOf(fact).merged!(before, fact)),
  );
  return mergePairs(merged, subjects);
}

/** Merges pairs of owners that have one side in common. */
function mergePairs(facts: readonly Fact[], subjects: Subjects): Fact[] {
  const merged: Fact[] = [];
  for (const fact of facts) {
    if (fact.fact !== 'owns') {
      merged.push(fact);
      continue;
    }
    const pair = sortedByName(fact, subjects);
    const similar = merged.findIndex((other) => other.fact === 'owns' && joinPairs(other, pair));
    if (similar < 0) merged.push(pair);
    else merged[similar] = joinPairs(merged[similar] as FactOf<'owns'>, pair)!;
  }
  return merged;
}

/** Orders the two sides by name: the order in which they were read does not matter. */
function sortedByName(pair: FactOf<'owns'>, subjects: Subjects): FactOf<'owns'> {
  const { one, other } = pair;
  const [a, b] = [one, other].map(({ variable }) => subjects.nameOf(variable));
  return byCodePoint(a!, b!) <= 0 ? pair : { fact: 'owns', one: other, other: one };
}

/** Merges two pairs; undefined if both sides differ. */
function joinPairs(a: FactOf<'owns'>, b: FactOf<'owns'>): FactOf<'owns'> | undefined {
  if (a.one.variable !== b.one.variable || a.other.variable !== b.other.variable) return undefined;
  if (a.one.values.equals(b.one.values)) return { ...a, other: unionOf(a.other, b.other) };
  if (a.other.values.equals(b.other.values)) return { ...a, one: unionOf(a.one, b.one) };
  return undefined;
}

/** Returns the facts on a path from a root to each package or API, starting at the root. */
export function pathsFromRoots(facts: readonly Fact[]): Map<Variable, readonly Fact[]> {
  const paths = new Map<Variable, readonly Fact[]>();
  const edges = facts.flatMap((fact) => {
    const { from, to } = linkOf(fact) ?? {};
    if (from === undefined || to === undefined) return [];
    if ('values' in from) return [{ fact, from: from.variable, to: to.variable }];
    getOrCreate(paths, to.variable, () => [fact]);
    return [];
  });
  for (let hasGrown = true; hasGrown;) {
    hasGrown = false;
    for (const { fact, from, to } of edges) {
      const before = paths.get(from);
      if (before === undefined || paths.has(to)) continue;
      paths.set(to, [...before, fact]);
      hasGrown = true;
    }
  }
  return paths;
}
