import type { RequestEdit } from '../inputs/request.js';
import type { Origin } from '../../base/errors.js';
import { joinReference } from '../../crossplane/packages/reference.js';
import {
  isList,
  isMapping,
  type JsonObject,
  jsonPointer,
  type JsonValue,
  type PatchOperation,
  type Path,
  stringOf,
} from '../../base/json.js';
import { parseDocuments, valueAt } from '../inputs/document.js';
import { COMMAND_LINE } from '../inputs/references.js';
import { PACKAGE_FIELDS } from './package-list.js';

/** The editable inputs of a run. */
export interface GivenInputs {
  /** Text of each file that requires packages, by path. */
  readonly texts: ReadonlyMap<string, string>;
  /** Package references on the command line. */
  readonly refs: readonly string[];
  /** Files named with `-f`. If empty, the default files of the working folder are read. */
  readonly files: readonly string[];
  /** Whether `--crossplane` is given, which overrides the files. */
  readonly hasCrossplane: boolean;
  /** Working folder that paths are relative to; undefined if unknown. */
  readonly cwd?: string | undefined;
}

/** Changes to files, references and flags. */
export interface InputEdit {
  readonly files: readonly FileEdit[];
  /** The complete new list of references; undefined if unchanged. */
  readonly refs?: readonly string[] | undefined;
  /** Flags to add or change; undefined if none. */
  readonly args?: readonly string[] | undefined;
}

/** A patch of one document of a file. A patch with the path `''` creates the file. */
export interface FileEdit {
  readonly file: string;
  readonly document: number;
  readonly patch: readonly PatchOperation[];
}

/** New file for rules, if no given file can contain them. */
const NEW_FILE = 'xpkg.yaml';
const NEW_RULES_FILE = 'xpkg-rules.yaml';

/** Converts request edits into edits of the inputs. Undefined if the inputs cannot express one. */
export function inputEdit(
  edits: readonly RequestEdit[],
  given: GivenInputs,
): InputEdit | undefined {
  const parts = edits.map((edit) => changeFor(edit, given));
  if (!parts.every((part) => part !== undefined)) return undefined;
  const args = parts.flatMap((part) => part.args ?? []);
  const changes = parts.flatMap(({ ref }) => (ref === undefined ? [] : [ref]));
  return {
    files: mergedByDocument(parts.flatMap(({ files = [] }) => files)),
    refs: changes.length === 0 ? undefined : changedRefs(given.refs, changes),
    args: args.length === 0 ? undefined : args,
  };
}

/** The changes that implement one request edit. */
interface InputChange {
  readonly files?: readonly FileEdit[];
  readonly ref?: RefChange;
  readonly args?: readonly string[];
}

interface RefChange {
  readonly place: number;
  /** The new reference; undefined to remove it. */
  readonly newRef: string | undefined;
}

function changeFor(edit: RequestEdit, given: GivenInputs): InputChange | undefined {
  switch (edit.edit) {
    case 'version':
    case 'repository':
    case 'kind':
    case 'remove':
      return edit.at.file === COMMAND_LINE.file && edit.at.path !== undefined
        ? refChange(edit, given)
        : entryChange(edit, given);
    case 'prerelease':
      return prereleaseChange(edit, given);
    case 'override':
      return ruleChange('overrides', { package: edit.repository, version: edit.version }, given);
    case 'replace':
      return ruleChange('replace', { package: edit.repository, with: edit.with }, given);
    case 'age-exceptions':
      return exceptionsChange(edit, given);
    case 'crossplane':
      return crossplaneChange(edit.version, given);
    case 'allow-cycles':
      return { args: ['--allow-cycles'] };
  }
}

type EntryEdit = Extract<RequestEdit, { edit: 'version' | 'repository' | 'kind' | 'remove' }>;

function refChange(edit: EntryEdit, { refs }: GivenInputs): InputChange | undefined {
  const place = Number(edit.at.path![0]);
  const ref = refs[place]?.trim();
  if (ref === undefined || edit.edit === 'kind') return undefined;
  if (edit.edit === 'remove') return { ref: { place, newRef: undefined } };
  const newRef =
    edit.edit === 'version'
      ? `${edit.repository}@${edit.version}`
      : `${edit.to}${ref.slice(edit.from.length)}`;
  return { ref: { place, newRef } };
}

function changedRefs(refs: readonly string[], changes: readonly RefChange[]): string[] {
  return refs.flatMap((ref, place) => {
    const change = changes.find((one) => one.place === place);
    return change === undefined ? [ref] : (change.newRef ?? []);
  });
}

