import { type DiffSeverity, type RuleResult, sameValue, shownValue, subtract } from './findings.js';
import {
  isMapping,
  type JsonObject,
  type JsonValue,
  listOf,
  mappingOf,
  stringOf,
} from '../../base/json.js';

/** One node of a schema, before and after a change. */
export interface SchemaPair {
  readonly before: JsonObject;
  readonly after: JsonObject;
}

/** A finding of a rule at a node. */
export interface RuleFinding extends RuleResult {
  /** Keyword of the schema that changed. */
  readonly keyword: string;
  /** Name of the field below the node that changed; undefined: the node itself. */
  readonly field?: string | undefined;
}

/** A family of rules: the effects of changing one or a few keywords of a schema. */
interface RuleFamily {
  /** Keywords that the family covers. Changes of other keywords are reported as harmless. */
  readonly keywords: readonly string[];
  find(pair: SchemaPair): Iterable<RuleFinding>;
}

/** Schemas of the fields of an object, by name. */
export function fieldsIn(schema: JsonObject): ReadonlyMap<string, JsonObject> {
  const fields = Object.entries(mappingOf(schema['properties']) ?? {});
  return new Map(fields.map(([name, field]) => [name, mappingOf(field) ?? {}]));
}

/** Values of a keyword that is a list. */
function valuesOf(schema: JsonObject, keyword: string): readonly JsonValue[] {
  return listOf(schema[keyword]) ?? [];
}

/** Whether the API server keeps fields that the schema does not name. */
function keepsUnknown(schema: JsonObject): boolean {
  return schema['x-kubernetes-preserve-unknown-fields'] === true;
}

type Result = readonly [rule: string, severity: DiffSeverity, text: string];

/** Yields the result for a value that was added, removed or changed. Texts get shown values. */
function* valueChange(
  keyword: string,
  [from, to]: readonly [JsonValue | undefined, JsonValue | undefined],
  results: (from: string, to: string) => Readonly<Record<'added' | 'removed' | 'changed', Result>>,
): Iterable<RuleFinding> {
  if (sameValue(from, to)) return;
  const change = from === undefined ? 'added' : to === undefined ? 'removed' : 'changed';
  const [rule, severity, text] = results(shownValue(from), shownValue(to))[change];
  yield { rule, severity, text, keyword };
}

/** Yields the result for a boolean keyword that was set or cleared. */
function* flagChange(
  { before, after }: SchemaPair,
  keyword: string,
  results: { readonly set: Result; readonly cleared: Result },
): Iterable<RuleFinding> {
  const isSet = after[keyword] === true;
  if (isSet === (before[keyword] === true)) return;
  const [rule, severity, text] = isSet ? results.set : results.cleared;
  yield { rule, severity, text, keyword };
}

/** Added and removed fields, and maps that become objects with named fields. */
const FIELD_RULES: RuleFamily = {
  keywords: ['properties', 'additionalProperties', 'items'],
  *find({ before, after }) {
    const [oldFields, newFields] = [fieldsIn(before), fieldsIn(after)];
    const keepsData = keepsUnknown(after) || after['additionalProperties'] !== undefined;
    for (const field of oldFields.keys()) {
      if (newFields.has(field)) continue;
      const at = { rule: 'field-removed', field, keyword: 'properties' };
      yield keepsData
        ? { ...at, severity: 'readers', text: 'removed; what objects have there is kept' }
        : { ...at, severity: 'stored', text: 'removed: what objects have there is dropped' };
    }
    const acceptedAnything = keepsUnknown(before) || isMap(before);
    for (const field of newFields.keys()) {
      if (oldFields.has(field)) continue;
      const at = { rule: 'field-added', field, keyword: 'properties' };
      yield acceptedAnything
        ? { ...at, severity: 'stored', text: 'described now, where any value was taken before' }
        : { ...at, severity: 'harmless', text: 'added' };
    }
    const keyword = 'additionalProperties';
    if (isMap(before) && !isMap(after) && !keepsUnknown(after)) {
      const text = 'is no map any more: keys that it does not name are dropped from objects';
      yield { rule: 'map-removed', severity: 'stored', text, keyword };
    } else if (!isMap(before) && isMap(after)) {
      const text = 'is a map now, and takes any key';
      yield { rule: 'map-added', severity: 'readers', text, keyword };
    }
    const [hadItems, hasItems] = [isMapping(before['items']), isMapping(after['items'])];
    if (hadItems === hasItems) return;
    const at = { rule: 'items-changed', keyword: 'items' };
    yield hadItems
      ? { ...at, severity: 'readers', text: 'no longer says what its items are' }
      : { ...at, severity: 'stored', text: 'says what its items are, where any were taken' };
  },
};

function isMap({ additionalProperties }: { readonly additionalProperties?: unknown }): boolean {
  return additionalProperties === true || isMapping(additionalProperties);
}

