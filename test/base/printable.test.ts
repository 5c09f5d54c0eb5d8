import { load } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import {
  BUILD_LOG_COMMANDS,
  escapeLines,
  printable,
  containsBuildLogCommand,
} from '../../src/base/escape.js';
import { writeYaml } from '../../src/base/yaml/write-yaml.js';

test.each([
  { text: 'plain ünïcode', want: 'plain ünïcode', why: 'letters stay' },
  { text: '\u001b[2Jgone', want: '\ufffd[2Jgone', why: 'no escape sequence' },
  { text: 'a\nb\r\tc', want: 'a\ufffdb\ufffd\ufffdc', why: 'no line of its own' },
  { text: 'a\u202egnp', want: 'a\ufffdgnp', why: 'no text that runs backwards' },
  { text: '::error::x', want: '\ufffd:error::x', why: 'no workflow command' },
  { text: 'a ##[error]x', want: 'a #\ufffd[error]x', why: 'nor the older form, anywhere' },
  { text: 'x'.repeat(400), want: `${'x'.repeat(300)}…`, why: 'no flood' },
])('$why', ({ text, want }) => {
  expect(printable(text)).toBe(want);
});

test.each([
  { text: 'a\n\tb\n', want: 'a\n\tb\n', why: 'lines stay lines' },
  { text: '\u001b[2J\r', want: '\\u001b[2J\\u000d', why: 'no escape sequence' },
  { text: 'a\u009b\u202eb', want: 'a\\u009b\\u202eb', why: 'nor one in a single character' },
  {
    text: 'a\n \t::error::x',
    want: 'a\n \t\\u003a:error::x',
    why: 'no workflow command on any line',
  },
  { text: 'a::b ##[error]', want: 'a::b #\\u0023[error]', why: 'nor the older form, anywhere' },
])('lines: $why', ({ text, want }) => {
  expect(escapeLines(text)).toBe(want);
});

test('escaped JSON has the same value', () => {
  const value = { '\u202e': ['::x', '##[y]', '\u001b\u0085\u2028\n::z', '\ufeff'] };
  expect(JSON.parse(escapeLines(JSON.stringify(value, null, 2)))).toEqual(value);
});

describe.each(BUILD_LOG_COMMANDS)('%s: `%s`', (_system, example, pattern) => {
  test('replaces one character and nothing else', () => {
    const said = printable(example);
    expect(said.match(pattern)).toBeNull();
    expect(said.replaceAll('\ufffd', '')).toHaveLength(example.length - 1);
  });

  test('is recognized on any line', () => {
    expect([example, `first\n${example}`].map(containsBuildLogCommand)).toEqual([true, true]);
  });

  test('is the same data in JSON', () => {
    const value = [example, { [example]: `a\n${example}` }];
    const text = escapeLines(JSON.stringify(value, null, 2));
    expect(text.match(pattern)).toBeNull();
    expect(JSON.parse(text)).toEqual(value);
  });

  test('is the same data in YAML', () => {
    const value = { [example]: example };
    const text = escapeLines(writeYaml(value));
    expect(text.match(pattern)).toBeNull();
    expect(load(text)).toEqual(value);
  });

  test('is disabled on any line, also after spaces if the system accepts them', () => {
    expect(escapeLines(`first\n${example}`).match(pattern)).toBeNull();
    const [, ...later] = escapeLines(`first\n${example}\n${example}`).split('\n');
    for (const line of later) expect(line).not.toBe(example);
  });
});

test('separators of YAML documents and plain text are not changed', () => {
  const text = '---\na: 1\n---\nb -- c ++ d ~~ e\n- - x\n--flag x\n-- x\n';
  expect(escapeLines(text)).toBe(text);
});
