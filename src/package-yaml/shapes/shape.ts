import { isList, isMapping, type JsonValue } from '../../text/json.js';
import { mustBe } from '../identity.js';
import { isGoTime } from './go-time.js';

/** A type that Go decodes a value into; null is taken for each of them. */
export type Shape =
  | 'string'
  | 'boolean'
  | 'integer'
  | 'time'
  | 'anything'
  | { readonly listOf: Shape }
  | { readonly mappingOf: Shape }
  /** Keys that are not in it are passed over. */
  | { readonly fields: Readonly<Record<string, Shape>> };

/** Says what of a value Go would not decode into that type; undefined: it decodes all of it. */
export function shapeProblem(value: JsonValue, shape: Shape, path: string): string | undefined {
  if (value === null || shape === 'anything') return undefined;
  if (typeof shape === 'string') {
    if (SCALARS[shape](value)) return undefined;
    const remedy = shape === 'string' && typeof value !== 'object' ? '; put it in quotes' : '';
    return `${mustBe(`${shape === 'integer' ? 'an' : 'a'} ${shape}`, path, value)}${remedy}`;
  }
  if ('listOf' in shape) {
    if (!isList(value)) return mustBe('a list', path, value);
    return first(value.entries(), ([i, item]) => shapeProblem(item, shape.listOf, `${path}[${i}]`));
  }
  if (!isMapping(value)) return mustBe('a mapping', path, value);
  const fields = 'fields' in shape ? new Map(Object.entries(shape.fields)) : undefined;
  return first(Object.entries(value), ([key, item]) => {
    const inner = 'mappingOf' in shape ? shape.mappingOf : fields?.get(key);
    return inner && shapeProblem(item, inner, `${path}.${key}`);
  });
}

const SCALARS = {
  string: (value: JsonValue) => typeof value === 'string',
  boolean: (value: JsonValue) => typeof value === 'boolean',
  integer: (value: JsonValue) => typeof value === 'number' && isInt64(value),
  time: (value: JsonValue) => typeof value === 'string' && isGoTime(value),
};

/** `1.0` and `1e3` are integers, too: Go decodes what JSON makes of them. */
function isInt64(value: number): boolean {
  return Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63;
}

function first<T>(
  items: Iterable<T>,
  problem: (item: T) => string | undefined,
): string | undefined {
  for (const item of items) {
    const found = problem(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
