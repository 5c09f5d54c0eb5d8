import { isList, isMapping, type JsonObject, type JsonValue } from '../../src/base/json.js';

/** A lockfile with one changed part. */
export interface LockfileEdit {
  /** `packages[0].digest: replaced by "v1"`. */
  readonly what: string;
  /** The name of the changed field. */
  readonly field: string;
  readonly edited: JsonValue;
  /** Whether the part was removed. */
  readonly isRemoval: boolean;
}

const GONE = 'is gone';

type Path = readonly (string | number)[];

/** Values of each type that are not in the lockfile. */
const STRANGERS: readonly JsonValue[] = ['', 'x', 'v9.9.9', `sha256:${'0'.repeat(64)}`, 0, null];

/** Additions to a mapping, by the name of the field with the mapping. */
const ADDITIONS: Readonly<Record<string, JsonObject>> = {
  packages: {
    manifest: `sha256:${'1'.repeat(64)}`,
    crossplane: '>=v1.0.0',
    dependsOn: [{ provider: 'h.io/acme/evil', version: '*' }],
    owns: { 'evil.io': { CRD: ['evils.evil.io'] } },
    object: { spec: { packagePullPolicy: 'Always' } },
  },
  object: {
    apiVersion: 'pkg.crossplane.io/v1beta1',
    metadata: { labels: { evil: 'yes' } },
    spec: { ignoreCrossplaneConstraints: true },
  },
  metadata: { annotations: { evil: 'yes' }, name: 'evil', ownerReferences: [], finalizers: ['x'] },
  spec: { skipDependencyResolution: true, package: 'h.io/acme/evil:v1', '<<': {} },
  owns: { 'evil.io': { XRD: ['xs.evil.io'] } },
  dependsOn: { demand: { crd: 'evils.evil.io' }, apiVersion: 'pkg.crossplane.io/v1' },
};

/** Returns every edit of a single part: removed, replaced, repeated, reordered, extended. */
export function lockfileEdits(document: JsonValue): readonly LockfileEdit[] {
  const places = placesIn(document, []);
  const values = places.map((path) => at(document, path)!);
  const texts = [...new Set(values.filter((value) => typeof value === 'string'))];
  return places.flatMap((path) => {
    const edit = (how: string, edited: JsonValue): LockfileEdit => ({
      what: `${path.join('.')}: ${how}`,
      field: String(path.findLast((step) => typeof step === 'string')),
      edited,
      isRemoval: how === GONE,
    });
    const value = at(document, path)!;
    const replaced = replacements(value, texts).map((other) =>
      edit(
        `is ${JSON.stringify(other)}`,
        changed(document, path, () => other),
      ),
    );
    return path.length === 0
      ? []
      : [edit(GONE, without(document, path)), ...replaced, ...added(document, path, edit)];
  });
}

function replacements(value: JsonValue, texts: readonly string[]): readonly JsonValue[] {
  const others = (all: readonly JsonValue[]) => all.filter((other) => other !== value);
  if (typeof value === 'string') {
    return others([...STRANGERS, ...neighbours(value, texts), `${value}x`, [value]]);
  }
  if (typeof value === 'boolean') return [!value, 'x', null];
  if (typeof value === 'number') return [value + 1, -value, Infinity, `${value}`];
  if (isList(value)) {
    return [[], {}, null, value.toReversed(), ...value.map((entry) => [...value, entry])].filter(
      (other) => JSON.stringify(other) !== JSON.stringify(value),
    );
  }
  return others([{}, [], null, 'x']);
}

/** Returns similar texts of the lockfile: adjacent ones and those with the same prefix. */
function neighbours(value: string, texts: readonly string[]): readonly string[] {
  const place = texts.indexOf(value);
  const alike = texts.filter((text) => text.startsWith(value.slice(0, 4)));
  return [...new Set([...texts.slice(place + 1, place + 4), ...alike.slice(0, 4)])];
}

function added(
  document: JsonValue,
  path: Path,
  edit: (how: string, edited: JsonValue) => LockfileEdit,
): readonly LockfileEdit[] {
  const value = at(document, path);
  if (!isMapping(value)) return [];
  const field = String(path.findLast((step) => typeof step === 'string'));
  return Object.entries(ADDITIONS[field] ?? { evil: 'x' }).map(([key, addition]) =>
    edit(
      `has \`${key}: ${JSON.stringify(addition)}\``,
      changed(document, path, () => ({ ...value, [key]: addition })),
    ),
  );
}

function placesIn(value: JsonValue, path: Path): readonly Path[] {
  const steps = isList(value) ? [...value.keys()] : isMapping(value) ? Object.keys(value) : [];
  return [path, ...steps.flatMap((step) => placesIn(at(value, [step])!, [...path, step]))];
}

function at(value: JsonValue, path: Path): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>(
    (inside, step) => (inside as Readonly<Record<string | number, JsonValue>>)[step],
    value,
  );
}

function changed(value: JsonValue, path: Path, to: (old: JsonValue) => JsonValue): JsonValue {
  const [step, ...rest] = path;
  if (step === undefined) return to(value);
  const inside = changed(at(value, [step])!, rest, to);
  return isList(value)
    ? value.with(step as number, inside)
    : { ...(value as JsonObject), [step]: inside };
}

function without(value: JsonValue, path: Path): JsonValue {
  const last = path.at(-1)!;
  return changed(value, path.slice(0, -1), (parent) =>
    isList(parent)
      ? parent.filter((_, index) => index !== last)
      : Object.fromEntries(Object.entries(parent as JsonObject).filter(([key]) => key !== last)),
  );
}
