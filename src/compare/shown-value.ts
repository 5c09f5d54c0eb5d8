import { isList, type JsonValue } from '../text/json.js';

/** Characters of a value in a sentence. */
const MAX_VALUE_LENGTH = 60;
/** Values of a list in a sentence. */
const MAX_VALUES = 5;

/** A value of a schema for a sentence, as JSON and cut short; lists with `,` between their values. */
export function shownValue(value: JsonValue | undefined): string {
  if (value === undefined) return 'none';
  const text = isList(value) ? shownList(value) : JSON.stringify(value);
  return text.length <= MAX_VALUE_LENGTH ? text : `${text.slice(0, MAX_VALUE_LENGTH)}…`;
}

function shownList(values: readonly JsonValue[]): string {
  const shown = values.slice(0, MAX_VALUES).map((value) => JSON.stringify(value));
  const more = values.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Whether two values of JSON are the same; keys of mappings have no order. */
export function sameValue(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (isList(a) !== isList(b)) return false;
  const [left, right] = [new Map(Object.entries(a)), new Map(Object.entries(b))];
  return (
    left.size === right.size &&
    [...left].every(([key, value]) => right.has(key) && sameValue(value, right.get(key)))
  );
}
