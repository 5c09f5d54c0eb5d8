import type { RequestEdit } from '../../model/edit/request-edit.js';
import type { Origin, PackageKind } from '../../model/package.js';
import { joinReference } from '../../model/reference.js';
import { isList, isMapping, stringOf, type JsonObject, type JsonValue } from '../../text/json.js';
import type { PatchOperation } from '../../text/patch-operation.js';
import type { Path } from '../../text/yaml/path.js';
import { parseDocuments } from '../document.js';
import { jsonPointer, pointerSteps, valueAtSteps } from './json-pointer.js';

/** What was given, as far as it can be changed. */
export interface GivenInputs {
  /** The text of each file that asks for something, by path. */
  readonly texts: ReadonlyMap<string, string>;
  /** Packages named on the command line. */
  readonly refs: readonly string[];
  /** Files named with `-f`; none: those of the working folder are read. */
  readonly files: readonly string[];
  /** `--crossplane` is given, which beats what a file says. */
  readonly hasCrossplane: boolean;
}

/** What to change in what was given. */
export interface InputEdit {
  readonly files: readonly FileEdit[];
  /** The whole new list of references; undefined: it stays. */
  readonly refs?: readonly string[] | undefined;
  /** Flags to add or change; undefined: none. */
  readonly args?: readonly string[] | undefined;
}

/** A change to one document of a file; a patch of `''` alone makes a file that is not there yet. */
export interface FileEdit {
  readonly file: string;
  readonly document: number;
  readonly patch: readonly PatchOperation[];
}

/** Where rules are written that no file given can hold. */
const NEW_FILE = 'xpkg.yaml';
const NEW_FILE_BESIDE_OTHERS = 'xpkg-rules.yaml';

const SUBJECTS = ['provider', 'configuration', 'function', 'package'];

/**
 * How the files, references and flags that were given come to ask for what edits say; undefined:
 * one of them has no place there.
 */
export function inputEdit(
  edits: readonly RequestEdit[],
  given: GivenInputs,
): InputEdit | undefined {
  const parts = edits.map((edit) => partFor(edit, given));
  if (!parts.every((part) => part !== undefined)) return undefined;
  const args = parts.flatMap((part) => part.args ?? []);
  const changes = parts.flatMap(({ ref }) => (ref === undefined ? [] : [ref]));
  return {
    files: merged(parts.flatMap(({ files = [] }) => files)),
    refs: changes.length === 0 ? undefined : changedRefs(given.refs, changes),
    args: args.length === 0 ? undefined : args,
  };
}

/** What one edit amounts to. */
interface Part {
  readonly files?: readonly FileEdit[];
  readonly ref?: RefChange;
  readonly args?: readonly string[];
}

interface RefChange {
  readonly place: number;
  /** undefined: it goes. */
  readonly becomes: string | undefined;
}

function partFor(edit: RequestEdit, given: GivenInputs): Part | undefined {
  switch (edit.edit) {
    case 'version':
    case 'repository':
    case 'kind':
    case 'remove':
      return isRef(edit.at) ? refPart(edit, given) : entryPart(edit, given);
    case 'prerelease':
      return prereleasePart(edit, given);
    case 'override':
      return rulePart('overrides', { package: edit.repository, version: edit.version }, given);
    case 'replace':
      return rulePart('replace', { package: edit.repository, with: edit.with }, given);
    case 'age-exceptions':
      return exceptionsPart(edit, given);
    case 'crossplane':
      return crossplanePart(edit.version, given);
    case 'allow-cycles':
      return { args: ['--allow-cycles'] };
  }
}

type EntryEdit = Extract<RequestEdit, { edit: 'version' | 'repository' | 'kind' | 'remove' }>;

function isRef({ file, path }: Origin): boolean {
  return file === 'command line' && path !== undefined;
}

function refPart(edit: EntryEdit, { refs }: GivenInputs): Part | undefined {
  const place = Number(edit.at.path![0]);
  const ref = refs[place]?.trim();
  if (ref === undefined || edit.edit === 'kind') return undefined;
  if (edit.edit === 'remove') return { ref: { place, becomes: undefined } };
  const becomes =
    edit.edit === 'version'
      ? `${edit.repository}@${edit.version}`
      : `${edit.to}${ref.slice(edit.from.length)}`;
  return { ref: { place, becomes } };
}

function changedRefs(refs: readonly string[], changes: readonly RefChange[]): string[] {
  return refs.flatMap((ref, place) => {
    const change = changes.find((one) => one.place === place);
    return change === undefined ? [ref] : (change.becomes ?? []);
  });
}

