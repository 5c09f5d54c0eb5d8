import { knownReleases } from '../../../model/target/target.js';
import { parseConstraint } from '../../../semver/constraint.js';
import { compareVersions, parseVersion, type Version } from '../../../semver/version.js';
import type { Fact } from '../../../solver/fact.js';
import type { NounPhrases } from '../../sentences/noun-phrases.js';
import { conjugated } from '../../sentences/verb.js';
import { orList } from '../../sentences/word-list.js';
import { VersionSet } from '../../../solver/version-set.js';

type CrossplaneFact = Extract<Fact, { fact: 'crossplane' }>;

/** Which Crossplane is needed, and whether the target is too old or too new for that. */
export function neededCrossplane(facts: readonly CrossplaneFact[], nouns: NounPhrases): string {
  const constraints = [...new Set(facts.map(({ constraint }) => `\`${constraint}\``))];
  if (facts.some(({ admits }) => !admits.isEmpty)) return orList(constraints);
  const releases = nouns.releases(VersionSet.all);
  const are = conjugated('be', nouns.problem.releases.length > 1);
  const gap = gapTo(facts, nouns);
  if (gap === undefined) return `${orList(constraints)}, and the target is ${releases}`;
  const { too, nearest, side } = gap;
  const needed = constraints.length === 1 ? constraints[0]! : `${nearest} or ${side}`;
  return `${needed}, and ${releases} ${are} too ${too}`;
}

interface Gap {
  readonly too: 'old' | 'new';
  readonly side: 'newer' | 'older';
  /** The nearest release that would do. */
  readonly nearest: string;
}

/** undefined: what is needed lies on both sides of the target, or nowhere. */
function gapTo(facts: readonly CrossplaneFact[], { problem }: NounPhrases): Gap | undefined {
  const { dialect, releases } = problem;
  const read = (text: string) => parseVersion(text, dialect)!;
  const constraints = facts.map(({ constraint }) => parseConstraint(constraint, dialect));
  const suited = knownReleases()
    .map(read)
    .filter((release) => constraints.some((one) => !one.invalid && one.admits(release)))
    .sort(compareVersions);
  const [oldest, newest] = [suited[0], suited.at(-1)];
  if (oldest === undefined || newest === undefined) return undefined;
  if (releases.every((one) => isBefore(one, oldest))) {
    return { too: 'old', side: 'newer', nearest: oldest.raw };
  }
  if (releases.every((one) => isBefore(newest, one))) {
    return { too: 'new', side: 'older', nearest: newest.raw };
  }
  return undefined;
}

function isBefore(a: Version, b: Version): boolean {
  return compareVersions(a, b) < 0;
}
