import { describe, expect, test } from 'vitest';
import { readJson, type JsonShape } from '../../src/base/strict-json.js';

const DIGEST = `sha256:${'0'.repeat(64)}`;
const SHAPE: JsonShape = {
  fields: {
    kind: 'string',
    layers: [{ fields: { size: 'integer', digest: 'digest', data: 'bytes' } }],
    annotations: { each: 'string' },
    isLast: 'boolean',
  },
};

describe('reads the same value as JSON.parse', () => {
  test.each([
    ['all types', JSON.stringify(document())],
    [
      'other fields of any type',
      '{"other":[{"Kind":[null,1.5e3,{}]},[[]]],"more":{"a":"","A":""}}',
    ],
    ['null in place of a known field', '{"layers":null,"annotations":{"a":null},"isLast":null}'],
    ['map keys that differ in case', '{"annotations":{"Team":"a","team":"b"}}'],
    ['escapes in strings and keys', '{"k\\u0069nd":"a\\"\\\\","x\\\\":"\\ud83d\\ude00"}'],
    ['white space', ' {\t"kind"\r\n: "a" , "isLast" :true } \n'],
    ['a negative zero', '{"layers":[{"size":-0}]}'],
    ['__proto__', '{"__proto__":{"kind":1}}'],
  ])('%s', (_, text) => {
    expect(readJson(text, SHAPE)).toEqual({ value: JSON.parse(text) });
    expect(readJson(Buffer.from(text), SHAPE)).toEqual({ value: JSON.parse(text) });
  });
});

describe('rejects', () => {
  test.each([
    ['{"kind":"a","kind":"a"}', 'has `kind` twice'],
    ['{"kind":"a","k\\u0069nd":"a"}', 'has `kind` twice'],
    ['{"layers":[],"Layers":[]}', 'has `Layers`, which differs from `layers` only in case'],
    ['{"KIND":"a"}', 'has `KIND`, which differs from `kind` only in case'],
    ['{"layer\u017f":[]}', 'has `layer\u017f`, which differs from `layers` only in case'],
    ['{"\u212aind":"a"}', 'has `\u212aind`, which differs from `kind` only in case'],
    ['{"other":1,"Other":2}', 'has `Other` twice'],
    ['{"annotations":{"a":"","a":""}}', 'has `annotations.a` twice'],
    ['{"other":[{"a":1,"a":1}]}', 'has `other[0].a` twice'],
    ['{"layers":[{"size":1.0}]}', 'has `layers[0].size`, which is not an integer'],
    ['{"layers":[{"size":1e3}]}', 'has `layers[0].size`, which is not an integer'],
    ['{"layers":[{"size":"1"}]}', 'has `layers[0].size`, which is not an integer'],
    ['{"layers":[{"size":9007199254740993}]}', 'has `layers[0].size`, which is not an integer'],
    ['{"layers":[{"digest":"sha256:0"}]}', 'has `layers[0].digest`, which is not a sha256 digest'],
    ['{"layers":[{"digest":null}]}', 'has `layers[0].digest`, which is not a sha256 digest'],
    ['{"layers":[{"data":"a"}]}', 'has `layers[0].data`, which is not base64'],
    ['{"layers":[null]}', 'has `layers[0]`, which is not an object'],
    ['{"layers":{}}', 'has `layers`, which is not a list'],
    ['{"annotations":[]}', 'has `annotations`, which is not an object'],
    ['{"annotations":{"a":1}}', 'has `annotations.a`, which is not a string'],
    ['{"kind":{}}', 'has `kind`, which is not a string'],
    ['{"isLast":"true"}', 'has `isLast`, which is not true or false'],
    ['{"kind":"\\ud800"}', 'has half a character (a lone surrogate)'],
    ['{"kind":"\ud800"}', 'has half a character (a lone surrogate)'],
    ['[]', 'is not an object'],
    ['"a"', 'is not an object'],
    ['{} {}', 'has text after its end'],
    ['\ufeff{}', 'is not valid JSON'],
    [`${'['.repeat(101)}${']'.repeat(101)}`, 'is not an object'],
    [`{"a":${'['.repeat(101)}${']'.repeat(101)}}`, 'is nested more than 100 levels deep'],
    [`{"a":[${'0,'.repeat(1_000_000)}0]}`, 'has more than 1000000 values'],
  ])('%.40s', (text, problem) => {
    expect(readJson(text, SHAPE)).toEqual({ problem });
  });

  test('invalid UTF-8', () => {
    const bytes = Buffer.from('{"kind":"\xff"}', 'latin1');
    expect(readJson(bytes, SHAPE)).toEqual({ problem: 'is not valid UTF-8' });
  });

  test.each([
    '',
    '{',
    '{"a"',
    '{"a":',
    '{"a":1,}',
    '[1,]',
    '{a:1}',
    '"',
    '{"a":"\\x"}',
    '{"a":01}',
  ])('text that is not JSON: %s', (text) => {
    expect(readJson(text)).toEqual({ problem: 'is not valid JSON' });
  });
});

function document(): unknown {
  return {
    kind: 'Image',
    layers: [{ size: 12, digest: DIGEST, data: 'YQ==' }, {}],
    annotations: { a: 'b', '': '' },
    isLast: false,
  };
}