/** Required fields of an object. */
const REQUIRED_RULES: RuleFamily = {
  keywords: ['required'],
  *find(pair) {
    const [oldNames, newNames] = [requiredIn(pair.before), requiredIn(pair.after)];
    for (const field of newNames) {
      if (oldNames.has(field)) continue;
      const at = { rule: 'required-added', field, keyword: 'required' };
      yield fieldsIn(pair.after).get(field)?.['default'] === undefined
        ? { ...at, severity: 'stored', text: 'required now: objects without it are refused' }
        : { ...at, severity: 'harmless', text: 'required now, with a default' };
    }
    for (const field of oldNames) {
      if (newNames.has(field) || isRemoved(field, pair)) continue;
      const text = 'no longer required: objects may be without it';
      yield { rule: 'required-removed', severity: 'readers', text, field, keyword: 'required' };
    }
  },
};

function requiredIn(schema: JsonObject): ReadonlySet<string> {
  return new Set(valuesOf(schema, 'required').filter((name) => typeof name === 'string'));
}

/** Returns false for a field that both schemas lack: a pair may leave out fields without changes. */
function isRemoved(field: string, { before, after }: SchemaPair): boolean {
  return fieldsIn(before).has(field) && !fieldsIn(after).has(field);
}

const UNKNOWN = 'x-kubernetes-preserve-unknown-fields';
const EMBEDDED = 'x-kubernetes-embedded-resource';

/** Fields that no schema names, and objects inside objects. */
const UNKNOWN_FIELD_RULES: RuleFamily = {
  keywords: [UNKNOWN, EMBEDDED],
  *find(pair) {
    yield* flagChange(pair, UNKNOWN, {
      set: [
        'unknown-fields-kept',
        'readers',
        'fields that it does not name are kept, and were dropped',
      ],
      cleared: [
        'unknown-fields-dropped',
        'stored',
        'fields that it does not name are dropped from objects, and were kept',
      ],
    });
    const rule = 'embedded-resource';
    yield* flagChange(pair, EMBEDDED, {
      set: [rule, 'stored', 'must be an object with apiVersion and kind now'],
      cleared: [rule, 'readers', 'need not be an object with apiVersion and kind'],
    });
  },
};

/** Default values: stored objects keep the old default, new objects get the new one. */
const DEFAULT_RULES: RuleFamily = {
  keywords: ['default'],
  find: ({ before, after }) =>
    valueChange('default', [before['default'], after['default']], (from, to) => ({
      added: ['default-added', 'writers', `is ${to} now where it is not written`],
      removed: ['default-removed', 'writers', `no longer ${from} where it is not written`],
      changed: ['default-changed', 'writers', `default changed from ${from} to ${to}`],
    })),
};

const LIST_TYPE = 'x-kubernetes-list-type';
const LIST_KEYS = 'x-kubernetes-list-map-keys';
const MAP_TYPE = 'x-kubernetes-map-type';

/** Merging of lists and maps, and the keys that make two items of a list equal. */
const LIST_RULES: RuleFamily = {
  keywords: [LIST_TYPE, LIST_KEYS, MAP_TYPE],
  *find({ before, after }) {
    const [oldType, newType] = [listTypeOf(before), listTypeOf(after)];
    if (oldType !== newType) {
      const isAtomic = newType === 'atomic';
      const effect = isAtomic ? 'is replaced as a whole' : 'items that are the same are refused';
      const text = `list type changed from ${oldType} to ${newType}: ${effect}`;
      const severity = isAtomic ? 'writers' : 'stored';
      yield { rule: 'list-type-changed', severity, text, keyword: LIST_TYPE };
    } else if ((before[LIST_TYPE] === undefined) !== (after[LIST_TYPE] === undefined)) {
      const text = `list type ${newType} is written out, or no longer`;
      yield { rule: 'list-type-rewritten', severity: 'harmless', text, keyword: LIST_TYPE };
    }
    const [oldKeys, newKeys] = [valuesOf(before, LIST_KEYS), valuesOf(after, LIST_KEYS)];
    if (!sameValue(oldKeys, newKeys) && newType === 'map') {
      const text = `keys of its items changed from ${shownValue(oldKeys)} to ${shownValue(newKeys)}`;
      yield { rule: 'list-keys-changed', severity: 'stored', text, keyword: LIST_KEYS };
    }
    if (before[MAP_TYPE] === after[MAP_TYPE]) return;
    const [from, to] = [before, after].map((schema) => stringOf(schema[MAP_TYPE]) ?? 'granular');
    const text = `map type changed from ${from} to ${to}`;
    const severity = from === to ? 'harmless' : 'writers';
    yield { rule: 'map-type-changed', severity, text, keyword: MAP_TYPE };
  },
};

