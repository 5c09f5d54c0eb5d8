import { ownershipKey, type OwnedKind } from '../../model/owned-object.js';
import { sameRepository } from '../../model/reference.js';
import type { Encoder } from '../../solver/encoder/encoder.js';
import type { Term } from '../../solver/incompatibility.js';
import type { NounPhrases } from './noun-phrases.js';
import { andList } from './word-list.js';

/** How many objects are named before the rest is only counted. */
const MAX_OBJECTS_NAMED = 3;

/** Part of step 3: who would own what twice. */
export function ownershipText(one: Term, other: Term, nouns: NounPhrases): string {
  const { encoder } = nouns;
  const keys = encoder.ownership.shared(one, other);
  const fitting = keys.length > MAX_OBJECTS_NAMED ? MAX_OBJECTS_NAMED - 1 : MAX_OBJECTS_NAMED;
  const shown = keys.slice(0, fitting).map((key) => {
    const kinds = [kindOf(key, one, encoder), kindOf(key, other, encoder)] as const;
    const object = key.slice(key.indexOf(':') + 1);
    if (kinds[0] === kinds[1]) return `${kinds[0]} ${object}`;
    return `${object} (the one as ${withArticle(kinds[0])}, the other as ${withArticle(kinds[1])})`;
  });
  const more = keys.length - shown.length;
  const what = more > 0 ? `${shown.join(', ')} and ${more} more` : andList(shown);
  const spelled = areOne(one, other, encoder) ? ': they are one repository spelled two ways' : '';
  return `${nouns.some(one)} and ${nouns.some(other)} would both own ${what}${spelled}`;
}

/** As what these versions would own it. */
function kindOf(key: string, some: Term, encoder: Encoder): OwnedKind {
  const subject = encoder.subject(some.variable);
  const owned =
    subject.about === 'package'
      ? [...subject.metas].flatMap(([value, meta]) => (some.values.has(value) ? meta.owns : []))
      : subject.about === 'local'
        ? subject.root.objects
        : [];
  return owned.find((object) => ownershipKey(object) === key)!.kind;
}

function withArticle(kind: OwnedKind): string {
  return `${/^(?:[AEIO]|XRD|MRD|MRAP)/.test(kind) ? 'an' : 'a'} ${kind}`;
}

function areOne(one: Term, other: Term, encoder: Encoder): boolean {
  const [a, b] = [encoder.subject(one.variable), encoder.subject(other.variable)];
  return (
    a.about === 'package' && b.about === 'package' && sameRepository(a.repository, b.repository)
  );
}
