import { conjugated, type NounPhrases, placeText } from './noun-phrases.js';
import { getOrCreate } from '../../base/collections.js';
import { isDigest } from '../../base/digest.js';
import { formatOrigin } from '../../base/errors.js';
import { andList } from '../../base/messages.js';
import { type Selector, selectorText } from '../../crossplane/constraints/constraint.js';
import { groupOf, type OwnedKind, ownershipKey } from '../../crossplane/packages/owned-objects.js';
import type { Finding } from '../../crossplane/packages/package-meta.js';
import type { Repository } from '../../crossplane/packages/package.js';
import { sameRepository } from '../../crossplane/packages/reference.js';
import type { Encoder } from '../solver/encoder.js';
import type { Term } from '../solver/incompatibility.js';
import { effectiveSelector, type RootPackage, type Rule, type Ruling } from '../solver/problem.js';

/** Returns why the user or a pin excludes versions, as a predicate of the versions. */
export function exclusionText(
  { origin, drops }: Rule,
  isMany: boolean,
  nouns: NounPhrases,
): string {
  if (drops === undefined) return `${conjugated('be', isMany)} excluded (${formatOrigin(origin)})`;
  return `${isMany ? 'do' : 'does'} not require ${nouns.name(drops)}`;
}

/** Returns the required package and constraint, and the reason if no version satisfies it. */
export function wantedText(on: Term, selector: Selector, nouns: NounPhrases): string {
  const { repository } = nouns.package(on);
  const wanted = `${nouns.name(repository)} \`${selectorText(selector)}\``;
  return `${wanted}${overrideNote(repository, nouns)}${unmetText(on, selector, nouns)}`;
}

/** Returns a note if an override replaces the constraint. */
function overrideNote(repository: Repository, { problem }: NounPhrases): string {
  const rule = problem.overrides.get(repository);
  if (rule === undefined) return '';
  return ` (overridden: \`${selectorText(rule.selector)}\`, ${formatOrigin(rule.origin)})`;
}

/** Returns the beginning of a sentence about a requirement of a root: subject and verb. */
export function requesterText({ by, origin }: Pick<RootPackage, 'by' | 'origin'>): string {
  const place = placeText(origin);
  return by === undefined ? `${place} asks for` : `${by} (${place}) requires`;
}

/** Returns why the target rejects a package. */
export function firstErrorText(findings: readonly Finding[]): string {
  return firstError(findings)?.message ?? '';
}

/** Returns the finding because of which the target rejects a package. */
export function firstError(findings: readonly Finding[]): Finding | undefined {
  return findings.find(({ severity }) => severity === 'error') ?? findings[0];
}

/**
 * Part of step 3: returns why a policy excludes versions, as a predicate of the versions: `are denied
 * by the policy (xpkg.yaml:9)`.
 */
export function rulingText(ruling: Ruling, isMany: boolean): string {
  const are = conjugated('be', isMany);
  const place = formatOrigin(ruling.origin);
  switch (ruling.by) {
    case 'registries':
      return `${are} outside the registries that the policy allows (${place})`;
    case 'deny': {
      // Block scalars of YAML end with a line break, but a sentence must be one line.
      const reason = ruling.reason?.trim().replace(/\s+/g, ' ') ?? '';
      const because = reason === '' ? '' : `: ${reason}`;
      return `${are} denied by the policy (${place}${because})`;
    }
    case 'deny-digest': {
      const these = isMany ? 'digests that do' : 'a digest that does';
      return `${are} ${these} not say whether the policy denies the version (${place}: \`${ruling.versions}\`)`;
    }
    case 'age': {
      const which = isMany ? 'the first of them until' : 'until';
      return `${are} younger than the \`${ruling.minimum}\` that the policy asks for (${place}), ${which} ${ruling.from}`;
    }
    case 'signature': {
      const because = ruling.because === undefined ? '' : `: ${ruling.because}`;
      const lack = conjugated('lack', isMany);
      return `${lack} the signature that ImageConfig \`${ruling.policy}\` asks for (${place})${because}`;
    }
    case 'unknown-age': {
      const because = ruling.because === undefined ? '' : `: ${ruling.because}`;
      return `${are} of unknown age${because}, and the policy asks for \`${ruling.minimum}\` (${place})`;
    }
  }
}

/** Returns why no version satisfies a requirement; empty if one does. */
function unmetText(on: Term, required: Selector, nouns: NounPhrases): string {
  const { repository, versions, exists } = nouns.package(on);
  const selector = effectiveSelector(nouns.problem, repository, required);
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
  const existing =
    labels.length === 1 ? `is ${labels[0]!}` : `are ${labels[0]!} to ${labels.at(-1)!}`;
  return ` (no version matches: there ${existing})`;
}

