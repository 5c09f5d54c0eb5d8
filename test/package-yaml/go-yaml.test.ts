import { expect, test } from 'vitest';
import { parseGoYaml } from '../../src/package-yaml/go-yaml.js';

function read(text: string): unknown {
  const parsed = parseGoYaml(text);
  return 'error' in parsed ? 'error' : parsed.value;
}

test.each([
  { text: 'yes', want: true },
  { text: 'On', want: true },
  { text: 'y', want: true },
  { text: 'N', want: false },
  { text: 'off', want: false },
  { text: '~', want: null },
  { text: '', want: null },
  { text: '0777', want: 511 },
  { text: '0o777', want: 511 },
  { text: '0x1F', want: 31 },
  { text: '-0b11', want: -3 },
  { text: '1_000', want: 1000 },
  { text: '+12', want: 12 },
  { text: '08', want: 8 },
  { text: '1.2', want: 1.2 },
  { text: '1e3', want: 1000 },
  { text: '.5', want: 0.5 },
  { text: '1:30', want: '1:30' },
  { text: '2026-01-31', want: '2026-01-31' },
  { text: 'v1.2.0', want: 'v1.2.0' },
  { text: '1.2.0', want: '1.2.0' },
  { text: '_1', want: '_1' },
  { text: '"yes"', want: 'yes' },
  { text: "'0777'", want: '0777' },
  { text: '!!str 12', want: '12' },
  { text: '!!int "12"', want: 12 },
  { text: '!!float 12', want: 12 },
  { text: '!!binary aGk=', want: 'hi' },
  { text: '!vendor 12', want: '12' },
  { text: '!vendor [y]', want: [true] },
  { text: '!vendor {a: 1}', want: { a: 1 } },
])('Go reads `$text` as $want', ({ text, want }) => {
  expect(read(`key: ${text}\n`)).toEqual({ key: want });
});

test.each([
  { text: 'a: 1\na: 2\n', want: { a: 2 }, why: 'the last of two keys wins' },
  { text: 'y: 1\n3: x\n', want: { true: 1, 3: 'x' }, why: 'keys are resolved, then made text' },
  {
    text: 'a: &x {b: 1, c: 1}\nd: {<<: *x, b: 2}\n',
    want: { a: { b: 1, c: 1 }, d: { b: 2, c: 1 } },
    why: 'merge keys work',
  },
  {
    text: 'a: 1\n...\n@ not YAML\n',
    want: { a: 1 },
    why: 'what comes after the document is not read',
  },
  { text: '# nothing\n', want: null, why: 'an empty document is null' },
  { text: '{"a": [1, true]}', want: { a: [1, true] }, why: 'JSON is YAML' },
  { text: '~: 1\n', want: 'error', why: 'null is no key in JSON' },
  { text: 'a: [', want: 'error', why: 'not YAML' },
  { text: `a: ${'['.repeat(200)}${']'.repeat(200)}`, want: 'error', why: 'too deep' },
])('$why', ({ text, want }) => {
  expect(read(text)).toEqual(want);
});

test('a `__proto__` key is a key like any other', () => {
  const value = read('__proto__: {polluted: true}\n');
  expect(Object.keys(value as object)).toEqual(['__proto__']);
  expect((value as { polluted?: unknown }).polluted).toBeUndefined();
});

test('a flood of aliases is refused', () => {
  expect(read(`a: &a x\nb: [${'*a, '.repeat(10_001)}]\n`)).toBe('error');
});
