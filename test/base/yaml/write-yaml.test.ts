import * as fc from 'fast-check';
import { CORE_SCHEMA, load, YAML11_SCHEMA } from 'js-yaml';
import { expect, test } from 'vitest';
import { writeYaml, writeYamlStream } from '../../../src/base/yaml/write-yaml.js';
import type { JsonValue } from '../../../src/base/json.js';

test.each([
  { value: 'v1.2.3', want: 'v1.2.3', why: 'a tag needs no quotes' },
  { value: 'xpkg.io/a/b:v1', want: 'xpkg.io/a/b:v1', why: 'nor does a reference' },
  { value: '1.2', want: '"1.2"', why: 'a number otherwise' },
  { value: 'on', want: '"on"', why: 'a boolean in YAML 1.1' },
  { value: 'Null', want: '"Null"', why: 'nothing otherwise' },
  { value: '12:30:45', want: '"12:30:45"', why: 'sexagesimal in YAML 1.1' },
  { value: '2024-01-01', want: '"2024-01-01"', why: 'a date in YAML 1.1' },
  { value: 'a:', want: '"a:"', why: 'a key otherwise' },
  { value: 'a\nb', want: '"a\\nb"', why: 'lines stay in one' },
  { value: '\u0085\u2028', want: '"\\u0085\\u2028"', why: 'line breaks to some readers' },
  { value: 'a\u202eb', want: '"a\\u202eb"', why: 'a reviewer sees no text run backwards' },
  { value: 1e21, want: '1.0e+21', why: 'YAML 1.1 wants a point before an exponent' },
  { value: [], want: '[]', why: 'an empty list' },
  { value: { a: {}, b: undefined }, want: 'a: {}', why: 'an absent member is not written' },
  {
    value: [[1, 2], { a: 1, b: [2] }],
    want: '- - 1\n  - 2\n- a: 1\n  b:\n    - 2',
    why: 'nesting',
  },
])('$value → $want: $why', ({ value, want }) => {
  expect(writeYaml(value)).toBe(`${want}\n`);
});

test('readers of YAML 1.1 and 1.2 read the written value', () => {
  const unit = fc.oneof(
    fc.constantFrom(...'yn~-:#"\' \n\t0x_.eE+<=%@`&*!|>{}[],?'.split('')),
    fc.integer({ min: 0, max: 0xd7ff }).map((code) => String.fromCharCode(code)),
  );
  const text = fc.string({ unit, maxLength: 6 });
  const value = fc.letrec<{ any: JsonValue }>((tie) => ({
    any: fc.oneof(
      { maxDepth: 3 },
      fc.oneof(
        text,
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
      ),
      fc.array(tie('any'), { maxLength: 3 }),
      fc.dictionary(text, tie('any'), { maxKeys: 3, noNullPrototype: true }),
    ),
  })).any;
  fc.assert(
    fc.property(value, (value) => {
      const written = writeYaml(value);
      expect(load(written, { schema: CORE_SCHEMA })).toEqual(value);
      expect(load(written, { schema: YAML11_SCHEMA })).toEqual(value);
    }),
    { numRuns: 500 },
  );
});

test('every document of a stream begins with a marker', () => {
  expect(writeYamlStream([{ a: 1 }, { b: 2 }])).toBe('---\na: 1\n---\nb: 2\n');
});
