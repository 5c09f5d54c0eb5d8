import { InputError, type Origin } from '../../base/errors.js';
import {
  isMapping,
  type JsonObject,
  jsonPointer,
  type JsonValue,
  type PatchOperation,
  type Path,
  stringOf,
} from '../../base/json.js';
import type { PackageKind, Repository } from '../../crossplane/packages/package.js';
import { DocumentNode, type InputDocument, parseDocuments, valueAt } from '../inputs/document.js';
import {
  DEFAULT_FILES,
  findInputFiles,
  type InputFileOptions,
  readText,
} from '../inputs/input-files.js';

/** The list of required packages in a document, and the operations that change it. */
interface PackageList {
  readonly document: InputDocument;
  readonly entries: readonly ListedPackage[];
  operationsToAdd(entry: NewEntry): readonly PatchOperation[];
  operationsToChangeVersion(entry: ListedPackage, version: string): readonly PatchOperation[];
  operationsToSetCrossplane(version: string): readonly PatchOperation[];
}

export interface ListedPackage {
  /** Repository, or the required CRD. */
  readonly name: string;
  /** Version as written; undefined for any version. */
  readonly version: string | undefined;
  readonly path: Path;
  readonly origin: Origin;
}

interface NewEntry {
  readonly repository: Repository;
  readonly kind: PackageKind;
  readonly version: string;
  readonly prerelease?: boolean | undefined;
}

/** How a type of document stores its list. */
interface ListFormat {
  readonly list: Path;
  /** Path from an entry to the mapping with name and version. */
  readonly entryPath: Path;
  readonly nameFields: readonly string[];
  readonly crossplane: Path;
  write(entry: NewEntry, entries: readonly JsonValue[]): JsonObject;
}

/** Fields of an entry that name a package. */
export const PACKAGE_FIELDS = ['provider', 'configuration', 'function', 'package'];

const PACKAGE_SET: ListFormat = {
  list: ['spec', 'packages'],
  entryPath: [],
  nameFields: [...PACKAGE_FIELDS, 'crd'],
  crossplane: ['spec', 'crossplane'],
  write: ({ prerelease = false, ...entry }) => ({
    ...bySubject(entry),
    ...(prerelease && { prerelease }),
  }),
};

const LOCAL_PACKAGE: ListFormat = {
  list: ['spec', 'dependsOn'],
  entryPath: [],
  nameFields: PACKAGE_FIELDS,
  crossplane: ['spec', 'crossplane', 'version'],
  // Follows the existing entries: `apiVersion` and `kind`, or the older short form.
  write: (entry, entries) =>
    entries.some((each) => isMapping(each) && 'apiVersion' in each)
      ? byKind(entry)
      : bySubject(entry),
};

/** `crossplane-project.yaml` in the format of `crossplane dependency add`. */
const PROJECT: ListFormat = {
  list: ['spec', 'dependencies'],
  entryPath: ['xpkg'],
  nameFields: ['package'],
  crossplane: ['spec', 'crossplane', 'version'],
  write: (entry) => ({ type: 'xpkg', xpkg: byKind(entry) }),
};

const UPBOUND_PROJECT: ListFormat = { ...LOCAL_PACKAGE, write: byKind };

/** Returns the package list of a document. Returns undefined for a document of another type. */
export function packageListIn(document: InputDocument): PackageList | undefined {
  const format = formatOf(document);
  if (format === undefined) return undefined;
  const items = new DocumentNode(document, format.list).items();
  return {
    document,
    entries: items.flatMap((item) => entryAt(item, format)),
    operationsToAdd: (entry) => {
      const value = format.write(
        entry,
        items.map((item) => item.value ?? null),
      );
      return Array.isArray(valueAt(document, format.list))
        ? [{ op: 'add', path: jsonPointer([...format.list, '-']), value }]
        : addOperations(document, format.list, [value]);
    },
    operationsToChangeVersion: ({ path }, version) =>
      addOperations(document, [...path, ...format.entryPath, 'version'], version),
    operationsToSetCrossplane: (version) => addOperations(document, format.crossplane, version),
  };
}

function formatOf(document: InputDocument): ListFormat | undefined {
  const kind = valueAt(document, ['kind']);
  const group = stringOf(valueAt(document, ['apiVersion']))?.split('/', 1)[0];
  if (group === 'xpkg-resolve.dev' && kind === 'PackageSet') return PACKAGE_SET;
  if (group === 'meta.pkg.crossplane.io') return LOCAL_PACKAGE;
  if (group === 'dev.crossplane.io' && kind === 'Project') return PROJECT;
  if (group === 'meta.dev.upbound.io' && kind === 'Project') return UPBOUND_PROJECT;
  return undefined;
}

function entryAt(item: DocumentNode, format: ListFormat): ListedPackage[] {
  const at = (field: string) => stringOf(item.at(...format.entryPath, field).value);
  const name = format.nameFields.map(at).find((text) => text !== undefined);
  if (name === undefined) return [];
  return [{ name, version: at('version'), path: item.path, origin: item.origin }];
}

/** Adds a value and the missing mappings above it. */
function addOperations(
  document: InputDocument,
  path: Path,
  value: JsonValue,
): readonly PatchOperation[] {
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

/** A package list, and the file that contains it. */
export interface ListInFile {
  readonly list: PackageList;
  /** Path as the user writes it. */
  readonly file: string;
  readonly text: string;
}

/**
 * Returns the list to edit: the list of the first PackageSet in the named files, otherwise of the
 * first package. Throws an `InputError` if there is none.
 */
export async function findPackageList(options: InputFileOptions): Promise<ListInFile> {
  const found: ListInFile[] = [];
  const files = await findInputFiles(options);
  for (const { path } of files) {
    if (path === '-') continue;
    const text = await readText(path, options.cwd);
    for (const document of parseDocuments(text, path)) {
      const list = packageListIn(document);
      if (list !== undefined) found.push({ list, file: path, text });
    }
  }
  const chosen = found.find(({ list }) => isPackageSet(list)) ?? found[0];
  if (chosen !== undefined) return chosen;
  const searchedFiles = files.map(({ path }) => `\`${path}\``).join(', ') || 'this folder';
  throw new InputError(`there is no PackageSet to edit in ${searchedFiles}`, {
    hint: `\`xpkg-resolve init\` writes \`${DEFAULT_FILES[0]}\`; \`-f\` names another file`,
  });
}

/** Returns whether the list belongs to a PackageSet, not to a package under development. */
export function isPackageSet({ document: { value } }: PackageList): boolean {
  return (value as { kind?: unknown }).kind === 'PackageSet';
}
