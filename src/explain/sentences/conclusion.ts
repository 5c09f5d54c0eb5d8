import { ABSENT, type Term } from '../../solver/incompatibility.js';
import { andList, orList } from './word-list.js';
import type { NounPhrases } from './noun-phrases.js';

/** Part of step 3: what cannot all be, as what follows from it. */
export function conclusion(terms: readonly Term[], nouns: NounPhrases): string {
  const crossplane = terms.find(({ variable }) => variable === nouns.encoder.crossplane);
  const others = terms.filter((term) => term !== crossplane);
  const present = others.filter((term) => !isNegative(term)).map((term) => nouns.some(term));
  const wanted = others.filter(isNegative).map((term) => nouns.some(complement(term)));
  if (crossplane !== undefined) {
    const releases = nouns.releases(complement(crossplane).values);
    if (wanted.length === 0) {
      return present.length === 0
        ? `Crossplane must be ${releases}`
        : `${andList(present)} ${present.length === 1 ? 'needs' : 'need'} Crossplane ${releases}`;
    }
    wanted.push(`Crossplane ${releases}`);
  }
  if (wanted.length > 0) {
    if (present.length === 0) return `${orList(wanted)} is needed`;
    return `${andList(present)} ${present.length === 1 ? 'requires' : 'together require'} ${orList(wanted)}`;
  }
  if (present.length === 0) return 'there is no answer';
  if (present.length === 1) return `${present[0]!} cannot be used`;
  return `${andList(present)} cannot be installed together`;
}

/** Whether a term holds for a package that is not installed: its complement is what is wanted. */
function isNegative({ values }: Term): boolean {
  return values.has(ABSENT);
}

function complement({ variable, values }: Term): Term {
  return { variable, values: values.complement() };
}
