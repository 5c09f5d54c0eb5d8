import { formatOrigin } from '../../model/input-error.js';
import type { PackageKind } from '../../model/package.js';
import { isMapping, type JsonValue } from '../../text/json.js';
import type { LocalRoot } from '../../model/request.js';
import type { Contribution } from '../contribution.js';
import type { InputDocument } from '../document.js';
import { errorAt, listAt, objectAt, requiredTextAt, textAt, valueAt } from '../field.js';

/** A `crossplane.yaml`: the package is a root: what it requires counts, it is not itself rendered. */
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
  return { roots: [local], notes: misplaced(document) };
}

export function localRoot(
  document: InputDocument,
  own: Pick<LocalRoot, 'kind' | 'crossplane' | 'dependsOn'>,
): LocalRoot {
  const name = requiredTextAt(document, ['metadata', 'name']);
  return { root: 'local', ...own, name, objects: [], origin: document.originOf([]) };
}

/** `spec.dependsOn`, verbatim; what an entry means depends on the target. */
export function dependsOn(document: InputDocument): LocalRoot['dependsOn'] {
  return listAt(document, ['spec', 'dependsOn']).map((entry: JsonValue, i) => {
    const path = ['spec', 'dependsOn', i];
    if (!isMapping(entry)) throw errorAt(document, path, 'must be a mapping');
    textAt(document, [...path, 'version']);
    return { entry, origin: document.originOf(path) };
  });
}

/** The constraint in `spec.crossplane`. */
export function crossplaneOf(document: InputDocument, compat: boolean): string | undefined {
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
  return textAt(document, [...path, 'version']);
}

/** Settings of the object that installs the package; in its crossplane.yaml they have no effect. */
function misplaced(document: InputDocument): readonly string[] {
  return ['skipDependencyResolution', 'ignoreCrossplaneConstraints']
    .filter((field) => valueAt(document, ['spec', field]) !== undefined)
    .map((field) => {
      const where = formatOrigin(document.originOf(['spec', field]));
      return `${where}: \`spec.${field}\` does nothing here; it is a field of the installed pkg.crossplane.io object`;
    });
}
