import { expect, test } from 'vitest';
import { parseGoYaml } from '../../../src/base/yaml/go-yaml.js';

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
  { text: '.5_0', want: 0.5 },
  { text: '._5', want: '._5' },
  { text: '.5_', want: '.5_' },
  { text: '-.5_', want: -0.5 },
  { text: '1e400', want: '1e400' },
  { text: '18446744073709551615', want: 18446744073709551615n },
  { text: '123456789012345678901', want: 123456789012345678901n },
  { text: '0xFFFFFFFFFFFFFFFF', want: 18446744073709551615n },
  { text: '0xFFFFFFFFFFFFFFFFF', want: '0xFFFFFFFFFFFFFFFFF' },
  { text: '+0xFFFFFFFFFFFFFFFF', want: '+0xFFFFFFFFFFFFFFFF' },
  { text: '-9223372036854775809', want: -9223372036854775809n },
  { text: '07777777777777777777777', want: 7777777777777777777777n },
  { text: `0${'0'.repeat(90)}7`, want: 7 },
  { text: '"yes"', want: 'yes' },
  { text: "'0777'", want: '0777' },
  { text: '!!str 12', want: '12' },
])('Go reads `$text` as $want', ({ text, want }) => {
  const value = typeof want === 'bigint' ? Number(want) : want;
  expect(read(`key: ${text}\n`)).toEqual({ key: value });
});

test.each([
  { text: 'a: 1\na: 2\n', want: { a: 2 }, why: 'the last of two keys wins' },
  {
    text: 'a: &x {b: 1, c: 1}\nd: {<<: *x, b: 2}\n',
    want: { a: { b: 1, c: 1 }, d: { b: 2, c: 1 } },
    why: 'merge keys work',
  },
  {
    text: 'a: {b: 2, <<: {b: 1, c: 1}, c: 3}\n',
    want: { a: { b: 1, c: 3 } },
    why: 'a merge wins over the keys before it',
  },
  {
    text: 'a: {<<: [{b: 1}, {b: 2, c: 2}]}\n',
    want: { a: { b: 1, c: 2 } },
    why: 'the first of merged mappings wins',
  },
  { text: 'a: {"<<": {b: 1}}\n', want: { a: { '<<': { b: 1 } } }, why: 'in quotes it is a key' },
  { text: 'a: &x 1\nb: &x 2\nc: *x\n', want: { a: 1, b: 2, c: 2 }, why: 'the last anchor counts' },
  { text: '\ufeffa: 1\n', want: { a: 1 }, why: 'a byte order mark may begin the document' },
  {
    text: 'a: 1\n...\n@ not YAML\n',
    want: { a: 1 },
    why: 'text after the document is ignored',
  },
  { text: '# nothing\n', want: null, why: 'an empty document is null' },
  { text: '{"a": [1, true]}', want: { a: [1, true] }, why: 'JSON is YAML' },
  { text: '~: 1\n', want: 'error', why: 'null is no key in JSON' },
  { text: 'a: [', want: 'error', why: 'not YAML' },
  { text: `a: ${'['.repeat(200)}${']'.repeat(200)}`, want: 'error', why: 'too deep' },
])('$why', ({ text, want }) => {
  expect(read(text)).toEqual(want);
});

test('a `__proto__` key is an ordinary key', () => {
  const value = read('__proto__: {polluted: true}\n');
  expect(Object.keys(value as object)).toEqual(['__proto__']);
  expect((value as { polluted?: unknown }).polluted).toBeUndefined();
});

const LONG_KEY = 'k'.repeat(130);

test.each([
  { text: "k: 'a\u2028  b'\n", want: 'a\u2028b', why: 'a line separator in quotes' },
  { text: 'k: |-\n  a\u2028\u2029  b\n  c\n', want: 'a\u2028\u2029b\nc', why: 'and as a block' },
  { text: 'k: |2-\n   a\n  b\n', want: ' a\nb', why: 'a block that begins with a space' },
  {
    text: 'k: "a\\tb\\uFEFF\\U0001F600\\L\\N"\n',
    want: 'a\tb\ufeff😀\u2028\u0085',
    why: 'escapes',
  },
  { text: 'k: "\\\\/ \\\\ud800"\n', want: '\\/ \\ud800', why: 'no escapes' },
  { text: `k:\n  ? ${LONG_KEY}\n  : a: 1\n`, want: { [LONG_KEY]: { a: 1 } }, why: 'a long key' },
])('output of Go has the same value as in Go: $why', ({ text, want }) => {
  expect(read(text)).toEqual({ k: want });
});

