import { formatOrigin } from '../../model/input-error.js';
import { selectorOf } from '../../model/selector.js';
import type { PackageVersions } from '../../solver/encoder/package-versions.js';
import type { VersionSet } from '../../solver/version-set.js';
import { firstError, wantedText } from '../sentences/fact-clause.js';
import type { NounPhrases } from '../sentences/noun-phrases.js';
import { rulingText } from '../sentences/ruling-text.js';
import { rangeText } from '../sentences/range-text.js';
import { conjugated } from '../sentences/verb.js';
import type { CoreGraph, SaidFact, Saying } from './core-graph.js';
import { notPublished } from './patterns/not-published.js';
import { neededCrossplane } from './patterns/release-gap.js';

/** What is said of versions, after their name: `requires b ^1.0.0`, `are excluded (xpkg.yaml:9)`. */
export function predicate(
  { facts, by }: Saying,
  isMany: boolean,
  graph: CoreGraph,
  nouns: NounPhrases,
): string {
  const fact = facts[0]!;
  switch (fact.fact) {
    case 'requires':
      return `${conjugated('require', isMany)} ${requiredText(facts, graph, nouns)}`;
    case 'requires-api':
      return `${conjugated('require', isMany)} the API ${fact.text}`;
    case 'crossplane': {
      const needs = facts.filter((each) => each.fact === 'crossplane');
      return `${conjugated('need', isMany)} Crossplane ${neededCrossplane(needs, nouns)}`;
    }
    case 'missing':
      return notPublished(by, isMany, nouns);
    case 'rejected':
      return `${conjugated('be', isMany)} refused by Crossplane (${withoutAdvice(firstError(fact.findings))})`;
    case 'excluded':
      return `${conjugated('be', isMany)} excluded (${formatOrigin(fact.rule.origin)})`;
    case 'ruled-out':
      return rulingText(fact.ruling, isMany);
    case 'provides':
      throw new Error('who owns an API is told with the name of the owner');
  }
}

/** What a finding says, without what the author of the package might do about it. */
function withoutAdvice(message: string): string {
  return message.split('; ')[0]!;
}

/**
 * What is required: the package and the constraint. Where the requiring versions differ in that, the
 * versions that they admit; where every version will do, and nothing else is wanted of the package,
 * the package alone.
 */
export function requiredText(
  facts: readonly SaidFact[],
  graph: CoreGraph,
  nouns: NounPhrases,
): string {
  const requirements = facts.filter((fact) => fact.fact === 'requires');
  const [first] = requirements;
  const { on, constraint } = first!;
  const { repository, versions } = nouns.package(on);
  const values = requirements.reduce((all, fact) => all.or(fact.on.values), on.values);
  const isContested = graph.requirers(on.variable).length > 1;
  if (!isContested && versions.listed && isEveryRelease(versions, values)) {
    return nouns.name(repository);
  }
  if (requirements.every((fact) => fact.constraint === constraint)) {
    return wantedText(on, selectorOf(constraint), nouns);
  }
  return `${nouns.name(repository)} ${betweenEnds(rangeText(versions, values))}`;
}

/** Whether every version but prereleases is among these. */
function isEveryRelease(versions: PackageVersions, values: VersionSet): boolean {
  const releases = versions
    .ascending()
    .filter((value) => versions.version(value)!.prerelease === '');
  return releases.length > 0 && releases.every((value) => values.has(value));
}

/** `12 versions from v1.0.0 to v2.6.0` as what one of them is: `between v1.0.0 and v2.6.0`. */
function betweenEnds(range: string): string {
  return range.replace(/^\d+ versions from (\S+) to (\S+)/, 'between $1 and $2');
}