function entryChange(edit: EntryEdit, given: GivenInputs): InputChange | undefined {
  const { file, document = 0, path } = edit.at;
  const entry = path && givenValue(edit.at, given);
  if (entry === undefined || !isMapping(entry)) return undefined;
  if (edit.edit === 'remove' && path!.at(-2) === 'packages')
    return removalFromEverySet(entry, given);
  const patch = entryPatch(edit, entry, path!);
  return patch && { files: [{ file, document, patch }] };
}

/** Removes every entry about the same package: an included PackageSet may require it too. */
function removalFromEverySet(entry: JsonObject, given: GivenInputs): InputChange {
  const subject = JSON.stringify(subjectOf(entry));
  const files = packageSets(given).flatMap(({ file, document, path, spec }) => {
    const packages = isList(spec['packages']) ? spec['packages'] : [];
    const place = packages.findIndex(
      (other) => isMapping(other) && JSON.stringify(subjectOf(other)) === subject,
    );
    const patch = [removal([...path, 'spec', 'packages', place])];
    return place < 0 ? [] : [{ file, document, patch }];
  });
  return { files };
}

/** Returns the package or CRD of an entry of a PackageSet. */
function subjectOf(entry: JsonObject): JsonValue | undefined {
  const key = PACKAGE_FIELDS.find((each) => typeof entry[each] === 'string');
  return entry[key ?? 'crd'];
}

/** Returns the patch of an object, or of an entry of a PackageSet, `dependsOn` or project. */
function entryPatch(
  edit: EntryEdit,
  entry: JsonObject,
  path: Path,
): readonly PatchOperation[] | undefined {
  if (edit.edit === 'remove') return [removal(path)];
  const spec = entry['spec'];
  if (isMapping(spec) && typeof spec['package'] === 'string' && 'apiVersion' in entry) {
    return objectPatch(edit, spec, path);
  }
  const inner = entry['xpkg'];
  return isMapping(inner)
    ? dependencyPatch(edit, inner, [...path, 'xpkg'])
    : dependencyPatch(edit, entry, path);
}

function objectPatch(
  edit: Exclude<EntryEdit, { edit: 'remove' }>,
  spec: JsonObject,
  path: Path,
): readonly PatchOperation[] {
  if (edit.edit === 'kind') return [set([...path, 'kind'], edit.kind)];
  const source = stringOf(spec['source']) ?? '';
  // A PackageInstall has a separate field for the registry.
  const before = source === '' ? '' : `${source.replace(/(?<!\/)\/+$/, '')}/`;
  const reference =
    edit.edit === 'version'
      ? joinReference(edit.repository, edit.version)
      : `${edit.to}${`${before}${stringOf(spec['package'])}`.slice(edit.from.length)}`;
  if (reference.startsWith(before)) {
    return [set([...path, 'spec', 'package'], reference.slice(before.length))];
  }
  return [removal([...path, 'spec', 'source']), set([...path, 'spec', 'package'], reference)];
}

function dependencyPatch(
  edit: Exclude<EntryEdit, { edit: 'remove' }>,
  entry: JsonObject,
  path: Path,
): readonly PatchOperation[] | undefined {
  const subject = PACKAGE_FIELDS.find((key) => typeof entry[key] === 'string');
  if (subject === undefined) return undefined;
  switch (edit.edit) {
    case 'version':
      return [set([...path, 'version'], edit.version, 'version' in entry)];
    case 'repository':
      return [set([...path, subject], edit.to)];
    case 'kind': {
      if ('kind' in entry) return [set([...path, 'kind'], edit.kind)];
      // The key states the kind.
      const to = jsonPointer([...path, edit.kind.toLowerCase()]);
      return [{ op: 'move', from: jsonPointer([...path, subject]), path: to }];
    }
  }
}

function prereleaseChange(
  { at, repository }: Extract<RequestEdit, { edit: 'prerelease' }>,
  given: GivenInputs,
): InputChange {
  const isEntry = at?.path?.at(-2) === 'packages' && givenValue(at, given) !== undefined;
  if (!isEntry) return { args: ['--prerelease', repository] };
  const patch = [set([...at.path, 'prerelease'], true, false)];
  return { files: [{ file: at.file, document: at.document ?? 0, patch }] };
}

/** A PackageSet and its place in the inputs. */
interface LocatedPackageSet extends Omit<FileEdit, 'patch'> {
  readonly path: Path;
  readonly spec: JsonObject;
}

