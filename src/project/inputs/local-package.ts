import type { DocumentNode } from './document.js';
import type { Contribution, LocalRoot } from './request.js';
import { formatPath, isMapping } from '../../base/json.js';
import type { PackageKind } from '../../crossplane/packages/package.js';
import {
  OBJECT_FIELDS,
  misspelledProjectFields,
  unknownFieldText,
  unknownMetaFields,
} from '../../crossplane/releases/package-fields.js';

/** Reads a `crossplane.yaml`: a root whose requirements count, but that is not rendered. */
export function readLocalPackage(
  root: DocumentNode,
  kind: PackageKind,
  compat: boolean,
): Contribution {
  const crossplane = crossplaneAt(root.at('spec', 'crossplane'), compat);
  const own = { kind, crossplane, dependsOn: dependsOn(root) };
  const local = localRoot(root, own, unknownFields(root, kind));
  return { roots: [local], notes: misplacedFieldNotes(root) };
}

function unknownFields({ document }: DocumentNode, kind: PackageKind) {
  return unknownMetaFields(kind, document.value)
    .filter(({ path }) => !(path[0] === 'spec' && OBJECT_FIELD_NAMES.includes(String(path[1]))))
    .map((field) => ({
      message: unknownFieldText(kind, field),
      origin: document.originOf(field.path),
    }));
}

/** Returns misspelled fields: without them, a typo of `dependsOn` means no dependencies. */
function misspelledFields({ document }: DocumentNode): NonNullable<LocalRoot['unknownFields']> {
  return misspelledProjectFields(document.value).map(({ path, suggestion }) => ({
    message: `\`${formatPath(path)}\` is not a field of a Project; did you mean \`${suggestion}\`?`,
    origin: document.originOf(path),
  }));
}

function localRoot(
  root: DocumentNode,
  own: Pick<LocalRoot, 'kind' | 'crossplane' | 'dependsOn'>,
  unknown: NonNullable<LocalRoot['unknownFields']>,
): LocalRoot {
  const name = root.at('metadata', 'name').requiredText();
  const crossplane = root.at('spec', 'crossplane');
  return {
    root: 'local',
    ...own,
    name,
    objects: [],
    origin: root.origin,
    ...(crossplane.value !== undefined && { crossplaneOrigin: crossplane.origin }),
    ...(unknown.length > 0 && { unknownFields: unknown }),
  };
}

/** Returns `spec.dependsOn` verbatim. The meaning of an entry depends on the target. */
function dependsOn(root: DocumentNode): LocalRoot['dependsOn'] {
  const items = root.at('spec', 'dependsOn').items();
  const entries = items.map(dependencyEntry);
  for (const item of items) item.at('version').text();
  return entries;
}

/** Returns an entry of `dependsOn`, which must be a mapping. */
export function dependencyEntry(item: DocumentNode): LocalRoot['dependsOn'][number] {
  const entry = item.value;
  if (!isMapping(entry)) throw item.inputError('must be a mapping');
  return { entry, origin: item.origin };
}

/** Returns the constraint of `spec.crossplane`. */
function crossplaneAt(node: DocumentNode, compat: boolean): string | undefined {
  const { value } = node;
  if (typeof value === 'string') {
    if (compat) return value;
    throw node.inputError(
      `must be \`{version: "${value}"}\`; Crossplane refuses a package with text there`,
      '`--compat` reads it all the same',
    );
  }
  node.object();
  const version = node.at('version').text();
  if (version !== undefined || (value ?? null) === null) return version;
  throw node.inputError(
    'has no `version`; Crossplane refuses the package (package version constraints are poorly formatted)',
    'write `crossplane: {version: ">=v1.14.0-0"}`, or leave `crossplane` out',
  );
}

const OBJECT_FIELD_NAMES: readonly string[] = [...OBJECT_FIELDS];

/** Returns notes on fields of the `pkg.crossplane.io` object, which have no effect here. */
function misplacedFieldNotes(root: DocumentNode): readonly string[] {
  return OBJECT_FIELD_NAMES.map((field) => root.at('spec', field))
    .filter(({ value }) => value !== undefined)
    .map((node) =>
      node.note(
        `\`${node.path.join('.')}\` does nothing here; it is a field of the installed pkg.crossplane.io object`,
      ),
    );
}

type Dependency = LocalRoot['dependsOn'][number];

/** The default constraint of `crossplane project build`. */
const DEFAULT_CROSSPLANE = '>=v2.0.0-rc.0';
/** The default version of `crossplane dependency add`. */
const DEFAULT_VERSION = '>=v0.0.0';

/** Reads a `crossplane-project.yaml` or `upbound.yaml` as the Configuration built from it. */
export function readProject(
  root: DocumentNode,
  group: 'dev.crossplane.io' | 'meta.dev.upbound.io',
): Contribution {
  const read = root.at('spec', 'dependencies').items().map(readDependency);
  const fallback = group === 'dev.crossplane.io' ? DEFAULT_CROSSPLANE : undefined;
  const own = {
    kind: 'Configuration',
    crossplane: crossplaneAt(root.at('spec', 'crossplane'), false) ?? fallback,
    dependsOn: [...dependsOn(root), ...read.filter((one) => typeof one !== 'string')],
  } as const;
  const local = localRoot(root, own, misspelledFields(root));
  const notes = read.filter((one) => typeof one === 'string');
  const apis = root.at('spec', 'apiDependencies').items();
  return { roots: [local], notes: [...notes, ...apis.map(ignoredApiNote)] };
}

/** Returns a note on an API for the functions of the project, which the built package does not need. */
function ignoredApiNote(api: DocumentNode): string {
  const type = api.at('type').text();
  const what = type === undefined ? 'an entry' : `an entry of type \`${type}\``;
  return api.note(`${what} of \`spec.apiDependencies\` installs no package and is left out`);
}

/** Returns the `dependsOn` entry of a dependency, or a note if it has none. */
function readDependency(item: DocumentNode): Dependency | string {
  item.object();
  const type = item.at('type').requiredText();
  if (type === 'crd' || type === 'k8s') {
    return item.note(`a dependency of type \`${type}\` installs no package and is left out`);
  }
  if (type !== 'xpkg') throw item.at('type').inputError('must be `xpkg`, `crd` or `k8s`');
  const xpkg = item.at('xpkg');
  const name = xpkg.at('package').requiredText();
  const entry = {
    apiVersion: xpkg.at('apiVersion').requiredText(),
    kind: xpkg.at('kind').requiredText(),
    package: name,
    version: xpkg.at('version').text() || DEFAULT_VERSION,
  };
  // The built package does not depend on it: only the author uses its schemas.
  if (xpkg.at('apiOnly').flag()) return item.note(`\`${name}\` is \`apiOnly\` and is left out`);
  return { entry, origin: item.origin };
}