test.each([
  { text: 'a: "\u0007"\n', what: 'control character', why: 'a control character' },
  { text: 'a: b\u0085c: d\n', what: 'control character', why: 'U+0085, a line break in Go' },
  { text: 'a: b\rc: d\n', what: 'control character', why: 'a lone carriage return' },
  { text: 'a: \ufffe\n', what: 'control character', why: 'a noncharacter' },
  { text: 'a: b\n\ufeffc: d\n', what: 'byte order mark', why: 'a byte order mark inside' },
  { text: 'a: b\t\n', what: 'tab', why: 'a tab behind a value' },
  { text: 'a:\tb\n', what: 'tab', why: 'a tab before a value' },
  { text: 'a: b\tc\n', what: 'tab', why: 'a tab in plain text' },
  { text: 'a: |\n  \tb\n', what: 'tab', why: 'a tab in the indentation of a block' },
  { text: 'a: b\u2028c\n', what: 'line separator', why: 'a line separator in plain text' },
  { text: 'a: b # c\u2028d: e\n', what: 'line separator', why: 'one in a comment' },
  { text: 'a: "b\u2028c"\n', what: 'line separator', why: 'one in double quotes' },
  { text: "a: 'b\u2028c'\n", what: 'line separator', why: 'one without indentation' },
  { text: 'a: |\n  b\u2028c\n', what: 'line separator', why: 'one without indentation in a block' },
  { text: 'a: |\n  b\u2028\nc: d\n', what: 'line separator', why: 'one at the end of a block' },
  { text: 'a: >\n  b\u2028  c\n', what: 'line separator', why: 'one in a folded block' },
  { text: 'a: "b\\/c"\n', what: 'escape', why: 'an escape of JSON' },
  { text: 'a: "\\ud83d\\ude00"\n', what: 'escape', why: 'surrogate pairs' },
  { text: 'a: "\\U00110000"\n', what: 'escape', why: 'beyond Unicode' },
  { text: 'a: "b\\\n\n  c"\n', what: 'blank line', why: 'a blank line after an escaped one' },
  { text: 'a: !!int "1"\n', what: '`!!int`', why: 'a tag' },
  { text: 'a: !vendor b\n', what: '`!vendor`', why: 'a tag of its own' },
  { text: 'a: [!!str, b]\n', what: '`!!str`', why: 'a tag that runs into a comma' },
  { text: 'a: !!str\nb: c\n', what: 'of nothing', why: 'a tag of nothing' },
  { text: 'a: &x\nb: c\n', what: 'of nothing', why: 'an anchor of nothing' },
  { text: 'a: &b:c d\n', what: '`b:c`', why: 'an anchor with a colon in its name' },
  { text: 'a: &x[b]\n', what: '`x`', why: 'an anchor without a space behind it' },
  { text: 'a: [b?c]\n', what: '`?` or `:`', why: 'a question mark between brackets' },
  { text: 'a: [:b]\n', what: '`?` or `:`', why: 'a colon at the start, between brackets' },
  { text: 'a: {b:}\n', what: 'without a space', why: 'a colon at the end, between brackets' },
  { text: 'a: {b:[c]}\n', what: 'without a space', why: 'a colon before a bracket' },
  { text: 'a: {b\n : c}\n', what: 'on another line', why: 'a colon on the next line' },
  { text: 'a: {b\n  c: d}\n', what: 'several lines', why: 'a key of two lines' },
  { text: `${'k'.repeat(1025)}: b\n`, what: 'over 1000', why: 'a long key' },
  { text: '{? a : b}\n', what: '`?`', why: 'a marked key between brackets' },
  { text: '? a\nb: c\n', what: '`?`', why: 'a marked key without a value' },
  { text: 'a: &x b\n*x : c\n', what: 'just text', why: 'an alias for a key' },
  { text: '&x a: b\n', what: 'just text', why: 'an anchor of a key' },
  { text: '[a]: b\n', what: 'just text', why: 'a list for a key' },
  { text: 'a:\n- {b: c} d: e\n', what: 'behind something', why: 'a key behind a value' },
  { text: ' ---\n{a: b}\n', what: 'between two values', why: 'an indented separator' },
  { text: 'y: a\n', what: 'the boolean true', why: 'a key that is a boolean' },
  { text: '1: a\n"1": b\n', what: 'the number 1', why: 'a key that is a number' },
  { text: '1.5: a\n', what: 'the number 1.5', why: 'a key that Go writes in another way' },
  { text: ': a\n', what: 'null', why: 'no key' },
  { text: 'a: .inf\n', what: '`.inf` is no number', why: 'infinity' },
  { text: 'a: [-.INF]\n', what: '`-.INF` is no number', why: 'below zero' },
  { text: 'a: .nan\n', what: '`.nan` is no number', why: 'not a number' },
  { text: 'a: &x {b: *x}\n', what: 'inside its own anchor', why: 'a recursive alias' },
  { text: 'a: *x\n', what: 'no anchor before it', why: 'an alias of nothing' },
  { text: 'a: &x [{b: c}]\nd: {<<: *x}\n', what: 'mappings alone', why: 'a merge of a list' },
  { text: 'a: {<<: &x [{b: c}]}\n', what: 'has an anchor', why: 'an anchor of merged mappings' },
  { text: 'a: {<<: b}\n', what: 'mappings alone', why: 'a merge of text' },
  { text: '%YAML 1.2\na: b\n', what: 'directives', why: 'a directive' },
])('refused because libraries differ: $why', ({ text, what }) => {
  expect(parseGoYaml(text)).toMatchObject({ error: expect.stringContaining(what) });
});

test('an error has the line of the refused syntax', () => {
  expect(parseGoYaml('a: b\nc:\n- d\n- "\\/"\n')).toMatchObject({ lineOffset: 3 });
  expect(parseGoYaml('a: b\n\nc: .inf\n')).toMatchObject({ lineOffset: 2 });
});

const aliases = (count: number) => `a: &a [${'x, '.repeat(200)}]\nb: [${'*a, '.repeat(count)}]\n`;

test('aliases may expand as far as Go allows', () => {
  expect(read(aliases(199))).not.toBe('error');
  expect(read(aliases(201))).toBe('error');
});
