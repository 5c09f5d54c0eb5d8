import { type DiffSeverity, sameValue, shownValue } from './findings.js';
import {
  fieldsIn,
  flagChange,
  keepsUnknown,
  type RuleFamily,
  type RuleFinding,
  type SchemaPair,
  valuesOf,
} from './schema-rule.js';
import { isMapping, type JsonObject, stringOf } from '../../base/json.js';

/** Added and removed fields, and maps that become objects with named fields. */
export const FIELD_RULES: RuleFamily = {
  keywords: ['properties', 'additionalProperties', 'items'],
  *find({ before, after }) {
    const [oldFields, newFields] = [fieldsIn(before), fieldsIn(after)];
    const keepsData = keepsUnknown(after) || after['additionalProperties'] !== undefined;
    for (const field of oldFields.keys()) {
      if (newFields.has(field)) continue;
      yield keepsData
        ? removed(field, 'readers', 'removed; what objects have there is kept')
        : removed(field, 'stored', 'removed: what objects have there is dropped');
    }
    const acceptedAnything = keepsUnknown(before) || isMap(before);
    for (const field of newFields.keys()) {
      if (oldFields.has(field)) continue;
      yield acceptedAnything
        ? added(field, 'stored', 'described now, where any value was taken before')
        : added(field, 'harmless', 'added');
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
    if (hadItems && !hasItems) yield items('readers', 'no longer says what its items are');
    if (!hadItems && hasItems)
      yield items('stored', 'says what its items are, where any were taken');
  },
};

function removed(field: string, severity: DiffSeverity, text: string): RuleFinding {
  return { rule: 'field-removed', severity, text, field, keyword: 'properties' };
}

function added(field: string, severity: DiffSeverity, text: string): RuleFinding {
  return { rule: 'field-added', severity, text, field, keyword: 'properties' };
}

function items(severity: DiffSeverity, text: string): RuleFinding {
  return { rule: 'items-changed', severity, text, keyword: 'items' };
}

function isMap({ additionalProperties }: { readonly additionalProperties?: unknown }): boolean {
  return additionalProperties === true || isMapping(additionalProperties);
}

/** Required fields of an object. */
export const REQUIRED_RULES: RuleFamily = {
  keywords: ['required'],
  *find(pair) {
    const [oldNames, newNames] = [requiredIn(pair.before), requiredIn(pair.after)];
    for (const field of newNames) if (!oldNames.has(field)) yield required(field, pair);
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

function required(field: string, { after }: SchemaPair): RuleFinding {
  const at = { rule: 'required-added', field, keyword: 'required' };
  return fieldsIn(after).get(field)?.['default'] === undefined
    ? { ...at, severity: 'stored', text: 'required now: objects without it are refused' }
    : { ...at, severity: 'harmless', text: 'required now, with a default' };
}

const UNKNOWN = 'x-kubernetes-preserve-unknown-fields';
const EMBEDDED = 'x-kubernetes-embedded-resource';

/** Fields that no schema names, and objects inside objects. */
export const UNKNOWN_FIELD_RULES: RuleFamily = {
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
export const DEFAULT_RULES: RuleFamily = {
  keywords: ['default'],
  *find({ before, after }) {
    const [from, to] = [before['default'], after['default']];
    const at = { severity: 'writers', keyword: 'default' } as const;
    if (sameValue(from, to)) return;
    if (from === undefined) {
      const text = `is ${shownValue(to)} now where it is not written`;
      yield { rule: 'default-added', text, ...at };
    } else if (to === undefined) {
      const text = `no longer ${shownValue(from)} where it is not written`;
      yield { rule: 'default-removed', text, ...at };
    } else {
      const text = `default changed from ${shownValue(from)} to ${shownValue(to)}`;
      yield { rule: 'default-changed', text, ...at };
    }
  },
};

const LIST_TYPE = 'x-kubernetes-list-type';
const LIST_KEYS = 'x-kubernetes-list-map-keys';
const MAP_TYPE = 'x-kubernetes-map-type';

/** Merging of lists and maps, and the keys that make two items of a list equal. */
export const LIST_RULES: RuleFamily = {
  keywords: [LIST_TYPE, LIST_KEYS, MAP_TYPE],
  *find({ before, after }) {
    const [oldType, newType] = [listTypeOf(before), listTypeOf(after)];
    if (oldType !== newType) {
      const isAtomic = newType === 'atomic';
      const effect = isAtomic ? 'is replaced as a whole' : 'items that are the same are refused';
      yield {
        rule: 'list-type-changed',
        severity: isAtomic ? 'writers' : 'stored',
        text: `list type changed from ${oldType} to ${newType}: ${effect}`,
        keyword: LIST_TYPE,
      };
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
