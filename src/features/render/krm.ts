import {
  isMapping,
  type JsonObject,
  jsonPointer,
  type JsonValue,
  mappingOf,
  type PatchOperation,
  stringOf,
  valueAtSteps,
} from '../../base/json.js';
import { isPackageKind } from '../../crossplane/packages/package.js';
import { splitPackageReference } from '../../crossplane/packages/reference.js';
import { annotationsOf, type Bundle } from '../../project/manifests/bundle.js';
import { nameOf } from '../../project/manifests/object-names.js';

/** A result of a KRM function, as its specification defines it. */
export interface KrmResult {
  readonly message: string;
  readonly severity: 'error' | 'warning' | 'info';
  readonly resourceRef?: JsonObject | undefined;
  readonly field?: JsonObject | undefined;
  readonly file?: JsonObject | undefined;
}

export interface KrmAnswer {
  /** Patches that apply the locked packages to a ResourceList, to be applied in this order. */
  readonly changes: readonly PatchOperation[];
  readonly results: readonly KrmResult[];
}

/** A rendered object and the items that correspond to it. */
interface Match {
  readonly wanted: JsonObject;
  /** Index of the item with the same kind and name. */
  readonly at: number | undefined;
  /** Index of an item that installs the same package under another name. */
  readonly renamedAt: number | undefined;
}

/**
 * Returns the changes that add the rendered objects to a list of items. Existing items only get the
 * locked version and the required fields, with `argocd` also the annotations for Argo CD; missing items
 * are appended; all others are unchanged. The changes are idempotent.
 */
export function transformItems(
  items: readonly JsonValue[],
  bundle: Bundle,
  argocd: boolean,
): KrmAnswer {
  const matches = matchesIn(items, bundle);
  const renamed = matches.flatMap((match) => renamedResults(items, match));
  if (renamed.length > 0) return { changes: [], results: renamed };
  const changes = matches.flatMap(({ wanted, at }) =>
    at === undefined ? [] : changesAt(at, items[at]!, differencesOf(items[at]!, wanted, argocd)),
  );
  const missing = matches.filter(({ at }) => at === undefined).map(({ wanted }) => wanted);
  const results = unlockedResults(items, matches, 'warning');
  if (items.length === 0) {
    return { changes: [{ op: 'add', path: '/items', value: missing }], results };
  }
  const added = missing.map((value) => ({ op: 'add', path: '/items/-', value }) as const);
  return { changes: [...changes, ...added], results };
}

/** Returns the differences between a list of items and the rendered objects. */
export function validateItems(
  items: readonly JsonValue[],
  bundle: Bundle,
  argocd: boolean,
): readonly KrmResult[] {
  const matches = matchesIn(items, bundle);
  return [
    ...matches.flatMap((match) => {
      const { wanted, at, renamedAt } = match;
      if (renamedAt !== undefined) return renamedResults(items, match);
      if (at === undefined) return missingResult(wanted);
      return differencesOf(items[at]!, wanted, argocd).map((difference) =>
        differenceResult(items[at]!, difference),
      );
    }),
    ...unlockedResults(items, matches, 'error'),
  ];
}

function matchesIn(items: readonly JsonValue[], { objects }: Bundle): readonly Match[] {
  const keys = items.map(keyOf);
  const sources = items.map(sourceOf);
  return objects.map((wanted) => {
    const at = keys.indexOf(keyOf(wanted));
    const source = sourceOf(wanted);
    const renamedAt =
      source === '' ? -1 : sources.findIndex((each, n) => each === source && n !== at);
    return {
      wanted,
      at: at < 0 ? undefined : at,
      renamedAt: renamedAt < 0 ? undefined : renamedAt,
    };
  });
}

/** Returns group, kind and name; an empty string if the item is no object. */
function keyOf(item: JsonValue): string {
  if (!isMapping(item)) return '';
  const group = (stringOf(item['apiVersion']) ?? '').split('/', 1)[0];
  return `${group} ${stringOf(item['kind']) ?? ''} ${nameOf(item)}`;
}

/** Returns kind and repository of a package object; an empty string for other items. */
function sourceOf(item: JsonValue): string {
  if (!isMapping(item) || !isPackage(item)) return '';
  const text = stringOf(mappingOf(item['spec'])?.['package']) ?? '';
  const source = splitPackageReference(text)?.source;
  return source === undefined ? '' : `${stringOf(item['kind'])} ${source}`;
}

function isPackage({ apiVersion, kind }: JsonObject): boolean {
  const isPackageGroup = stringOf(apiVersion)?.startsWith('pkg.crossplane.io/') === true;
  return isPackageGroup && isPackageKind(stringOf(kind) ?? '');
}

