import { annotationsOf } from '../../bundle/annotations.js';
import type { Bundle } from '../../bundle/bundle.js';
import { nameOf } from '../../bundle/object-label.js';
import { isPackageKind } from '../../model/package.js';
import { splitPackageReference } from '../../model/reference.js';
import {
  isMapping,
  mappingOf,
  stringOf,
  type JsonObject,
  type JsonValue,
} from '../../text/json.js';
import type { PatchOperation } from '../../text/patch-operation.js';

/** What a KRM function has to say of an item, in the words of the specification. */
export interface KrmResult {
  readonly message: string;
  readonly severity: 'error' | 'warning' | 'info';
  readonly resourceRef?: JsonObject | undefined;
  readonly field?: JsonObject | undefined;
  readonly file?: JsonObject | undefined;
}

interface KrmAnswer {
  /** Changes to a ResourceList after which it holds what is locked; those before have been made. */
  readonly changes: readonly PatchOperation[];
  readonly results: readonly KrmResult[];
}

/** What is wanted beside the objects of the bundle. */
interface KrmWish {
  /** Items have the annotations for Argo CD, too. */
  readonly argocd: boolean;
}

/** An object that is to be there, and the items that stand for it. */
interface Match {
  readonly wanted: JsonObject;
  /** Position of the item of that kind and name. */
  readonly at: number | undefined;
  /** Position of an item that installs the same package under another name. */
  readonly twin: number | undefined;
}

/**
 * What makes a list of items hold the objects of a bundle. An item that is there keeps all but the
 * version it names and what the bundle needs of it; what is missing is added, at the end; all else
 * stays. Made again, nothing changes.
 */
export function transformedItems(
  items: readonly JsonValue[],
  bundle: Bundle,
  { argocd }: KrmWish,
): KrmAnswer {
  const matches = matchesIn(items, bundle);
  const twins = matches.filter(({ twin }) => twin !== undefined).map(twinResult(items));
  if (twins.length > 0) return { changes: [], results: twins };
  const changes = matches.flatMap(({ wanted, at }) =>
    at === undefined ? [] : differencesOf(items[at]!, wanted, argocd).map(changeAt(at, items[at]!)),
  );
  const missing = matches.filter(({ at }) => at === undefined).map(({ wanted }) => wanted);
  const results = unlocked(items, matches).map(unlockedResult('warning'));
  if (items.length === 0) {
    return { changes: [{ op: 'add', path: '/items', value: missing }], results };
  }
  const added = missing.map((value) => ({ op: 'add', path: '/items/-', value }) as const);
  return { changes: [...changes, ...added], results };
}

/** Where a list of items is not what is locked. */
export function itemProblems(
  items: readonly JsonValue[],
  bundle: Bundle,
  { argocd }: KrmWish,
): readonly KrmResult[] {
  const matches = matchesIn(items, bundle);
  return [
    ...matches.flatMap((match): KrmResult[] => {
      const { wanted, at, twin } = match;
      if (twin !== undefined) return [twinResult(items)(match)];
      if (at === undefined) return [missingResult(wanted)];
      return differencesOf(items[at]!, wanted, argocd).map((difference) =>
        differenceResult(items[at]!, difference),
      );
    }),
    ...unlocked(items, matches).map(unlockedResult('error')),
  ];
}

function matchesIn(items: readonly JsonValue[], { objects }: Bundle): readonly Match[] {
  const keys = items.map(keyOf);
  const sources = items.map(sourceOf);
  return objects.map((wanted) => {
    const at = keys.indexOf(keyOf(wanted));
    const source = sourceOf(wanted);
    const twin = source === '' ? -1 : sources.findIndex((each, n) => each === source && n !== at);
    return { wanted, at: at < 0 ? undefined : at, twin: twin < 0 ? undefined : twin };
  });
}

/** Group, kind and name; empty for what is no object. */
function keyOf(item: JsonValue): string {
  if (!isMapping(item)) return '';
  const group = (stringOf(item['apiVersion']) ?? '').split('/', 1)[0];
  return `${group} ${stringOf(item['kind']) ?? ''} ${nameOf(item)}`;
}

/** Kind and repository of a package that an object installs; empty for any other. */
function sourceOf(item: JsonValue): string {
  if (!isMapping(item) || !isPackage(item)) return '';
  const text = stringOf(mappingOf(item['spec'])?.['package']) ?? '';
  const source = splitPackageReference(text)?.source;
  return source === undefined ? '' : `${stringOf(item['kind'])} ${source}`;
}

