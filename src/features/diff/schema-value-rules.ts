import { shownValue } from './findings.js';
import { flagChange, type RuleFamily, type RuleFinding, valuesOf } from './schema-rule.js';
import { type JsonObject, type JsonValue, stringOf } from '../../base/json.js';

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
export const TYPE_RULES: RuleFamily = {
  keywords: ['type', 'format', 'x-kubernetes-int-or-string'],
  *find({ before, after }) {
    const [oldType, newType] = [typeOf(before), typeOf(after)];
    if (oldType !== newType) {
      const isWider = newType === ANY || WIDER[oldType]?.includes(newType) === true;
      const effect = isWider ? 'takes more' : 'values of objects are refused';
      yield {
        rule: isWider ? 'type-widened' : 'type-changed',
        severity: isWider ? 'readers' : 'stored',
        text: `type changed from ${oldType} to ${newType}: ${effect}`,
        keyword: 'type',
      };
    } else if (before['type'] !== after['type']) {
      const text = `type is written otherwise: ${newType}`;
      yield { rule: 'type-rewritten', severity: 'harmless', text, keyword: 'type' };
    }
    const [from, to] = [stringOf(before['format']), stringOf(after['format'])];
    if (from === to) return;
    const isWider = to === undefined || WIDER_FORMATS[from ?? '']?.includes(to) === true;
    yield {
      rule: 'format-changed',
      severity: isWider ? 'readers' : 'stored',
      text: `format changed from ${shownValue(from)} to ${shownValue(to)}`,
      keyword: 'format',
    };
  },
};

function typeOf(schema: JsonObject): string {
  if (schema['x-kubernetes-int-or-string'] === true) return 'integer or string';
  return stringOf(schema['type']) || ANY;
}

/** Whether `null` is a value. */
export const NULL_RULES: RuleFamily = {
  keywords: ['nullable'],
  find: (pair) =>
    flagChange(pair, 'nullable', {
      set: ['nullable-added', 'readers', 'takes null too'],
      cleared: ['nullable-removed', 'stored', 'no longer takes null'],
    }),
};

/** The values that a field may take. */
export const ENUM_RULES: RuleFamily = {
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
      const [removed, added] = [without(from, to), without(to, from)];
      if (removed.length > 0) yield { ...narrowed, text: `no longer takes ${shownValue(removed)}` };
      if (added.length > 0) yield { ...widened, text: `takes ${shownValue(added)} too` };
    }
  },
};

function without(values: readonly JsonValue[], others: readonly JsonValue[]): JsonValue[] {
  const known = new Set(others.map((other) => JSON.stringify(other)));
  return values.filter((value) => !known.has(JSON.stringify(value)));
}

const UPPER = ['maximum', 'maxLength', 'maxItems', 'maxProperties'] as const;
const LOWER = ['minimum', 'minLength', 'minItems', 'minProperties'] as const;
/** Boolean bounds: a missing one is `false`, and `true` accepts fewer values. */
const FLAGS = ['exclusiveMaximum', 'exclusiveMinimum', 'uniqueItems'] as const;

/** Limits of values, lengths and counts. */
export const BOUND_RULES: RuleFamily = {
  keywords: [...UPPER, ...LOWER, ...FLAGS, 'multipleOf'],
  *find({ before, after }) {
    for (const keyword of UPPER) {
      yield* boundChange(keyword, before, after, (schema) => limitOf(schema[keyword]) ?? Infinity);
    }
    for (const keyword of LOWER) {
      const missing = keyword === 'minimum' ? -Infinity : 0;
      yield* boundChange(
        keyword,
        before,
        after,
        (schema) => -(limitOf(schema[keyword]) ?? missing),
      );
    }
    for (const keyword of FLAGS) {
      yield* boundChange(keyword, before, after, (schema) => (schema[keyword] === true ? 0 : 1));
    }
    yield* multipleOfChange(before, after);
  },
};

/** `room`: returns a number that grows with the set of accepted values. */
function* boundChange(
  keyword: string,
  before: JsonObject,
  after: JsonObject,
  room: (schema: JsonObject) => number,
): Iterable<RuleFinding> {
  const [from, to] = [before[keyword], after[keyword]];
  if (from === to) return;
  const text = `${keyword} changed from ${shownValue(from)} to ${shownValue(to)}`;
  const difference = room(after) - room(before);
  if (difference < 0) {
    yield { rule: 'bound-tightened', severity: 'stored', text: `${text}: takes less`, keyword };
  } else if (difference > 0) {
    yield { rule: 'bound-loosened', severity: 'readers', text: `${text}: takes more`, keyword };
  } else {
    yield { rule: 'bound-rewritten', severity: 'harmless', text, keyword };
  }
}

function* multipleOfChange(before: JsonObject, after: JsonObject): Iterable<RuleFinding> {
  const [from, to] = [limitOf(before['multipleOf']), limitOf(after['multipleOf'])];
  if (from === to) return;
  const keyword = 'multipleOf';
  const text = `multipleOf changed from ${from ?? 'none'} to ${to ?? 'none'}`;
  const acceptsAll = to === undefined || (from !== undefined && Number.isInteger(from / to));
  yield acceptsAll
    ? { rule: 'bound-loosened', severity: 'readers', text: `${text}: takes more`, keyword }
    : { rule: 'bound-tightened', severity: 'stored', text: `${text}: takes less`, keyword };
}

function limitOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** Patterns. Whether a changed pattern accepts fewer values is not determined. */
export const PATTERN_RULES: RuleFamily = {
  keywords: ['pattern'],
  *find({ before, after }) {
    const [from, to] = [stringOf(before['pattern']) ?? '', stringOf(after['pattern']) ?? ''];
    const keyword = 'pattern';
    if (from === to) return;
    if (to === '') {
      const text = `need no longer match ${shownValue(from)}`;
      yield { rule: 'pattern-removed', severity: 'readers', text, keyword };
    } else if (from === '') {
      const text = `must match ${shownValue(to)} now`;
      yield { rule: 'pattern-added', severity: 'stored', text, keyword };
    } else {
      const text = `must match ${shownValue(to)}, where it was ${shownValue(from)}`;
      yield { rule: 'pattern-changed', severity: 'stored', text, keyword };
    }
  },
};
