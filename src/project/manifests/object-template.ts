import { InputError, type Origin } from '../../base/errors.js';
import {
  isList,
  isMapping,
  type JsonObject,
  type JsonValue,
  mappingOf,
  stringOf,
} from '../../base/json.js';
import { didYouMean } from '../../base/messages.js';
import { canonical, plainSpec } from '../../crossplane/packages/object-spec.js';
import type { PackageKind } from '../../crossplane/packages/package.js';
import { splitTag } from '../../crossplane/packages/reference.js';
import {
  ACTIVATION_POLICIES,
  MIN_REVISION_HISTORY_LIMIT,
  PULL_POLICIES,
} from '../../crossplane/releases/package-fields.js';
import type { Target } from '../../crossplane/releases/target.js';
import type { TargetRules } from '../../crossplane/releases/release-facts.js';
import type { PackageRoot } from '../inputs/request.js';
import type { ObjectTemplate } from '../lockfile/lockfile.js';

/** Settings of the user for one package object, from the most general to the most specific. */
interface TemplateParts extends Pick<PackageRoot, 'spec' | 'object'> {
  readonly kind: PackageKind;
  readonly defaults: JsonObject;
}

/**
 * Merges the settings for a package object. Each part is applied as a JSON merge patch (RFC 7386):
 * mappings are merged, lists are replaced, null removes a field.
 */
export function objectTemplate({ kind, defaults, spec, object }: TemplateParts): ObjectTemplate {
  // Defaults are shared by all kinds, so fields of other kinds are ignored.
  const defaultsOfKind = Object.entries(defaults).filter(([field]) => hasSpecField(kind, field));
  const parts = [Object.fromEntries(defaultsOfKind), spec, mappingOf(object?.['spec']) ?? {}];
  const merged = parts.reduce(merge, {});
  return {
    apiVersion: stringOf(object?.['apiVersion']),
    metadata: canonical(ownMetadata(mappingOf(object?.['metadata']) ?? {})),
    spec: canonical(omitKeys(merged, ['package'])),
    ...(namesCacheFile(merged) && { untagged: true }),
  };
}

/** Returns whether `spec.package` names a file in the package cache, without a tag. */
function namesCacheFile({ packagePullPolicy, package: reference }: JsonObject): boolean {
  if (packagePullPolicy !== 'Never' || typeof reference !== 'string') return false;
  return !reference.includes('@') && splitTag(reference).tag === undefined;
}

/** Returns an object without the parts that belong to the cluster it was dumped from. */
export function withoutClusterState(object: JsonObject): JsonObject {
  const { metadata } = object;
  return canonical({
    ...omitKeys(object, ['status']),
    ...(isMapping(metadata) && { metadata: ownMetadata(metadata, ['name']) }),
  });
}

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * Returns the labels and annotations of the user, which are valid on every cluster.
 *
 * With the owner references of another cluster an object would be garbage collected. Finalizers
 * without their controller would keep it forever.
 */
export function ownMetadata(metadata: JsonObject, beside: readonly string[] = []): JsonObject {
  const own = pickKeys(metadata, ['labels', 'annotations', ...beside]);
  const { annotations } = own;
  if (!isMapping(annotations)) return own;
  const ownAnnotations = omitKeys(annotations, [LAST_APPLIED]);
  return Object.keys(ownAnnotations).length === 0
    ? omitKeys(own, ['annotations'])
    : { ...own, annotations: ownAnnotations };
}

function pickKeys(object: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => keys.includes(key)));
}

function omitKeys(object: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
}

function merge(base: JsonObject, patch: JsonObject): JsonObject {
  const merged = new Map<string, JsonValue>(Object.entries(base));
  for (const [key, value] of Object.entries(patch)) {
    const current = merged.get(key);
    if (value === null) merged.delete(key);
    else if (isMapping(value)) merged.set(key, merge(mappingOf(current) ?? {}, value));
    else merged.set(key, value);
  }
  return Object.fromEntries(merged);
}

interface Shape {
  readonly description: string;
  readonly isValid: (value: JsonValue) => boolean;
}

const STRING: Shape = { description: 'a string', isValid: (value) => typeof value === 'string' };
const BOOLEAN: Shape = {
  description: '`true` or `false`',
  isValid: (value) => typeof value === 'boolean',
};
const HISTORY_LIMIT: Shape = {
  description: `an integer from ${MIN_REVISION_HISTORY_LIMIT} on`,
  isValid: (value) => Number.isInteger(value) && Number(value) >= MIN_REVISION_HISTORY_LIMIT,
};
const STRINGS: Shape = { description: 'a mapping of strings', isValid: isMappingOfStrings };
const NAME: Shape = { description: '`{name}`', isValid: (value) => isReference(value, ['name']) };
const NAMES: Shape = {
  description: 'a list of `{name}`',
  isValid: (value) => isList(value) && value.every(NAME.isValid),
};
const REFERENCE: Shape = {
  description: '`{name}`, with `apiVersion` and `kind` if need be',
  isValid: (value) => isReference(value, ['apiVersion', 'kind', 'name']),
};