function isPackage({ apiVersion, kind }: JsonObject): boolean {
  const isOurs = stringOf(apiVersion)?.startsWith('pkg.crossplane.io/') === true;
  return isOurs && isPackageKind(stringOf(kind) ?? '');
}

/** Packages that the lockfile knows nothing of. */
function unlocked(items: readonly JsonValue[], matches: readonly Match[]): readonly JsonObject[] {
  const known = new Set(matches.map(({ at }) => at));
  const twins = new Set(matches.map(({ twin }) => twin));
  return items
    .filter((_, n) => !known.has(n) && !twins.has(n))
    .filter((item): item is JsonObject => isMapping(item) && isPackage(item));
}

interface Difference {
  readonly path: readonly string[];
  readonly current: JsonValue | undefined;
  readonly value: JsonValue;
}

/** Fields that an item must have as the bundle has them; the rest is the user's. */
function differencesOf(
  item: JsonValue,
  wanted: JsonObject,
  argocd: boolean,
): readonly Difference[] {
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
    const [current, value] = [valueAt(item, path), valueAt(wanted, path)!];
    // A wave that the item has is the user's.
    if (path[0] === 'metadata' && current !== undefined) return [];
    return JSON.stringify(current) === JSON.stringify(value) ? [] : [{ path, current, value }];
  });
}

function valueAt(value: JsonValue, path: readonly string[]): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>((now, key) => mappingOf(now)?.[key], value);
}

/** Sets a field of an item; of a mapping that is missing, its first. */
function changeAt(at: number, item: JsonValue) {
  const made = new Set<string>();
  return ({ path, current, value }: Difference): PatchOperation => {
    const deepest = path.findIndex((_, n) => {
      const inner = path.slice(0, n + 1);
      return valueAt(item, inner) === undefined && !made.has(inner.join('\n'));
    });
    const depth = deepest < 0 || current !== undefined ? path.length : deepest + 1;
    for (let n = depth; n < path.length; n++) made.add(path.slice(0, n).join('\n'));
    const rest = path.slice(depth);
    return {
      op: current === undefined ? 'add' : 'replace',
      path: `/items/${at}/${path.slice(0, depth).map(pointerKey).join('/')}`,
      value: rest.reduceRight((inner: JsonValue, key) => ({ [key]: inner }), value),
    };
  };
}

function pointerKey(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

function refOf(object: JsonObject): JsonObject {
  const [apiVersion, kind] = [object['apiVersion'] ?? '', object['kind'] ?? ''];
  return { apiVersion, kind, name: nameOf(object) };
}

/** Where an item comes from, as far as its annotations tell. */
function placeOf(item: JsonValue): { readonly file?: JsonObject } {
  const annotations = isMapping(item) ? annotationsOf(item) : {};
  const told = (name: string) =>
    stringOf(annotations[`internal.config.kubernetes.io/${name}`]) ??
    stringOf(annotations[`config.kubernetes.io/${name}`]);
  const path = told('path');
  if (path === undefined) return {};
  const index = Number(told('index') ?? 0);
  return { file: { path, ...(Number.isInteger(index) ? { index } : {}) } };
}

function missingResult(wanted: JsonObject): KrmResult {
  return {
    message: 'is locked, and missing among the items',
    severity: 'error',
    resourceRef: refOf(wanted),
  };
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

function twinResult(items: readonly JsonValue[]) {
  return ({ wanted, twin }: Match): KrmResult => {
    const item = mappingOf(items[twin!]) ?? {};
    return {
      message:
        `installs what is locked under the name ${nameOf(wanted)}; two objects of one package stop ` +
        'the package manager of a cluster. Give it that name, or resolve with this one',
      severity: 'error',
      resourceRef: refOf(item),
      field: {
        path: 'metadata.name',
        currentValue: nameOf(item),
        proposedValue: nameOf(wanted),
      },
      ...placeOf(item),
    };
  };
}

function unlockedResult(severity: KrmResult['severity']) {
  return (item: JsonObject): KrmResult => ({
    message: 'is not in the lockfile; resolve with it, or take it out',
    severity,
    resourceRef: refOf(item),
    field: { path: 'spec.package' },
    ...placeOf(item),
  });
}
