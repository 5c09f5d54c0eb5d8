import type { Origin, PackageKind, Repository } from '../../model/package.js';
import { isMapping, stringOf, type JsonObject, type JsonValue } from '../../text/json.js';
import type { PatchOperation } from '../../text/patch-operation.js';
import type { Path } from '../../text/yaml/path.js';
import type { InputDocument } from '../document.js';
import { listAt, valueAt } from '../field.js';
import { jsonPointer } from './json-pointer.js';

/** The list in which a document says which packages it asks for; says how the list is changed. */
export interface PackageList {
  readonly document: InputDocument;
  readonly entries: readonly ListedPackage[];
  /** Operations that add an entry behind the last. */
  adding(entry: NewEntry): readonly PatchOperation[];
  changingVersion(entry: ListedPackage, version: string): readonly PatchOperation[];
  settingCrossplane(version: string): readonly PatchOperation[];
}

export interface ListedPackage {
  /** The repository, or the CRD that is asked for. */
  readonly name: string;
  /** As written; undefined: any. */
  readonly version: string | undefined;
  readonly path: Path;
  readonly origin: Origin;
}

export interface NewEntry {
  readonly repository: Repository;
  readonly kind: PackageKind;
  readonly version: string;
  readonly prerelease?: boolean | undefined;
}

/** How one sort of document writes its list. */
interface Form {
  readonly list: Path;
  /** The part of an entry that holds name and version. */
  readonly inside: Path;
  readonly names: readonly string[];
  readonly crossplane: Path;
  write(entry: NewEntry, entries: readonly JsonValue[]): JsonObject;
}

const SUBJECTS = ['provider', 'configuration', 'function', 'package'];

const PACKAGE_SET: Form = {
  list: ['spec', 'packages'],
  inside: [],
  names: [...SUBJECTS, 'crd'],
  crossplane: ['spec', 'crossplane'],
  write: ({ prerelease = false, ...entry }) => ({
    ...bySubject(entry),
    ...(prerelease && { prerelease }),
  }),
};

const LOCAL_PACKAGE: Form = {
  list: ['spec', 'dependsOn'],
  inside: [],
  names: SUBJECTS,
  crossplane: ['spec', 'crossplane', 'version'],
  // As the entries that are there: by `apiVersion` and `kind`, or by the older short form.
  write: (entry, entries) =>
    entries.some((each) => isMapping(each) && 'apiVersion' in each)
      ? byKind(entry)
      : bySubject(entry),
};

/** `crossplane-project.yaml`, as `crossplane dependency add` writes it. */
const PROJECT: Form = {
  list: ['spec', 'dependencies'],
  inside: ['xpkg'],
  names: ['package'],
  crossplane: ['spec', 'crossplane', 'version'],
  write: (entry) => ({ type: 'xpkg', xpkg: byKind(entry) }),
};

const UPBOUND_PROJECT: Form = { ...LOCAL_PACKAGE, write: byKind };

/** The list of a document, where it is one that has such a list. */
export function packageListIn(document: InputDocument): PackageList | undefined {
  const form = formOf(document);
  if (form === undefined) return undefined;
  const items = listAt(document, form.list);
  return {
    document,
    entries: items.flatMap((_, i) => listed(document, form, [...form.list, i])),
    adding: (entry) => {
      const value = form.write(entry, items);
      return Array.isArray(valueAt(document, form.list))
        ? [{ op: 'add', path: jsonPointer([...form.list, '-']), value }]
        : adding(document, form.list, [value]);
    },
    changingVersion: ({ path }, version) =>
      adding(document, [...path, ...form.inside, 'version'], version),
    settingCrossplane: (version) => adding(document, form.crossplane, version),
  };
}

function formOf(document: InputDocument): Form | undefined {
  const [apiVersion, kind] = [valueAt(document, ['apiVersion']), valueAt(document, ['kind'])];
  const group = typeof apiVersion === 'string' ? apiVersion.split('/', 1)[0] : undefined;
  if (group === 'xpkg-resolve.dev' && kind === 'PackageSet') return PACKAGE_SET;
  if (group === 'meta.pkg.crossplane.io') return LOCAL_PACKAGE;
  if (group === 'dev.crossplane.io' && kind === 'Project') return PROJECT;
  if (group === 'meta.dev.upbound.io' && kind === 'Project') return UPBOUND_PROJECT;
  return undefined;
}

function listed(document: InputDocument, form: Form, path: Path): ListedPackage[] {
  const at = (field: string) => stringOf(valueAt(document, [...path, ...form.inside, field]));
  const name = form.names.map(at).find((text) => text !== undefined);
  if (name === undefined) return [];
  return [{ name, version: at('version'), path, origin: document.originOf(path) }];
}

/** Adds a value, and the mappings on the way to it that are not there. */
function adding(document: InputDocument, path: Path, value: JsonValue): readonly PatchOperation[] {
  const missing = path.findIndex(
    (_, i) => (valueAt(document, path.slice(0, i + 1)) ?? null) === null,
  );
  const end = missing < 0 ? path.length : missing + 1;
  const whole = path.slice(end).reduceRight<JsonValue>((inner, step) => ({ [step]: inner }), value);
  return [{ op: 'add', path: jsonPointer(path.slice(0, end)), value: whole }];
}

function bySubject({ kind, repository, version }: NewEntry): JsonObject {
  return { [kind.toLowerCase()]: repository, version };
}

function byKind({ kind, repository, version }: NewEntry): JsonObject {
  return { apiVersion: 'pkg.crossplane.io/v1', kind, package: repository, version };
}
