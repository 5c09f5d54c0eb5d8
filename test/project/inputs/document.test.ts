import { assert, jsonValue, pre, property } from 'fast-check';
import { dump } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import { parseDocuments } from '../../../src/project/inputs/document.js';
import { InputError } from '../../../src/base/errors.js';
import type { Path } from '../../../src/base/json.js';

const STREAM = `# a comment
kind: A
spec:
  list:
    - name: one
      version: 1.20
    -
      name: two
    - &x { name: three }
    - *x
    -
  "quoted key": |
    text
  empty:
---
# nothing
---
{"kind": "B", "spec": {
  "deep": [[1,
    2]]}}
`;

test.each<{ document: number; path: Path; line: number; why: string }>([
  { document: 0, path: [], line: 2, why: 'a document begins at its first key' },
  { document: 0, path: ['spec'], line: 3, why: 'a value is where its key is' },
  { document: 0, path: ['spec', 'list', 0], line: 5, why: 'an item is where it begins' },
  { document: 0, path: ['spec', 'list', 0, 'version'], line: 6, why: 'a key inside an item' },
  { document: 0, path: ['spec', 'list', 1, 'name'], line: 8, why: 'an item below its dash' },
  { document: 0, path: ['spec', 'list', 3], line: 10, why: 'an alias, not what it stands for' },
  { document: 0, path: ['spec', 'list', 3, 'name'], line: 10, why: 'what is inside an alias' },
  { document: 0, path: ['spec', 'quoted key'], line: 12, why: 'quotes are not part of a key' },
  { document: 0, path: ['spec', 'empty'], line: 14, why: 'a key without a value' },
  { document: 0, path: ['spec', 'none', 'x'], line: 3, why: 'the nearest place that exists' },
  { document: 1, path: ['spec', 'deep', 0, 1], line: 20, why: 'JSON has lines too' },
])('line of $path in document $document is $line: $why', ({ document, path, line }) => {
  expect(parseDocuments(STREAM, 'a.yaml')[document]!.originOf(path)).toMatchObject({
    file: 'a.yaml',
    line,
  });
});

test('the error for an unquoted number shows its spelling', () => {
  const [first] = parseDocuments(STREAM, 'a.yaml');
  expect(first!.spellingOf(['spec', 'list', 0, 'version'])).toBe('1.20');
});

test.each([
  { text: 'a: 1\nb: 2\na: 3\n', line: 3, why: 'a key given twice' },
  { text: '{"a": 1,\n "a": 2}', line: 2, why: 'a key given twice, in JSON' },
  { text: '__proto__: 1\n__proto__: 2\n', line: 2, why: '`__proto__` is a key like any other' },
  { text: 'a: [1\nb: 2\n', line: 2, why: 'not YAML' },
  { text: 'a:\n\t- 1\n', line: 2, why: 'a tab' },
  { text: 'a: !env HOME\n', line: 1, why: 'a custom tag' },
  { text: 'a: !!timestamp 2020-01-01\n', line: 1, why: 'a tag of YAML 1.1' },
  { text: 'a: 1\nb: *nobody\n', line: 2, why: 'an alias of nothing' },
  { text: '? [a]\n: 1\n', line: 1, why: 'a list as a key' },
  { text: '? { a: 1 }\n: 1\n', line: 1, why: 'a mapping as a key' },
  { text: 'a: .inf\n', line: 1, why: 'a number that JSON has no word for' },
  { text: 'a: &a [*a]\n', line: 1, why: 'an alias that holds itself' },
  { text: `${'['.repeat(200)}${']'.repeat(200)}`, line: 1, why: 'nesting without end' },
  { text: bomb(), line: 1, why: 'an alias bomb' },
  { text: '['.repeat(100_000), line: 1, why: 'nesting that would exhaust the stack' },
])('rejected at line $line: $why', ({ text, line }) => {
  const error = refusal(() => parseDocuments(text, 'a.yaml'));
  expect(error.origin).toMatchObject({ file: 'a.yaml', line });
});

describe('what is read', () => {
  test.each([
    { text: 'yes', want: 'yes', why: 'YAML 1.2 knows true and false alone' },
    { text: '0o17', want: 15, why: 'octal as 1.2 writes it' },
    { text: '\uFEFFa', want: 'a', why: 'a byte order mark is no content' },
    { text: 'a: &x [1]\nb: *x\n', want: { a: [1], b: [1] }, why: 'plain aliases are fine' },
    { text: '1: a\n', want: { 1: 'a' }, why: 'a number as a key, as kubectl takes it' },
  ])('$text: $why', ({ text, want }) => {
    expect(parseDocuments(text, 'a.yaml')[0]!.value).toEqual(want);
  });

  test('keys do not change a prototype', () => {
    const [document] = parseDocuments('__proto__: { polluted: 1 }\nconstructor: 2\n', 'a.yaml');
    expect(Object.keys(document!.value as object)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(document!.value)).toBeNull();
  });

  test('every JSON value is unchanged after writing and reading YAML', () => {
    assert(
      property(jsonValue({ noUnicodeString: false, maxDepth: 5 }), (value) => {
        const plain: unknown = JSON.parse(JSON.stringify(value).replaceAll('-0', '0'));
        pre(plain !== null);
        expect(JSON.stringify(parseDocuments(dump(plain), 'a.yaml')[0]!.value)).toBe(
          JSON.stringify(plain),
        );
      }),
    );
  });
});

function bomb(): string {
  const levels = Array.from({ length: 9 }, (_, i) =>
    i === 0
      ? 'a0: &a0 x'
      : `a${i}: &a${i} [${Array(10)
          .fill(`*a${i - 1}`)
          .join(', ')}]`,
  );
  return levels.join('\n');
}

function refusal(read: () => unknown): InputError {
  try {
    read();
  } catch (error) {
    if (error instanceof InputError) return error;
    throw error;
  }
  throw new Error('it was accepted');
}