/** Maximum number of objects that are named. The rest is counted. */
const MAX_OBJECTS_NAMED = 3;

/** Describes the objects that two packages would both own. */
export function ownershipText(one: Term, other: Term, nouns: NounPhrases): string {
  const { encoder } = nouns;
  const objects = sharedObjects(one, other, encoder);
  const limit = objects.length > MAX_OBJECTS_NAMED ? MAX_OBJECTS_NAMED - 1 : MAX_OBJECTS_NAMED;
  const shown = objects.slice(0, limit).map(objectText);
  const more = objects.length - shown.length;
  const what = more > 0 ? `${shown.join(', ')} and ${more} more` : andList(shown);
  const note = areOneRepository(one, other, encoder)
    ? ': they are one repository spelled two ways'
    : '';
  return `${nouns.anyOf(one)} and ${nouns.anyOf(other)} would both own ${what}${note}`;
}

/** Returns `CRD a.example.org`, with both kinds if the two packages own it as different kinds. */
export function objectText({ name, kinds: [one, other] }: SharedObject): string {
  if (one === other) return `${one} ${name}`;
  return `${name} (the one as ${withArticle(one)}, the other as ${withArticle(other)})`;
}

function withArticle(kind: OwnedKind): string {
  return `${/^(?:[AEIO]|XRD|MRD|MRAP)/.test(kind) ? 'an' : 'a'} ${kind}`;
}

function areOneRepository(one: Term, other: Term, encoder: Encoder): boolean {
  const [a, b] = [encoder.subject(one.variable), encoder.subject(other.variable)];
  return (
    a.about === 'package' && b.about === 'package' && sameRepository(a.repository, b.repository)
  );
}

/** An object that two packages would own, with the kind as which each of them owns it. */
interface SharedObject {
  readonly name: string;
  readonly kinds: readonly [OwnedKind, OwnedKind];
}

/** Returns the objects that versions of both terms would own. */
export function sharedObjects(one: Term, other: Term, encoder: Encoder): SharedObject[] {
  const [kinds, otherKinds] = [kindsOf(one, encoder), kindsOf(other, encoder)];
  return encoder.ownership.shared(one, other).map((key) => ({
    name: key.slice(key.indexOf(':') + 1),
    kinds: [kinds.get(key)!, otherKinds.get(key)!],
  }));
}

/** Returns the kind as which these versions own each object, by object key. */
function kindsOf({ variable, values }: Term, encoder: Encoder): Map<string, OwnedKind> {
  const subject = encoder.subject(variable);
  const metas = subject.about === 'package' ? [...subject.metas] : [];
  const lists = metas.flatMap(([value, { owns }]) => (values.has(value) ? [owns] : []));
  if (subject.about === 'local') lists.push(subject.root.objects);
  const kinds = new Map<string, OwnedKind>();
  // Versions that own the same objects share one list.
  for (const object of [...new Set(lists)].flat()) {
    getOrCreate(kinds, ownershipKey(object), () => object.kind);
  }
  return kinds;
}

/** Maximum number of objects that a summary names. More objects are only counted. */
const MAX_OBJECTS_IN_SUMMARY = 2;
/** Maximum number of API groups that are named. If there are more, one object is an example. */
const MAX_GROUPS_NAMED = 2;

/** `CRD a.example.org`; `104 CRDs`; `3 XRDs and 1 Composition`. */
export function countedObjects(objects: readonly SharedObject[]): string {
  if (objects.length === 1) return objectText(objects[0]!);
  const counts = new Map<string, number>();
  for (const { kinds } of objects) {
    const kind = kinds[0] === kinds[1] ? kinds[0] : 'CRD';
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return andList(
    Array.from(counts, ([kind, count]) => `${count} ${kind}${count === 1 ? '' : 's'}`),
  );
}

/** Names a few objects. Counts more objects and names their groups: `104 CRDs of a.example.org`. */
export function namedObjects(objects: readonly SharedObject[]): string {
  if (objects.length <= MAX_OBJECTS_IN_SUMMARY) return andList(objects.map(objectText));
  const groups = new Set(objects.map(({ name, kinds }) => groupOf({ name, kind: kinds[0] })));
  const example = `${objectText(objects[0]!)} is one`;
  const where = groups.size > MAX_GROUPS_NAMED ? `(${example})` : `of ${andList([...groups])}`;
  return `${countedObjects(objects)} ${where}`;
}
