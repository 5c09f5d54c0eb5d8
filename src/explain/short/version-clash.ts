import { selectorText } from '../../model/selector.js';
import type { Fact } from '../../solver/fact.js';
import type { Variable } from '../../solver/incompatibility.js';
import { isDigest } from '../../text/digest.js';
import type { NounPhrases } from '../sentences/noun-phrases.js';
import { placeText } from '../sentences/place-text.js';
import { andList } from '../sentences/word-list.js';
import type { CoreGraph, CoreRequirer } from './core-graph.js';
import { familyOf, isFamilyPackage } from './patterns/family.js';

type Want = CoreRequirer['facts'][number];

/**
 * Where chains meet: that no version of a package suits all who want it; undefined: one might.
 * `told`: the facts in the order in which the chains tell them.
 */
export function versionClash(
  variable: Variable,
  graph: CoreGraph,
  told: ReadonlySet<Fact>,
  nouns: NounPhrases,
): string | undefined {
  const order = [...told];
  const requirers = graph
    .requirers(variable)
    .filter((one, _, all) => all.some((other) => other !== one && clash(one, other, graph)))
    .toSorted((a, b) => order.indexOf(a.facts[0]!) - order.indexOf(b.facts[0]!));
  if (requirers.length === 0) return undefined;
  const { repository } = nouns.package({ variable, values: graph.wanted(variable) });
  const name = nouns.name(repository);
  const wants = [...new Set(requirers.flatMap(({ facts }) => facts.map(wantText)))];
  if (requirers.length === 2 && wants.length === 2 && !wants.some(isDigest)) {
    const both = `both ${andList(wants.map((want) => `\`${want}\``))}`;
    return isFamilyPackage(repository) && requirers.every((one) => isMember(one, nouns))
      ? `the members of a family share one ${name}, and no version of it is ${both}`
      : `no version of ${name} is ${both}`;
  }
  const names = andList(requirers.map((requirer) => requirerName(requirer, nouns)));
  if (requirers.length === 2 && requirers[0]!.values.isDisjointFrom(requirers[1]!.values)) {
    return `no version of ${name} suits both ${names}`;
  }
  return `${names} do not agree on a version of ${name}`;
}

/** Whether both may be there at once, and want versions that exclude each other. */
function clash(one: CoreRequirer, other: CoreRequirer, graph: CoreGraph): boolean {
  return one.facts
    .filter(isMet)
    .some((want) =>
      other.facts
        .filter(isMet)
        .some((fact) => fact.on.values.isDisjointFrom(want.on.values) && graph.canMeet(want, fact)),
    );
}

/** Whether a package of a family wants it. */
function isMember({ facts }: CoreRequirer, nouns: NounPhrases): boolean {
  const want = facts[0]!;
  return want.fact === 'requires' && familyOf(nouns.package(want.by).repository) !== undefined;
}

/** Whether there is a version that will do. */
function isMet({ on }: Want): boolean {
  return !on.values.isEmpty;
}

function wantText(want: Want): string {
  return want.fact === 'root' ? selectorText(want.root.selector) : want.constraint;
}

function requirerName({ facts }: CoreRequirer, nouns: NounPhrases): string {
  const want = facts[0]!;
  if (want.fact === 'root') return want.root.by ?? placeText(want.root.origin);
  return nouns.name(nouns.package(want.by).repository);
}