function oneOf(values: readonly string[]): Shape {
  const description = `one of ${values.map((value) => `\`${value}\``).join(', ')}`;
  return { description, isValid: (value) => values.some((each) => each === value) };
}

function isReference(value: JsonValue, keys: readonly string[]): boolean {
  if (!isMapping(value) || value['name'] === undefined) return false;
  return isMappingOfStrings(value) && Object.keys(value).every((key) => keys.includes(key));
}

export function isMappingOfStrings(value: JsonValue): boolean {
  return isMapping(value) && Object.values(value).every(STRING.isValid);
}

interface SpecField {
  readonly shape: Shape;
  readonly kinds?: readonly PackageKind[];
  readonly isSupported?: (rules: TargetRules) => boolean;
}

const WITH_RUNTIME: readonly PackageKind[] = ['Provider', 'Function'];

/** Fields of `spec` in the CRDs of pkg.crossplane.io, except `package`. */
const FIELDS: ReadonlyMap<string, SpecField> = new Map<string, SpecField>([
  ['revisionActivationPolicy', { shape: oneOf(ACTIVATION_POLICIES) }],
  ['revisionHistoryLimit', { shape: HISTORY_LIMIT }],
  ['packagePullSecrets', { shape: NAMES }],
  ['packagePullPolicy', { shape: oneOf(PULL_POLICIES) }],
  ['ignoreCrossplaneConstraints', { shape: BOOLEAN }],
  ['skipDependencyResolution', { shape: BOOLEAN }],
  ['commonLabels', { shape: STRINGS }],
  ['commonAnnotations', { shape: STRINGS, isSupported: (rules) => rules.commonAnnotations }],
  [
    'controllerConfigRef',
    { shape: NAME, kinds: WITH_RUNTIME, isSupported: (rules) => rules.controllerConfigRef },
  ],
  ['runtimeConfigRef', { shape: REFERENCE, kinds: WITH_RUNTIME }],
]);

/** Returns whether packages of this kind have the field. True for unknown fields. */
export function hasSpecField(kind: PackageKind, field: string): boolean {
  return FIELDS.get(field)?.kinds?.includes(kind) ?? true;
}

/**
 * Returns the fields of `spec` that the CRD of the target has.
 *
 * A field of another release or kind is left out with a warning: one project is rendered for
 * several releases, and an API server would drop the field silently or reject the object. Throws an
 * `InputError` for unknown fields and for `package`. If the release is newer than this tool,
 * unknown fields are kept with a warning.
 */
export function specForTarget(
  spec: JsonObject,
  object: { readonly kind: PackageKind; readonly name: string },
  target: Target,
): { readonly spec: JsonObject; readonly warnings: readonly string[] } {
  const { kind } = object;
  const subject = `${kind} \`${object.name}\``;
  const fields: [string, JsonValue][] = [];
  const warnings: string[] = [];
  for (const [name, value] of Object.entries(spec)) {
    const field = FIELDS.get(name);
    if (field === undefined) {
      if (target.warning === undefined || name === 'package')
        throw unknownFieldError(subject, name, kind);
      warnings.push(`${subject}: \`spec.${name}\` is not known to this tool, and kept`);
      fields.push([name, value]);
    } else if (!hasSpecField(kind, name)) {
      warnings.push(`${subject}: \`spec.${name}\` is left out: a ${kind} has no such field`);
    } else if (field.isSupported?.(target.rules) === false) {
      warnings.push(
        `${subject}: \`spec.${name}\` is left out: Crossplane ${target.version} has no such field`,
      );
    } else if (field.shape.isValid(value)) fields.push([name, value]);
    else throw new InputError(`${subject}: \`spec.${name}\` must be ${field.shape.description}`);
  }
  return { spec: Object.fromEntries(fields), warnings };
}

/** Throws an `InputError` with its place if the object of a root has a field that no release has. */
export function checkSpecFields(
  { kind, name, unknownFields: [field] = [] }: PackageRoot,
  target: Target,
): void {
  if (kind === undefined || field === undefined || target.warning !== undefined) return;
  throw unknownFieldError(`${kind} \`${name}\``, field.name, kind, field.origin);
}

function unknownFieldError(
  subject: string,
  name: string,
  kind: PackageKind,
  origin?: Origin,
): InputError {
  const known = [...FIELDS.keys()].filter((field) => hasSpecField(kind, field)).sort();
  const suggestion = didYouMean(name, known);
  return new InputError(`${subject}: \`spec.${name}\` is not a field of a ${kind}`, {
    ...(origin !== undefined && { origin }),
    hint:
      suggestion === undefined
        ? `its fields are ${known.join(', ')}`
        : `did you mean \`${suggestion}\`?`,
  });
}

/** Returns the spec of a package object without fields that have their default value. */
export function withoutApiDefaults(spec: JsonObject): JsonObject {
  return pickKeys(spec, Object.keys(plainSpec(spec)));
}
