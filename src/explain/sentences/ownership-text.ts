import type { OwnedKind } from '../../model/owned-object.js';
import { sameRepository } from '../../model/reference.js';
import type { Encoder } from '../../solver/encoder/encoder.js';
import type { Term } from '../../solver/incompatibility.js';
import type { NounPhrases } from './noun-phrases.js';
import { sharedObjects, type SharedObject } from './shared-objects.js';
import { andList } from './word-list.js';

/** How many objects are named before the rest is only counted. */
const MAX_OBJECTS_NAMED = 3;

/** Part of step 3: who would own what twice. */
export function ownershipText(one: Term, other: Term, nouns: NounPhrases): string {
  const { encoder } = nouns;
  const objects = sharedObjects(one, other, encoder);
  const fitting = objects.length > MAX_OBJECTS_NAMED ? MAX_OBJECTS_NAMED - 1 : MAX_OBJECTS_NAMED;
  const shown = objects.slice(0, fitting).map(objectText);
  const more = objects.length - shown.length;
  const what = more > 0 ? `${shown.join(', ')} and ${more} more` : andList(shown);
  const spelled = areOne(one, other, encoder) ? ': they are one repository spelled two ways' : '';
  return `${nouns.some(one)} and ${nouns.some(other)} would both own ${what}${spelled}`;
}

/** `CRD a.example.org`; where the two differ, as what each would own it. */
export function objectText({ name, kinds: [one, other] }: SharedObject): string {
  if (one === other) return `${one} ${name}`;
  return `${name} (the one as ${withArticle(one)}, the other as ${withArticle(other)})`;
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
