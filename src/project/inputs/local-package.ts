import {
  errorAt,
  eachAt,
  flagAt,
  type InputDocument,
  noteAt,
  objectAt,
  requiredTextAt,
  textAt,
  valueAt,
} from './document.js';
import type { Contribution, LocalRoot } from './request.js';

import { isMapping, type JsonObject, type Path } from '../../base/json.js';
import type { PackageKind } from '../../crossplane/packages/package.js';
import {
  OBJECT_FIELDS,
  unknownFieldText,
  unknownMetaFields,
} from '../../crossplane/releases/package-fields.js';

/** Reads a `crossplane.yaml`: a root whose requirements count, but that is not rendered. */
export function readLocalPackage(
  document: InputDocument,
  kind: PackageKind,
  { compat }: { readonly compat: boolean },
): Contribution {
  const local = localRoot(document, {
    kind,
    crossplane: crossplaneOf(document, compat),
    dependsOn: dependsOn(document),
  });
  const unknown = unknownFields(document, kind);
  return {
    roots: [{ ...local, ...(unknown.length > 0 && { unknownFields: unknown }) }],
    notes: misplacedFieldNotes(document),
  };
}

function unknownFields(
  document: InputDocument,
  kind: PackageKind,
): NonNullable<LocalRoot['unknownFields']> {
  return unknownMetaFields(kind, document.value)
    .filter(({ path }) => !(path[0] === 'spec' && OBJECT_FIELD_NAMES.includes(String(path[1]))))
    .map((field) => ({
      message: unknownFieldText(kind, field),
      origin: document.originOf(field.path),
    }));
}

function localRoot(
  document: InputDocument,
  own: Pick<LocalRoot, 'kind' | 'crossplane' | 'dependsOn'>,
): LocalRoot {
  const name = requiredTextAt(document, ['metadata', 'name']);
  return { root: 'local', ...own, name, objects: [], origin: document.originOf([]) };
}

/** Returns `spec.dependsOn` verbatim. The meaning of an entry depends on the target. */
function dependsOn(document: InputDocument): LocalRoot['dependsOn'] {
  const entries = dependencyEntries(document, ['spec', 'dependsOn']);
  eachAt(document, ['spec', 'dependsOn'], (path) => textAt(document, [...path, 'version']));
  return entries;
}

/** Returns the entries of a list, which must be mappings. */
export function dependencyEntries(document: InputDocument, list: Path): LocalRoot['dependsOn'] {
  return eachAt(document, list, (path) => {
    const entry = valueAt(document, path);
    if (!isMapping(entry)) throw errorAt(document, path, 'must be a mapping');
    return { entry, origin: document.originOf(path) };
  });
}

/** Returns the constraint of `spec.crossplane`. */
function crossplaneOf(document: InputDocument, compat: boolean): string | undefined {
  const path = ['spec', 'crossplane'];
  const written = valueAt(document, path);
  if (typeof written === 'string') {
    if (compat) return written;
    throw errorAt(
      document,
      path,
      `must be \`{version: "${written}"}\`; Crossplane refuses a package with text there`,
      '`--compat` reads it all the same',
    );
  }
  objectAt(document, path);
  const version = textAt(document, [...path, 'version']);
  if (version !== undefined || (written ?? null) === null) return version;
  throw errorAt(
    document,
    path,
    'has no `version`; Crossplane refuses the package (package version constraints are poorly formatted)',
    'write `crossplane: {version: ">=v1.14.0-0"}`, or leave `crossplane` out',
  );
}

const OBJECT_FIELD_NAMES: readonly string[] = [...OBJECT_FIELDS];

/**
 * Returns notes on fields that belong to the `pkg.crossplane.io` object and have no effect here.
 */
function misplacedFieldNotes(document: InputDocument): readonly string[] {
  return OBJECT_FIELD_NAMES.filter((field) => valueAt(document, ['spec', field]) !== undefined).map(
    (field) => {
      const note = `\`spec.${field}\` does nothing here; it is a field of the installed pkg.crossplane.io object`;
      return noteAt(document, ['spec', field], note);
    },
  );
}

type Dependency = LocalRoot['dependsOn'][number];

/** The default constraint of `crossplane project build`. */
const DEFAULT_CROSSPLANE = '>=v2.0.0-rc.0';
/** The default version of `crossplane dependency add`. */
const DEFAULT_VERSION = '>=v0.0.0';

/**
 * Reads a `crossplane-project.yaml` or `upbound.yaml` as the Configuration that is built from it.
 */
export function readProject(
  document: InputDocument,
  group: 'dev.crossplane.io' | 'meta.dev.upbound.io',
): Contribution {
  const read = eachAt(document, ['spec', 'dependencies'], (path) => readDependency(document, path));
  const fallback = group === 'dev.crossplane.io' ? DEFAULT_CROSSPLANE : undefined;
  const local = localRoot(document, {
    kind: 'Configuration',
    crossplane: crossplaneOf(document, false) ?? fallback,
    dependsOn: [...dependsOn(document), ...read.filter((one) => typeof one !== 'string')],
  });
  const notes = read.filter((one) => typeof one === 'string');
  return { roots: [local], notes: [...notes, ...ignoredApiNotes(document)] };
}

/**
 * Returns notes on APIs for the functions of the project, which the built package does not need.
 */
function ignoredApiNotes(document: InputDocument): string[] {
  return eachAt(document, ['spec', 'apiDependencies'], (path) => {
    const type = textAt(document, [...path, 'type']);
    const what = type === undefined ? 'an entry' : `an entry of type \`${type}\``;
    const note = `${what} of \`spec.apiDependencies\` installs no package and is left out`;
    return noteAt(document, path, note);
  });
}

/** Returns the `dependsOn` entry of a dependency, or a note if it has none. */
function readDependency(document: InputDocument, path: Path): Dependency | string {
  objectAt(document, path);
  const type = requiredTextAt(document, [...path, 'type']);
  if (type === 'crd' || type === 'k8s') {
    const note = `a dependency of type \`${type}\` installs no package and is left out`;
    return noteAt(document, path, note);
  }
  if (type !== 'xpkg') {
    throw errorAt(document, [...path, 'type'], 'must be `xpkg`, `crd` or `k8s`');
  }
  const name = requiredTextAt(document, [...path, 'xpkg', 'package']);
  const entry: JsonObject = {
    apiVersion: requiredTextAt(document, [...path, 'xpkg', 'apiVersion']),
    kind: requiredTextAt(document, [...path, 'xpkg', 'kind']),
    package: name,
    version: textAt(document, [...path, 'xpkg', 'version']) || DEFAULT_VERSION,
  };
  // The built package does not depend on it: only the author uses its schemas.
  if (flagAt(document, [...path, 'xpkg', 'apiOnly'])) {
    return noteAt(document, path, `\`${name}\` is \`apiOnly\` and is left out`);
  }
  return { entry, origin: document.originOf(path) };
}
