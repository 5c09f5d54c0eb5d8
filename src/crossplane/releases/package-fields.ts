import { formatPath, isList, isMapping, type JsonValue, type Path } from '../../base/json.js';
import { didYouMean } from '../../base/messages.js';
import type { PackageKind } from '../packages/package.js';
import type { ReleaseRules } from './release-facts.js';

/** Fields of `metadata` in every Kubernetes API. */
export const METADATA_FIELDS = [
  'annotations',
  'creationTimestamp',
  'deletionGracePeriodSeconds',
  'deletionTimestamp',
  'finalizers',
  'generateName',
  'generation',
  'labels',
  'managedFields',
  'name',
  'namespace',
  'ownerReferences',
  'resourceVersion',
  'selfLink',
  'uid',
] as const;

/** Fields of the installing object. They have no effect in the metadata of a package. */
export const OBJECT_FIELDS: ReadonlySet<string> = new Set([
  'skipDependencyResolution',
  'ignoreCrossplaneConstraints',
  'packagePullSecrets',
  'packagePullPolicy',
  'revisionActivationPolicy',
  'revisionHistoryLimit',
  'runtimeConfigRef',
  'controllerConfigRef',
  'commonLabels',
  'commonAnnotations',
]);

/** The fields of a mapping, by name. `true`: any value. A list: items with these fields. */
type Fields = { readonly [name: string]: true | Fields | readonly [Fields] };

const fields = (names: readonly string[]): Fields =>
  Object.fromEntries(names.map((name) => [name, true]));

const DEPENDENCY = fields([
  'apiVersion',
  'kind',
  'package',
  'provider',
  'configuration',
  'function',
  'version',
  // Refused with its own message, or read with `--compat`.
  'crd',
]);
const POLICY_RULE = fields(['apiGroups', 'resources', 'resourceNames', 'nonResourceURLs', 'verbs']);
const COMMON: Fields = {
  crossplane: fields(['version']),
  dependsOn: [DEPENDENCY],
  capabilities: true,
};

/** Fields of `spec` in `meta.pkg.crossplane.io`, of all known releases together. */
const SPEC: Readonly<Record<PackageKind, Fields>> = {
  Provider: { ...COMMON, controller: { image: true, permissionRequests: [POLICY_RULE] } },
  Configuration: COMMON,
  Function: { ...COMMON, image: true },
};

/** Fields of `spec` in a Project that this tool reads or knows of. Newer releases have more. */
const PROJECT: Fields = {
  crossplane: fields(['version']),
  dependsOn: [DEPENDENCY],
  dependencies: [
    {
      type: true,
      xpkg: fields(['apiVersion', 'kind', 'package', 'version', 'apiOnly']),
      k8s: true,
      crd: true,
    },
  ],
  ...fields(['apiDependencies', 'architectures', 'description', 'imageConfigs', 'license']),
  ...fields(['maintainer', 'paths', 'readme', 'repository', 'source']),
};

interface UnknownField {
  readonly path: Path;
  /** A similar known field, if there is one. */
  readonly suggestion?: string | undefined;
}

const MAX_UNKNOWN = 20;

/** Returns the fields of a metadata document that no known release has, in order. */
export function unknownMetaFields(kind: PackageKind, document: JsonValue): UnknownField[] {
  const known = documentFields(SPEC[kind]);
  return unknownIn(document, known, [])
    .slice(0, MAX_UNKNOWN)
    .map(({ path, siblings }) => {
      const name = String(path.at(-1));
      return { path, suggestion: didYouMean(name, siblings) ?? findElsewhere(known, name, '') };
    });
}

/** Returns the fields of a Project that are probably misspelled, in order. */
export function misspelledProjectFields(document: JsonValue): Required<UnknownField>[] {
  return unknownIn(document, documentFields(PROJECT), [])
    .flatMap(({ path, siblings }) => {
      const suggestion = didYouMean(String(path.at(-1)), siblings);
      return suggestion === undefined ? [] : [{ path, suggestion }];
    })
    .slice(0, MAX_UNKNOWN);
}

function documentFields(spec: Fields): Fields {
  return { apiVersion: true, kind: true, metadata: fields(METADATA_FIELDS), spec };
}

export function unknownFieldText(kind: PackageKind, { path, suggestion }: UnknownField): string {
  const what = `\`${formatPath(path)}\` is not a field of a ${kind} package, and Crossplane ignores it`;
  return suggestion === undefined
    ? `${what}; remove it`
    : `${what}; did you mean \`${suggestion}\`?`;
}

/** Returns the unknown fields of a value, and the known fields next to each. */
function unknownIn(
  value: JsonValue,
  known: Fields,
  path: Path,
): { readonly path: Path; readonly siblings: readonly string[] }[] {
  if (!isMapping(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const at = [...path, name];
    if (!Object.hasOwn(known, name)) return [{ path: at, siblings: Object.keys(known) }];
    const below = known[name]!;
    if (below === true) return [];
    if (!isListOfFields(below)) return unknownIn(inner, below, at);
    const items = isList(inner) ? inner : [];
    return items.flatMap((item, i) => unknownIn(item, below[0], [...at, i]));
  });
}

function isListOfFields(below: Fields | readonly [Fields]): below is readonly [Fields] {
  return Array.isArray(below);
}

/** Returns the path of a field with that name in another mapping. */
function findElsewhere(known: Fields, name: string, prefix: string): string | undefined {
  for (const [key, below] of Object.entries(known)) {
    if (below === true || isListOfFields(below) || key === 'metadata') continue;
    if (Object.hasOwn(below, name)) return `${prefix}${key}.${name}`;
    const found = findElsewhere(below, name, `${prefix}${key}.`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Values that all known package managers accept. The CRDs do not check them. */
export const ACTIVATION_POLICIES = ['Automatic', 'Manual'] as const;
export const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'] as const;
export const MIN_REVISION_HISTORY_LIMIT = 0;

/** Kinds that every API version has: requests to a server, not stored objects. */
const REQUEST_KINDS = [
  'CreateOptions',
  'DeleteOptions',
  'GetOptions',
  'ListOptions',
  'PatchOptions',
  'UpdateOptions',
  'WatchEvent',
];
const CONVERSION_REVIEW = 'ConversionReview';

/** Whether the parser of a release accepts objects of a kind: a kind in its scheme or a list of it. */
export function isRegisteredKind(
  apiVersion: string,
  kind: string,
  { rules }: ReleaseRules,
): boolean {
  if (!Object.hasOwn(rules.objectKinds, apiVersion)) return false;
  const kinds = rules.objectKinds[apiVersion]!;
  if (kinds.includes(kind) || REQUEST_KINDS.includes(kind)) return true;
  const item = kind.replace(/List$/, '');
  return item !== kind && item !== CONVERSION_REVIEW && kinds.includes(item);
}

/** Whether a kind has no `metadata.name`, so that it can never be installed. */
export function hasNoMetadata(kind: string): boolean {
  return kind.endsWith('List') || kind === CONVERSION_REVIEW || REQUEST_KINDS.includes(kind);
}
