import { InputError } from '../model/input-error.js';
import type { PackageKind } from '../model/package.js';
import { isList, isMapping, type JsonObject, type JsonValue } from '../text/json.js';
import type { Target, TargetRules } from '../model/target/target.js';

interface Shape {
  readonly is: string;
  readonly fits: (value: JsonValue) => boolean;
}

const STRING: Shape = { is: 'a string', fits: (value) => typeof value === 'string' };
const BOOLEAN: Shape = { is: '`true` or `false`', fits: (value) => typeof value === 'boolean' };
const INTEGER: Shape = { is: 'an integer', fits: (value) => Number.isInteger(value) };
const STRINGS: Shape = { is: 'a mapping of strings', fits: isMappingOfStrings };
const NAME: Shape = { is: '`{name}`', fits: (value) => refers(value, ['name']) };
const NAMES: Shape = {
  is: 'a list of `{name}`',
  fits: (value) => isList(value) && value.every(NAME.fits),
};
const REFERENCE: Shape = {
  is: '`{name}`, with `apiVersion` and `kind` if need be',
  fits: (value) => refers(value, ['apiVersion', 'kind', 'name']),
};

function refers(value: JsonValue, keys: readonly string[]): boolean {
  if (!isMapping(value) || value['name'] === undefined) return false;
  return isMappingOfStrings(value) && Object.keys(value).every((key) => keys.includes(key));
}

export function isMappingOfStrings(value: JsonValue): boolean {
  return isMapping(value) && Object.values(value).every(STRING.fits);
}

interface SpecField {
  readonly shape: Shape;
  readonly kinds?: readonly PackageKind[];
  readonly since?: (rules: TargetRules) => boolean;
}

const WITH_RUNTIME: readonly PackageKind[] = ['Provider', 'Function'];

/** Fields of `spec` in the CRDs of pkg.crossplane.io, `package` aside. */
const FIELDS: ReadonlyMap<string, SpecField> = new Map<string, SpecField>([
  ['revisionActivationPolicy', { shape: STRING }],
  ['revisionHistoryLimit', { shape: INTEGER }],
  ['packagePullSecrets', { shape: NAMES }],
  ['packagePullPolicy', { shape: STRING }],
  ['ignoreCrossplaneConstraints', { shape: BOOLEAN }],
  ['skipDependencyResolution', { shape: BOOLEAN }],
  ['commonLabels', { shape: STRINGS }],
  ['commonAnnotations', { shape: STRINGS, since: (rules) => rules.commonAnnotations }],
  [
    'controllerConfigRef',
    { shape: NAME, kinds: WITH_RUNTIME, since: (rules) => rules.controllerConfigRef },
  ],
  ['runtimeConfigRef', { shape: REFERENCE, kinds: WITH_RUNTIME }],
]);

/** Whether packages of this kind have the field; true of a field that no kind has. */
export function takesField(kind: PackageKind, field: string): boolean {
  return FIELDS.get(field)?.kinds?.includes(kind) ?? true;
}

interface FittedSpec {
  readonly spec: JsonObject;
  readonly warnings: readonly string[];
}

/**
 * The part of `spec` that the target's CRD has.
 *
 * A field that some other release or kind has is left out with a warning: one set is rendered for
 * several releases, and an API server would drop the field in silence, or refuse the whole apply.
 * A field that no release has is taken for a mistake and refused, save for a release newer than
 * this tool knows, which may have it. `package` is never the user's to set.
 */
export function fitSpec(
  spec: JsonObject,
  object: { readonly kind: PackageKind; readonly name: string },
  target: Target,
): FittedSpec {
  const { kind } = object;
  const subject = `${kind} \`${object.name}\``;
  const kept: [string, JsonValue][] = [];
  const warnings: string[] = [];
  for (const [name, value] of Object.entries(spec)) {
    const field = FIELDS.get(name);
    if (field === undefined) {
      if (target.warning === undefined || name === 'package')
        throw unknownField(subject, name, kind);
      warnings.push(`${subject}: \`spec.${name}\` is not known to this tool, and kept`);
      kept.push([name, value]);
    } else if (!takesField(kind, name)) {
      warnings.push(`${subject}: \`spec.${name}\` is left out: a ${kind} has no such field`);
    } else if (field.since?.(target.rules) === false) {
      warnings.push(
        `${subject}: \`spec.${name}\` is left out: Crossplane ${target.version} has no such field`,
      );
    } else if (field.shape.fits(value)) kept.push([name, value]);
    else throw new InputError(`${subject}: \`spec.${name}\` must be ${field.shape.is}`);
  }
  return { spec: Object.fromEntries(kept), warnings };
}

function unknownField(subject: string, name: string, kind: PackageKind): InputError {
  const known = [...FIELDS.keys()].filter((field) => takesField(kind, field)).sort();
  return new InputError(`${subject}: \`spec.${name}\` is not a field of a ${kind}`, {
    hint: `its fields are ${known.join(', ')}`,
  });
}