interface Difference {
  readonly path: readonly string[];
  readonly current: JsonValue | undefined;
  readonly value: JsonValue;
}

/** Returns the required fields of an item that differ. All other fields belong to the user. */
function differencesOf(item: JsonValue, wanted: JsonObject, argocd: boolean) {
  const spec = mappingOf(wanted['spec']) ?? {};
  const fields = isPackage(wanted) ? ['package', 'skipDependencyResolution'] : [];
  const annotations = annotationsOf(wanted);
  const own = Object.keys(annotations).filter(
    (key) => argocd && key.startsWith('argocd.argoproj.io/'),
  );
  const paths = [
    ...fields.filter((field) => spec[field] !== undefined).map((field) => ['spec', field]),
    ...own.map((key) => ['metadata', 'annotations', key]),
  ];
  return paths.flatMap((path) => {
    const [current, value] = [valueAtSteps(item, path), valueAtSteps(wanted, path)!];
    // The user may have set another sync wave.
    if (path[0] === 'metadata' && current !== undefined) return [];
    return JSON.stringify(current) === JSON.stringify(value) ? [] : [{ path, current, value }];
  });
}

/** Returns patches that set fields of an item; the first patch of a missing mapping adds it. */
function changesAt(at: number, item: JsonValue, differences: readonly Difference[]) {
  const added = new Set<string>();
  return differences.map(({ path, current, value }): PatchOperation => {
    const firstMissing = path.findIndex((_, n) => {
      const inner = path.slice(0, n + 1);
      return valueAtSteps(item, inner) === undefined && !added.has(inner.join('\n'));
    });
    const depth = firstMissing < 0 || current !== undefined ? path.length : firstMissing + 1;
    for (let n = depth; n < path.length; n++) added.add(path.slice(0, n).join('\n'));
    const rest = path.slice(depth);
    return {
      op: current === undefined ? 'add' : 'replace',
      path: jsonPointer(['items', at, ...path.slice(0, depth)]),
      value: rest.reduceRight((inner: JsonValue, key) => ({ [key]: inner }), value),
    };
  });
}

function refOf(object: JsonObject): JsonObject {
  const [apiVersion, kind] = [object['apiVersion'] ?? '', object['kind'] ?? ''];
  return { apiVersion, kind, name: nameOf(object) };
}

/** Returns the file and index of an item from its annotations. */
function placeOf(item: JsonValue): { readonly file?: JsonObject } {
  const annotations = isMapping(item) ? annotationsOf(item) : {};
  const annotation = (name: string) =>
    stringOf(annotations[`internal.config.kubernetes.io/${name}`]) ??
    stringOf(annotations[`config.kubernetes.io/${name}`]);
  const path = annotation('path');
  if (path === undefined) return {};
  const index = Number(annotation('index') ?? 0);
  return { file: { path, ...(Number.isInteger(index) ? { index } : {}) } };
}

function missingResult(wanted: JsonObject): KrmResult {
  const message = 'is locked, and missing among the items';
  return { message, severity: 'error', resourceRef: refOf(wanted) };
}

function differenceResult(item: JsonValue, { path, current, value }: Difference): KrmResult {
  const currentValue = current === undefined ? {} : { currentValue: current };
  return {
    message: `${path.join('.')} is not what the lockfile renders`,
    severity: 'error',
    resourceRef: refOf(mappingOf(item) ?? {}),
    field: { path: path.join('.'), ...currentValue, proposedValue: value },
    ...placeOf(item),
  };
}

function renamedResults(items: readonly JsonValue[], { wanted, renamedAt }: Match): KrmResult[] {
  if (renamedAt === undefined) return [];
  const item = mappingOf(items[renamedAt]) ?? {};
  const [currentValue, proposedValue] = [nameOf(item), nameOf(wanted)];
  const message =
    `installs what is locked under the name ${proposedValue}; two objects of one package stop ` +
    'the package manager of a cluster. Give it that name, or resolve with this one';
  const field = { path: 'metadata.name', currentValue, proposedValue };
  return [{ message, severity: 'error', resourceRef: refOf(item), field, ...placeOf(item) }];
}

/** Returns a result for each package item that is not in the lockfile. */
function unlockedResults(
  items: readonly JsonValue[],
  matches: readonly Match[],
  severity: KrmResult['severity'],
): readonly KrmResult[] {
  const matched = new Set(matches.flatMap(({ at, renamedAt }) => [at, renamedAt]));
  return items
    .filter((_, n) => !matched.has(n))
    .filter((item): item is JsonObject => isMapping(item) && isPackage(item))
    .map((item) => ({
      message: 'is not in the lockfile; resolve with it, or take it out',
      severity,
      resourceRef: refOf(item),
      field: { path: 'spec.package' },
      ...placeOf(item),
    }));
}
