import { byCodePoint } from '../text/code-point-order.js';
import { isList, isMapping, type JsonObject, type JsonValue } from '../text/json.js';

/** Keys that come first in a manifest by convention. */
const LEADING = ['apiVersion', 'kind', 'metadata', 'name', 'package', 'spec'];

/** Puts the keys of every mapping in a fixed order, whatever order they came in. */
export function canonical(value: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => rank(a) - rank(b) || byCodePoint(a, b))
      .map(([key, member]) => [key, canonicalValue(member)]),
  );
}

function canonicalValue(value: JsonValue): JsonValue {
  if (isList(value)) return value.map(canonicalValue);
  return isMapping(value) ? canonical(value) : value;
}

function rank(key: string): number {
  const place = LEADING.indexOf(key);
  return place < 0 ? LEADING.length : place;
}