function listTypeOf(schema: JsonObject): string {
  return stringOf(schema[LIST_TYPE]) ?? 'atomic';
}

const ANY = 'any';

/** Types that accept every value of a type. */
const WIDER: Readonly<Record<string, readonly string[]>> = {
  integer: ['number', 'integer or string', ANY],
  string: ['integer or string', ANY],
};

/** Number formats that accept every value of a format. */
const WIDER_FORMATS: Readonly<Record<string, readonly string[]>> = {
  int32: ['int64'],
  float: ['double'],
};

/** Type and format of values. */
const TYPE_RULES: RuleFamily = {
  keywords: ['type', 'format', 'x-kubernetes-int-or-string'],
  *find({ before, after }) {
    const [oldType, newType] = [typeOf(before), typeOf(after)];
    if (oldType !== newType) {
      const isWider = newType === ANY || WIDER[oldType]?.includes(newType) === true;
      const text = `type changed from ${oldType} to ${newType}`;
      const refused = `${text}: values of objects are refused`;
      yield isWider
        ? {
            rule: 'type-widened',
            severity: 'readers',
            text: `${text}: takes more`,
            keyword: 'type',
          }
        : { rule: 'type-changed', severity: 'stored', text: refused, keyword: 'type' };
    } else if (before['type'] !== after['type']) {
      const text = `type is written otherwise: ${newType}`;
      yield { rule: 'type-rewritten', severity: 'harmless', text, keyword: 'type' };
    }
    const [from, to] = [stringOf(before['format']), stringOf(after['format'])];
    if (from === to) return;
    const isWider = to === undefined || WIDER_FORMATS[from ?? '']?.includes(to) === true;
    const text = `format changed from ${shownValue(from)} to ${shownValue(to)}`;
    const severity = isWider ? 'readers' : 'stored';
    yield { rule: 'format-changed', severity, text, keyword: 'format' };
  },
};

function typeOf(schema: JsonObject): string {
  if (schema['x-kubernetes-int-or-string'] === true) return 'integer or string';
  return stringOf(schema['type']) || ANY;
}

/** Whether `null` is a value. */
const NULL_RULES: RuleFamily = {
  keywords: ['nullable'],
  find: (pair) =>
    flagChange(pair, 'nullable', {
      set: ['nullable-added', 'readers', 'takes null too'],
      cleared: ['nullable-removed', 'stored', 'no longer takes null'],
    }),
};

/** The values that a field may take. */
const ENUM_RULES: RuleFamily = {
  keywords: ['enum'],
  *find({ before, after }) {
    const [from, to] = [valuesOf(before, 'enum'), valuesOf(after, 'enum')];
    const narrowed = { rule: 'enum-narrowed', severity: 'stored', keyword: 'enum' } as const;
    const widened = { rule: 'enum-widened', severity: 'readers', keyword: 'enum' } as const;
    if (from.length === 0 && to.length > 0) {
      yield { ...narrowed, text: `takes only ${shownValue(to)} now, where any value was taken` };
    } else if (from.length > 0 && to.length === 0) {
      yield { ...widened, text: `takes any value, where only ${shownValue(from)} were taken` };
    } else {
      const [removed, added] = [subtract(from, to), subtract(to, from)];
      if (removed.length > 0) yield { ...narrowed, text: `no longer takes ${shownValue(removed)}` };
      if (added.length > 0) yield { ...widened, text: `takes ${shownValue(added)} too` };
    }
  },
};

const UPPER = ['maximum', 'maxLength', 'maxItems', 'maxProperties'];
const LOWER = ['minimum', 'minLength', 'minItems', 'minProperties'];
/** Boolean bounds: a missing one is `false`, and `true` accepts fewer values. */
const FLAGS = ['exclusiveMaximum', 'exclusiveMinimum', 'uniqueItems'];

/** Limits of values, lengths and counts. */
const BOUND_RULES: RuleFamily = {
  keywords: [...UPPER, ...LOWER, ...FLAGS, 'multipleOf'],
  *find({ before, after }) {
    for (const keyword of [...UPPER, ...LOWER, ...FLAGS]) {
      const [from, to] = [before[keyword], after[keyword]];
      yield* boundChange(
        keyword,
        from,
        to,
        acceptedSize(keyword, to) - acceptedSize(keyword, from),
      );
    }
    const [from, to] = [limitOf(before['multipleOf']), limitOf(after['multipleOf'])];
    const acceptsAll = to === undefined || (from !== undefined && Number.isInteger(from / to));
    yield* boundChange('multipleOf', from, to, acceptsAll ? 1 : -1);
  },
};

/** Returns a number that grows with the set of accepted values. */
function acceptedSize(keyword: string, bound: JsonValue | undefined): number {
  if (FLAGS.includes(keyword)) return bound === true ? 0 : 1;
  if (UPPER.includes(keyword)) return limitOf(bound) ?? Infinity;
  return -(limitOf(bound) ?? (keyword === 'minimum' ? -Infinity : 0));
}

