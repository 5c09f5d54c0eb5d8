import { expect, test } from 'vitest';
import { SourceError } from '../../src/base/errors.js';
import { checkJsonSize, checkYamlSize, ValueTotal } from '../../src/base/size-limits.js';

const LIMIT = 300_000;

test.each([
  { form: 'items in block style', text: (n: number) => '- a\n'.repeat(n) },
  { form: 'items without a value', text: (n: number) => '-\n'.repeat(n) },
  { form: 'items with Windows line ends', text: (n: number) => '-\r\n'.repeat(n) },
  { form: 'keys', text: (n: number) => 'a: b\n'.repeat(n) },
  { form: 'explicit keys', text: (n: number) => '? a\n'.repeat(n) },
  { form: 'items in flow style', text: (n: number) => `[${'a,'.repeat(n - 2)}]` },
  { form: 'nested lists', text: (n: number) => '['.repeat(n) },
  { form: 'nested mappings', text: (n: number) => '{'.repeat(n) },
])('$form are counted', ({ text }) => {
  expect(() => checkYamlSize(text(LIMIT - 1), 'xpkg.yaml')).not.toThrow();
  expect(() => checkYamlSize(text(LIMIT + 2), 'xpkg.yaml')).toThrow(
    'has more than 300,000 values, the most that is read',
  );
});

test('long strings are accepted', () => {
  const prose = 'a long-winded text of http://example.org/?a=b, and so on. '.repeat(100_000);
  expect(() => checkYamlSize(`description: |\n  ${prose}`, 'xpkg.yaml')).not.toThrow();
});

test.each([
  { form: 'lines of a text', text: (n: number) => `a: |\n${'  x\n'.repeat(n)}` },
  { form: 'empty lines', text: (n: number) => `a:${'\r'.repeat(n)}` },
  { form: 'Windows line ends', text: (n: number) => `a:${'\r\n'.repeat(n)}` },
  { form: 'escape sequences', text: (n: number) => `a: "${'\\x41'.repeat(n)}"` },
  { form: 'doubled quotes', text: (n: number) => `a: '${"'' ".repeat(n)}'` },
])('$form are counted', ({ text }) => {
  expect(() => checkYamlSize(text(999_000), 'xpkg.yaml')).not.toThrow();
  expect(() => checkYamlSize(text(1_000_001), 'xpkg.yaml')).toThrow(
    'has more than 1,000,000 lines and escape sequences, the most that is read',
  );
});

test('values of several files are added up, aliased values once', () => {
  const total = new ValueTotal();
  const half = Array.from({ length: 149_000 }, () => 'a');
  total.add([half, half], 'a.yaml');
  total.add([...half], 'b.yaml');
  expect(() => total.add([...half], 'c.yaml')).toThrow(
    'c.yaml: has, with the files read before it, more than 300,000 values, the most that is read',
  );
});

test('the text of all files of a run has one limit', () => {
  const total = new ValueTotal();
  total.addText('a'.repeat(4_000_000), 'a.yaml');
  total.addText('a'.repeat(4_000_000), 'b.yaml');
  expect(() => total.addText('a', 'c.yaml')).toThrow(
    'c.yaml: has, with the files read before it, more than 8,000,000 characters, the most that is read',
  );
});

const bytes = (n: number) => Buffer.from(`[${'{},'.repeat(n)}0]`);

test('too many values in JSON of a source are a TOO_LARGE error', () => {
  expect(() => checkJsonSize(bytes(490_000), 'index.json')).not.toThrow();
  expect(() => checkJsonSize(bytes(510_000), 'index.json')).toThrow(SourceError);
});