function ruleChange(
  list: 'overrides' | 'replace',
  rule: JsonObject,
  given: GivenInputs,
): InputChange | undefined {
  const [target] = packageSets(given);
  if (target === undefined) return newFileChange({ [list]: [rule] }, given);
  const { file, document, path, spec } = target;
  const place = [...path, 'spec', list];
  const patch = isList(spec[list])
    ? [set([...place, '-'], rule, false)]
    : [set(place, [rule], list in spec)];
  return { files: [{ file, document, patch }] };
}

/** Adds to the exceptions of a policy. The edit is located at the `minimumAge` of that policy. */
function exceptionsChange(
  { at, versions }: Extract<RequestEdit, { edit: 'age-exceptions' }>,
  given: GivenInputs,
): InputChange | undefined {
  const { file, document = 0, path = [] } = at;
  if (givenValue(at, given) === undefined) return undefined;
  const place = [...path.slice(0, -1), 'minimumAgeExcept'];
  const names = versions.map(({ repository, version }) => `${repository}@${version}`);
  const existing = givenValue({ ...at, path: place }, given);
  const patch = isList(existing)
    ? names.map((name) => set([...place, '-'], name, false))
    : [set(place, names, existing !== undefined)];
  return { files: [{ file, document, patch }] };
}

/** Creates a PackageSet for rules: objects to apply and packages to build cannot contain any. */
function newFileChange(spec: JsonObject, { texts, files }: GivenInputs): InputChange | undefined {
  const isOnlyFile = texts.size === 0 && files.length === 0;
  const file = isOnlyFile ? NEW_FILE : NEW_RULES_FILE;
  const value = { apiVersion: 'xpkg-resolve.dev/v1alpha1', kind: 'PackageSet', spec };
  const others = files.length === 0 ? [...texts.keys()] : [];
  return {
    files: [{ file, document: 0, patch: [{ op: 'add', path: '', value }] }],
    ...(!isOnlyFile && { args: [...others, file].flatMap((each) => ['-f', each]) }),
  };
}

function crossplaneChange(version: string, given: GivenInputs): InputChange {
  const sets = packageSets(given);
  const withRelease = sets.filter(({ spec }) => typeof spec['crossplane'] === 'string');
  const targets = withRelease.length > 0 ? withRelease : sets.slice(0, 1);
  if (given.hasCrossplane || targets.length === 0) return { args: ['--crossplane', version] };
  return {
    files: targets.map(({ file, document, path, spec }) => ({
      file,
      document,
      patch: [set([...path, 'spec', 'crossplane'], version, 'crossplane' in spec)],
    })),
  };
}

function packageSets({ texts }: GivenInputs): readonly LocatedPackageSet[] {
  return [...texts].flatMap(([file, text]) =>
    parseDocuments(text, file).flatMap(({ number, value }) =>
      packageSetsIn(value, []).map((found) => ({ file, document: number, ...found })),
    ),
  );
}

/** Returns a PackageSet, or the PackageSets in a List. */
function packageSetsIn(value: JsonValue, path: Path): Pick<LocatedPackageSet, 'path' | 'spec'>[] {
  if (!isMapping(value)) return [];
  const { kind, items, spec } = value;
  if (kind === 'PackageSet' && isMapping(spec)) return [{ path, spec }];
  if (kind !== 'List' || !isList(items)) return [];
  return items.flatMap((item, i) => packageSetsIn(item, [...path, 'items', i]));
}

function givenValue({ file, document, path }: Origin, { texts }: GivenInputs) {
  const text = texts.get(file);
  if (text === undefined || path === undefined) return undefined;
  const found = parseDocuments(text, file).find(({ number }) => number === document);
  return found && valueAt(found, path);
}

function set(path: Path, value: JsonValue, exists = true): PatchOperation {
  return { op: exists ? 'replace' : 'add', path: jsonPointer(path), value };
}

function removal(path: Path): PatchOperation {
  return { op: 'remove', path: jsonPointer(path) };
}

/** Joins the patches of each document into one. */
function mergedByDocument(edits: readonly FileEdit[]): readonly FileEdit[] {
  const byPlace = new Map<string, FileEdit>();
  for (const edit of edits) {
    const key = JSON.stringify([edit.file, edit.document]);
    const before = byPlace.get(key)?.patch ?? [];
    byPlace.set(key, { ...edit, patch: [...before, ...edit.patch] });
  }
  return [...byPlace.values()];
}
