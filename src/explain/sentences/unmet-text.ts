import { selectorText, type Selector } from '../../model/selector.js';
import { effectiveSelector } from '../../solver/effective.js';
import type { Term } from '../../solver/incompatibility.js';
import { isDigest } from '../../text/digest.js';
import type { NounPhrases } from './noun-phrases.js';

/** Part of step 3: why a requirement admits no version that there is; empty: it admits some. */
export function unmetText(on: Term, asked: Selector, nouns: NounPhrases): string {
  const { repository, versions, exists } = nouns.package(on);
  const selector = effectiveSelector(nouns.problem, repository, asked);
  if (selector.form !== 'tag' && isDigest(selectorText(selector))) {
    return ' (what is installed by digest satisfies no range)';
  }
  if (!on.values.isEmpty) return '';
  if (!exists) return ' (there is no such package)';
  const labels = versions.ascending().map((value) => versions.label(value));
  if (labels.length === 0) return ' (it has no version to install)';
  if (versions.admitsOnlyPrereleases(selector)) {
    const text = selector.form === 'range' ? selector.text : '';
    return ` (only prereleases are in that range, and it admits none unless it names one: \`${text}-0\`)`;
  }
  const there = labels.length === 1 ? `is ${labels[0]!}` : `are ${labels[0]!} to ${labels.at(-1)!}`;
  return ` (no version matches: there ${there})`;
}
