import { describe, expect, test } from 'vitest';
import { compareSchemas } from '../../../src/features/diff/definitions.js';
import type { JsonObject } from '../../../src/base/json.js';

/** Returns the findings for `spec.size` with two schemas. */
function found(old: JsonObject, newer: JsonObject, top = 'spec'): string[] {
  const whole = (schema: JsonObject) => ({
    schema: { type: 'object', properties: { [top]: { properties: { size: schema } } } },
    at: [],
  });
  return compareSchemas(whole(old), whole(newer), 'v1').map(
    ({ severity, rule, path }) => `${severity} ${rule} ${path}`,
  );
}

const AT = 'spec.size';
const props = (...names: readonly string[]) => ({
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
});
const rule = (text: string) => ({ 'x-kubernetes-validations': [{ rule: text }] });

const keyed = (...keys: readonly string[]) => ({
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': keys,
});

describe('a change of one keyword', () => {
  test.each<[string, JsonObject, JsonObject, string[]]>([
    ['no change', { type: 'string' }, { type: 'string' }, []],
    ['other type', { type: 'string' }, { type: 'integer' }, [`stored type-changed ${AT}`]],
    [
      'a number takes integers',
      { type: 'integer' },
      { type: 'number' },
      [`readers type-widened ${AT}`],
    ],
    [
      'an integer is no number',
      { type: 'number' },
      { type: 'integer' },
      [`stored type-changed ${AT}`],
    ],
    [
      'int-or-string',
      { type: 'string' },
      { 'x-kubernetes-int-or-string': true },
      [`readers type-widened ${AT}`],
    ],
    ['longer numbers', { format: 'int32' }, { format: 'int64' }, [`readers format-changed ${AT}`]],
    ['shorter numbers', { format: 'int64' }, { format: 'int32' }, [`stored format-changed ${AT}`]],
    ['a value removed', { enum: ['a', 'b'] }, { enum: ['b'] }, [`stored enum-narrowed ${AT}`]],
    ['a value added', { enum: ['a'] }, { enum: ['b', 'a'] }, [`readers enum-widened ${AT}`]],
    ['new enum', {}, { enum: ['a'] }, [`stored enum-narrowed ${AT}`]],
    ['enum removed', { enum: ['a'] }, {}, [`readers enum-widened ${AT}`]],
    [
      'order of an enum',
      { enum: ['a', 'b'] },
      { enum: ['b', 'a'] },
      [`harmless keyword-changed ${AT}`],
    ],
    ['lower maximum', { maximum: 9 }, { maximum: 8 }, [`stored bound-tightened ${AT}`]],
    ['higher maximum', { maxLength: 8 }, { maxLength: 9 }, [`readers bound-loosened ${AT}`]],
    ['new minimum', {}, { minItems: 1 }, [`stored bound-tightened ${AT}`]],
    ['a minimum without effect', {}, { minLength: 0 }, [`harmless bound-rewritten ${AT}`]],
    ['higher minimum', { minimum: -1 }, { minimum: 0 }, [`stored bound-tightened ${AT}`]],
    [
      'exclusive',
      { maximum: 9 },
      { maximum: 9, exclusiveMaximum: true },
      [`stored bound-tightened ${AT}`],
    ],
    ['unique', {}, { uniqueItems: true }, [`stored bound-tightened ${AT}`]],
    ['fewer multiples', { multipleOf: 2 }, { multipleOf: 4 }, [`stored bound-tightened ${AT}`]],
    ['more multiples', { multipleOf: 4 }, { multipleOf: 2 }, [`readers bound-loosened ${AT}`]],
    ['pattern added', {}, { pattern: 'a' }, [`stored pattern-added ${AT}`]],
    ['pattern changed', { pattern: 'b' }, { pattern: 'a' }, [`stored pattern-changed ${AT}`]],
    ['pattern removed', { pattern: 'b' }, {}, [`readers pattern-removed ${AT}`]],
    ['default added', {}, { default: 1 }, [`writers default-added ${AT}`]],
    [
      'default changed',
      { default: { a: 1 } },
      { default: { a: 2 } },
      [`writers default-changed ${AT}`],
    ],
    ['default removed', { default: 1 }, {}, [`writers default-removed ${AT}`]],
    ['null no longer accepted', { nullable: true }, {}, [`stored nullable-removed ${AT}`]],
    ['null accepted', {}, { nullable: true }, [`readers nullable-added ${AT}`]],
    ['CEL rule', {}, rule('self > 1'), [`stored cel-rule-added ${AT}`]],
    ['CEL rule about updates', {}, rule('self == oldSelf'), [`writers cel-rule-added ${AT}`]],
    ['CEL rule removed', rule('self > 1'), {}, [`readers cel-rule-removed ${AT}`]],
    [
      'unknown fields dropped',
      { 'x-kubernetes-preserve-unknown-fields': true },
      {},
      [`stored unknown-fields-dropped ${AT}`],
    ],
    [
      'unknown fields kept',
      {},
      { 'x-kubernetes-preserve-unknown-fields': true },
      [`readers unknown-fields-kept ${AT}`],
    ],
    [
      'embedded',
      {},
      { 'x-kubernetes-embedded-resource': true },
      [`stored embedded-resource ${AT}`],
    ],
    ['a set', {}, { 'x-kubernetes-list-type': 'set' }, [`stored list-type-changed ${AT}`]],
    [
      'no set',
      { 'x-kubernetes-list-type': 'set' },
      { 'x-kubernetes-list-type': 'atomic' },
      [`writers list-type-changed ${AT}`],
    ],
    [
      'what is meant anyway',
      {},
      { 'x-kubernetes-list-type': 'atomic' },
      [`harmless list-type-rewritten ${AT}`],
    ],
    ['atomic map', {}, { 'x-kubernetes-map-type': 'atomic' }, [`writers map-type-changed ${AT}`]],
    ['anyOf', {}, { anyOf: [{ type: 'string' }] }, [`stored combination-changed ${AT}`]],
    ['anyOf removed', { anyOf: [{ type: 'string' }] }, {}, [`readers combination-changed ${AT}`]],
    [
      'description',
      { description: 'a' },
      { description: 'b' },
      [`harmless description-changed ${AT}`],
    ],
    ['unknown keyword', {}, { 'x-vendor': 1 }, [`harmless keyword-changed ${AT}`]],
  ])('%s', (_, old, newer, want) => {
    expect(found(old, newer)).toEqual(want);
  });

  test('keys of list items', () => {
    expect(found(keyed('a'), keyed('a', 'b'))).toEqual([`stored list-keys-changed ${AT}`]);
  });
});