function entryPart(edit: EntryEdit, given: GivenInputs): Part | undefined {
  const { file, document = 0, path } = edit.at;
  const entry = path && valueAt(edit.at, given);
  if (entry === undefined || !isMapping(entry)) return undefined;
  if (edit.edit === 'remove' && path!.at(-2) === 'packages') return omission(entry, given);
  const patch = entryPatch(edit, entry, path!);
  return patch && { files: [{ file, document, patch }] };
}

/** Without the entries about what this one is about: a PackageSet may say more of what it includes. */
function omission(entry: JsonObject, given: GivenInputs): Part {
  const subject = JSON.stringify(subjectOf(entry));
  const files = packageSets(given).flatMap(({ file, document, path, spec }) => {
    const packages = isList(spec['packages']) ? spec['packages'] : [];
    const place = packages.findIndex(
      (other) => isMapping(other) && JSON.stringify(subjectOf(other)) === subject,
    );
    const patch = [
      { op: 'remove', path: jsonPointer([...path, 'spec', 'packages', place]) },
    ] as const;
    return place < 0 ? [] : [{ file, document, patch }];
  });
  return { files };
}

/** The package or the CRD that an entry of a PackageSet is about. */
function subjectOf(entry: JsonObject): JsonValue | undefined {
  const key = SUBJECTS.find((each) => typeof entry[each] === 'string');
  return key === undefined ? entry['crd'] : entry[key];
}

/** How an entry changes: an object, an entry of a PackageSet, of dependsOn or of a project. */
function entryPatch(
  edit: EntryEdit,
  entry: JsonObject,
  path: Path,
): readonly PatchOperation[] | undefined {
  if (edit.edit === 'remove') return [{ op: 'remove', path: jsonPointer(path) }];
  const spec = entry['spec'];
  if (isMapping(spec) && typeof spec['package'] === 'string' && 'apiVersion' in entry) {
    return objectPatch(
      edit,
      { package: spec['package'], source: stringOf(spec['source']) ?? '' },
      path,
    );
  }
  const inner = entry['xpkg'];
  return isMapping(inner)
    ? dependencyPatch(edit, inner, [...path, 'xpkg'])
    : dependencyPatch(edit, entry, path);
}

function objectPatch(
  edit: Exclude<EntryEdit, { edit: 'remove' }>,
  { package: written, source = '' }: { readonly package: string; readonly source?: string },
  path: Path,
): readonly PatchOperation[] {
  if (edit.edit === 'kind') return [set([...path, 'kind'], edit.kind)];
  // A PackageInstall names the registry in a field of its own.
  const before = source === '' ? '' : `${source.replace(/(?<!\/)\/+$/, '')}/`;
  const reference =
    edit.edit === 'version'
      ? joinReference(edit.repository, edit.version)
      : `${edit.to}${`${before}${written}`.slice(edit.from.length)}`;
  if (reference.startsWith(before)) {
    return [set([...path, 'spec', 'package'], reference.slice(before.length))];
  }
  const elsewhere = { op: 'remove', path: jsonPointer([...path, 'spec', 'source']) } as const;
  return [elsewhere, set([...path, 'spec', 'package'], reference)];
}

function dependencyPatch(
  edit: Exclude<EntryEdit, { edit: 'remove' }>,
  entry: JsonObject,
  path: Path,
): readonly PatchOperation[] | undefined {
  const subject = SUBJECTS.find((key) => typeof entry[key] === 'string');
  if (subject === undefined) return undefined;
  switch (edit.edit) {
    case 'version':
      return [set([...path, 'version'], edit.version, 'version' in entry)];
    case 'repository':
      return [set([...path, subject], edit.to)];
    case 'kind':
      return kindPatch(edit.kind, { subject, entry }, path);
  }
}

/** `kind:` says another, or the name stands under the key of another. */
function kindPatch(
  kind: PackageKind,
  { subject, entry }: { readonly subject: string; readonly entry: JsonObject },
  path: Path,
): readonly PatchOperation[] {
  if ('kind' in entry) return [set([...path, 'kind'], kind)];
  const [from, to] = [subject, kind.toLowerCase()].map((key) => jsonPointer([...path, key]));
  return [{ op: 'move', from: from!, path: to! }];
}

function prereleasePart(
  { at, repository }: Extract<RequestEdit, { edit: 'prerelease' }>,
  given: GivenInputs,
): Part {
  const isEntry = at?.path?.at(-2) === 'packages' && valueAt(at, given) !== undefined;
  if (!isEntry) return { args: ['--prerelease', repository] };
  const patch = [set([...at.path, 'prerelease'], true, false)];
  return { files: [{ file: at.file, document: at.document ?? 0, patch }] };
}

