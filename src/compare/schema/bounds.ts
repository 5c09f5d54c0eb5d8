import type { JsonObject } from '../../text/json.js';
import { shownValue } from '../shown-value.js';
import type { RuleFamily, RuleFinding } from './schema-rule.js';

const UPPER = ['maximum', 'maxLength', 'maxItems', 'maxProperties'] as const;
const LOWER = ['minimum', 'minLength', 'minItems', 'minProperties'] as const;
/** Their absence is `false`, and `true` takes less. */
const SWITCHES = ['exclusiveMaximum', 'exclusiveMinimum', 'uniqueItems'] as const;

/** How large and how many values may be. */
export const BOUND_RULES: RuleFamily = {
  keywords: [...UPPER, ...LOWER, ...SWITCHES, 'multipleOf'],
  *find({ old, fresh }) {
    for (const keyword of UPPER) {
      yield* moved(keyword, old, fresh, (schema) => limitOf(schema[keyword]) ?? Infinity);
    }
    for (const keyword of LOWER) {
      const least = keyword === 'minimum' ? -Infinity : 0;
      yield* moved(keyword, old, fresh, (schema) => -(limitOf(schema[keyword]) ?? least));
    }
    for (const keyword of SWITCHES) {
      yield* moved(keyword, old, fresh, (schema) => (schema[keyword] === true ? 0 : 1));
    }
    yield* multiples(old, fresh);
  },
};

/** `room`: the more, the more values are taken. */
function* moved(
  keyword: string,
  old: JsonObject,
  fresh: JsonObject,
  room: (schema: JsonObject) => number,
): Iterable<RuleFinding> {
  const [from, to] = [old[keyword], fresh[keyword]];
  if (from === to) return;
  const text = `${keyword} changed from ${shownValue(from)} to ${shownValue(to)}`;
  const more = room(fresh) - room(old);
  if (more < 0) {
    yield { rule: 'bound-tightened', severity: 'stored', text: `${text}: takes less`, keyword };
  } else if (more > 0) {
    yield { rule: 'bound-loosened', severity: 'readers', text: `${text}: takes more`, keyword };
  } else {
    yield { rule: 'bound-rewritten', severity: 'harmless', text, keyword };
  }
}

function* multiples(old: JsonObject, fresh: JsonObject): Iterable<RuleFinding> {
  const [from, to] = [limitOf(old['multipleOf']), limitOf(fresh['multipleOf'])];
  if (from === to) return;
  const keyword = 'multipleOf';
  const text = `multipleOf changed from ${from ?? 'none'} to ${to ?? 'none'}`;
  const takesAll = to === undefined || (from !== undefined && Number.isInteger(from / to));
  yield takesAll
    ? { rule: 'bound-loosened', severity: 'readers', text: `${text}: takes more`, keyword }
    : { rule: 'bound-tightened', severity: 'stored', text: `${text}: takes less`, keyword };
}

function limitOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