const map = (type: string) => ({ additionalProperties: { type } });

const list = (type: string) => ({ items: { properties: { 'a.b': { type } } } });

describe('fields', () => {
  test('that are removed lose data, unless unknown fields are kept', () => {
    expect(found(props('a', 'b'), props('a'))).toEqual([`stored field-removed ${AT}.b`]);
    const keeps = { 'x-kubernetes-preserve-unknown-fields': true };
    expect(found({ ...props('a', 'b'), ...keeps }, { ...props('a'), ...keeps })).toEqual([
      `readers field-removed ${AT}.b`,
    ]);
  });

  test('that are added are harmless, unless any value was accepted before', () => {
    expect(found(props('a'), props('a', 'b'))).toEqual([`harmless field-added ${AT}.b`]);
    const keeps = { 'x-kubernetes-preserve-unknown-fields': true };
    expect(found(keeps, { ...keeps, ...props('b') })).toEqual([`stored field-added ${AT}.b`]);
  });

  test('that are required break objects, unless they have a default', () => {
    const fields = { properties: { a: {}, b: { default: 1 } } };
    expect(found(fields, { ...fields, required: ['a', 'b'] })).toEqual([
      `stored required-added ${AT}.a`,
      `harmless required-added ${AT}.b`,
    ]);
    expect(found({ ...fields, required: ['a'] }, fields)).toEqual([
      `readers required-removed ${AT}.a`,
    ]);
  });

  test('are found in lists and maps, with their path', () => {
    expect(found(list('string'), list('integer'))).toEqual([`stored type-changed ${AT}[]["a.b"]`]);
    expect(found(map('string'), map('integer'))).toEqual([`stored type-changed ${AT}.*`]);
  });

  test('a map that becomes an object drops other keys', () => {
    expect(found({ additionalProperties: { type: 'string' } }, props('a'))).toEqual([
      `stored field-added ${AT}.a`,
      `stored map-removed ${AT}`,
    ]);
  });

  test('of the status break at most readers, because controllers write them', () => {
    expect(found({ type: 'string' }, { type: 'integer' }, 'status')).toEqual([
      'readers type-changed status.size',
    ]);
  });

  test('may have names of JavaScript object members', () => {
    expect(found(props('constructor'), props('toString'))).toEqual([
      `stored field-removed ${AT}.constructor`,
      `harmless field-added ${AT}.toString`,
    ]);
  });
});