/** `difference`: positive if more values are accepted, negative if fewer. */
function* boundChange(
  keyword: string,
  from: JsonValue | undefined,
  to: JsonValue | undefined,
  difference: number,
): Iterable<RuleFinding> {
  if (from === to) return;
  const text = `${keyword} changed from ${shownValue(from)} to ${shownValue(to)}`;
  if (difference < 0) {
    yield { rule: 'bound-tightened', severity: 'stored', text: `${text}: takes less`, keyword };
  } else if (difference > 0) {
    yield { rule: 'bound-loosened', severity: 'readers', text: `${text}: takes more`, keyword };
  } else {
    yield { rule: 'bound-rewritten', severity: 'harmless', text, keyword };
  }
}

function limitOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** Patterns. Whether a changed pattern accepts fewer values is not determined. */
const PATTERN_RULES: RuleFamily = {
  keywords: ['pattern'],
  find({ before, after }) {
    const patterns = [
      stringOf(before['pattern']) || undefined,
      stringOf(after['pattern']) || undefined,
    ] as const;
    return valueChange('pattern', patterns, (from, to) => ({
      added: ['pattern-added', 'stored', `must match ${to} now`],
      removed: ['pattern-removed', 'readers', `need no longer match ${from}`],
      changed: ['pattern-changed', 'stored', `must match ${to}, where it was ${from}`],
    }));
  },
};

const VALIDATIONS = 'x-kubernetes-validations';

/** CEL rules, identified by their expression. A rule that names `oldSelf` applies to updates only. */
const CEL_RULES: RuleFamily = {
  keywords: [VALIDATIONS],
  *find({ before, after }) {
    const [oldRules, newRules] = [rulesIn(before), rulesIn(after)];
    const keyword = VALIDATIONS;
    for (const [rule, validation] of newRules) {
      const previous = oldRules.get(rule);
      const shown = shownValue(rule);
      if (previous === undefined) {
        const severity = /\boldSelf\b/.test(rule) ? 'writers' : 'stored';
        const text = `must meet the rule ${shown} now`;
        yield { rule: 'cel-rule-added', severity, text, keyword };
      } else if (!sameValue(previous, validation)) {
        const text = `the rule ${shown} says something else when it is not met`;
        yield { rule: 'cel-rule-rewritten', severity: 'harmless', text, keyword };
      }
    }
    for (const rule of oldRules.keys()) {
      if (newRules.has(rule)) continue;
      const text = `need no longer meet the rule ${shownValue(rule)}`;
      yield { rule: 'cel-rule-removed', severity: 'readers', text, keyword };
    }
  },
};

function rulesIn(schema: JsonObject): ReadonlyMap<string, JsonValue> {
  return new Map(
    valuesOf(schema, VALIDATIONS).flatMap((validation): [string, JsonValue][] => {
      const rule = stringOf(mappingOf(validation)?.['rule']);
      return rule === undefined ? [] : [[rule.trim(), validation]];
    }),
  );
}

const COMBINATIONS = ['allOf', 'anyOf', 'oneOf', 'not'] as const;

/** Combined schemas. Which values a changed combination rejects is not determined. */
const COMBINATION_RULES: RuleFamily = {
  keywords: COMBINATIONS,
  *find({ before, after }) {
    const rule = 'combination-changed';
    for (const keyword of COMBINATIONS) {
      yield* valueChange(keyword, [before[keyword], after[keyword]], () => ({
        added: [rule, 'stored', `${keyword} added: values of objects may be refused`],
        removed: [rule, 'readers', `${keyword} is gone: takes more`],
        changed: [rule, 'stored', `${keyword} changed: values of objects may be refused`],
      }));
    }
  },
};

/** Texts for people. */
const ANNOTATION_RULES: RuleFamily = {
  keywords: ['description', 'title', 'example', 'externalDocs'],
  *find({ before, after }) {
    for (const keyword of ANNOTATION_RULES.keywords) {
      if (sameValue(before[keyword], after[keyword])) continue;
      const rule = `${keyword === 'externalDocs' ? 'docs' : keyword}-changed`;
      yield { rule, severity: 'harmless', text: `${keyword} changed`, keyword };
    }
  },
};

/** The rules, in the order in which their findings are listed for one node. */
export const SCHEMA_RULES: readonly RuleFamily[] = [
  FIELD_RULES,
  TYPE_RULES,
  ENUM_RULES,
  REQUIRED_RULES,
  BOUND_RULES,
  PATTERN_RULES,
  DEFAULT_RULES,
  NULL_RULES,
  CEL_RULES,
  UNKNOWN_FIELD_RULES,
  LIST_RULES,
  COMBINATION_RULES,
  ANNOTATION_RULES,
];