/** A PackageSet among what was given, and where it stands. */
interface PlacedSet {
  readonly file: string;
  readonly document: number;
  readonly path: Path;
  readonly spec: JsonObject;
}

function rulePart(
  list: 'overrides' | 'replace',
  rule: JsonObject,
  given: GivenInputs,
): Part | undefined {
  const [home] = packageSets(given);
  if (home === undefined) return newFilePart({ [list]: [rule] }, given);
  const { file, document, path, spec } = home;
  const place = [...path, 'spec', list];
  const patch = isList(spec[list])
    ? [set([...place, '-'], rule, false)]
    : [set(place, [rule], list in spec)];
  return { files: [{ file, document, patch }] };
}

/** Beside the minimum age of a policy, which stands at the place of the edit. */
function exceptionsPart(
  { at, versions }: Extract<RequestEdit, { edit: 'age-exceptions' }>,
  given: GivenInputs,
): Part | undefined {
  const { file, document = 0, path = [] } = at;
  if (valueAt(at, given) === undefined) return undefined;
  const place = [...path.slice(0, -1), 'minimumAgeExcept'];
  const names = versions.map(({ repository, version }) => `${repository}@${version}`);
  const held = valueAt({ ...at, path: place }, given);
  const patch = isList(held)
    ? names.map((name) => set([...place, '-'], name, false))
    : [set(place, names, held !== undefined)];
  return { files: [{ file, document, patch }] };
}

/** A PackageSet of its own: objects to apply and packages to build have no room for rules. */
function newFilePart(spec: JsonObject, { texts, files }: GivenInputs): Part | undefined {
  const isAlone = texts.size === 0 && files.length === 0;
  const file = isAlone ? NEW_FILE : NEW_FILE_BESIDE_OTHERS;
  const value = { apiVersion: 'xpkg-resolve.dev/v1alpha1', kind: 'PackageSet', spec };
  const others = files.length === 0 ? [...texts.keys()] : [];
  return {
    files: [{ file, document: 0, patch: [{ op: 'add', path: '', value }] }],
    ...(!isAlone && { args: [...others, file].flatMap((each) => ['-f', each]) }),
  };
}

function crossplanePart(version: string, given: GivenInputs): Part {
  const sets = packageSets(given);
  const saying = sets.filter(({ spec }) => typeof spec['crossplane'] === 'string');
  const homes = saying.length > 0 ? saying : sets.slice(0, 1);
  if (given.hasCrossplane || homes.length === 0) return { args: ['--crossplane', version] };
  return {
    files: homes.map(({ file, document, path, spec }) => ({
      file,
      document,
      patch: [set([...path, 'spec', 'crossplane'], version, 'crossplane' in spec)],
    })),
  };
}

function packageSets({ texts }: GivenInputs): readonly PlacedSet[] {
  return Array.from(texts, ([file, text]) =>
    parseDocuments(text, file).flatMap(({ number, value }) =>
      setsIn(value, []).map((found) => ({ file, document: number, ...found })),
    ),
  ).flat();
}

/** A PackageSet, or those among the items of a List. */
function setsIn(value: JsonValue, path: Path): Pick<PlacedSet, 'path' | 'spec'>[] {
  if (!isMapping(value)) return [];
  const { kind, items, spec } = value;
  if (kind === 'PackageSet' && isMapping(spec)) return [{ path, spec }];
  if (kind !== 'List' || !isList(items)) return [];
  return items.flatMap((item, i) => setsIn(item, [...path, 'items', i]));
}

function valueAt({ file, document, path }: Origin, { texts }: GivenInputs): JsonValue | undefined {
  const text = texts.get(file);
  if (text === undefined || path === undefined) return undefined;
  const found = parseDocuments(text, file).find(({ number }) => number === document);
  return valueAtSteps(found?.value, pointerSteps(jsonPointer(path)));
}

function set(path: Path, value: JsonValue, exists = true): PatchOperation {
  return { op: exists ? 'replace' : 'add', path: jsonPointer(path), value };
}

/** Patches of one document, as one. */
function merged(edits: readonly FileEdit[]): readonly FileEdit[] {
  const byPlace = new Map<string, FileEdit>();
  for (const edit of edits) {
    const key = JSON.stringify([edit.file, edit.document]);
    const before = byPlace.get(key)?.patch ?? [];
    byPlace.set(key, { ...edit, patch: [...before, ...edit.patch] });
  }
  return [...byPlace.values()];
}
