import { expect, test } from 'vitest';
import { fieldsOf, isList, isMapping, mappingOf, type JsonValue } from '../../src/base/json.js';

test.each<{ value: JsonValue | undefined; mapping: boolean; list: boolean; why: string }>([
  { value: { a: 1 }, mapping: true, list: false, why: 'a mapping' },
  { value: {}, mapping: true, list: false, why: 'an empty one' },
  { value: [], mapping: false, list: true, why: 'a list, which is an object to JavaScript' },
  { value: null, mapping: false, list: false, why: 'null, which typeof calls an object' },
  { value: 'text', mapping: false, list: false, why: 'a string' },
  { value: undefined, mapping: false, list: false, why: 'nothing' },
])('$value: mapping $mapping, list $list ($why)', ({ value, mapping, list }) => {
  expect(isMapping(value)).toBe(mapping);
  expect(mappingOf(value)).toBe(mapping ? value : undefined);
  expect(fieldsOf(value) !== undefined).toBe(mapping);
  expect(isList(value)).toBe(list);
});

test('fields of a mapping do not include those of a prototype', () => {
  expect(fieldsOf({})?.get('constructor')).toBeUndefined();
});
