import {
  array,
  assert,
  boolean,
  constant,
  constantFrom,
  dictionary,
  letrec,
  nat,
  oneof,
  property,
  record,
  string,
  tuple,
  type Arbitrary,
} from 'fast-check';
import jsonPatch, { type Operation } from 'fast-json-patch';
import { describe, expect, test } from 'vitest';
import { applyPatch } from '../../../src/project/edit/apply-patch.js';
import {
  jsonPointer,
  type PatchOperation,
  isList,
  isMapping,
  type JsonObject,
  type JsonValue,
} from '../../../src/base/json.js';
import { parseDocuments, type InputDocument } from '../../../src/project/inputs/document.js';
import { InputError } from '../../../src/base/errors.js';
import { spelledDocument } from './spelled-document.js';

const SET = `# The platform.
spec:
  crossplane: v2.0.0 # production

  packages:
    # storage
    - provider: h.io/a/s3   # see the wiki
      version: '^v1.0.0'

    # network, "as is"
    - provider: "h.io/a/vpc"
      version: ">=v1.0.0"
  exclude: []
# the end
`;

/** An operation, and the lines that it removes (-) and adds (+). */
const EDITS: readonly {
  readonly why: string;
  readonly text?: string;
  readonly operation: PatchOperation;
  readonly lines: readonly string[];
}[] = [
  {
    why: 'a plain scalar stays plain, and its comment stays',
    operation: { op: 'replace', path: '/spec/crossplane', value: 'v2.1.0' },
    lines: ['-  crossplane: v2.0.0 # production', '+  crossplane: v2.1.0 # production'],
  },
  {
    why: 'single quotes stay',
    operation: { op: 'replace', path: '/spec/packages/0/version', value: "^v2's" },
    lines: ["-      version: '^v1.0.0'", "+      version: '^v2''s'"],
  },
  {
    why: 'double quotes stay, even where none are needed',
    operation: { op: 'replace', path: '/spec/packages/1/version', value: 'v2' },
    lines: ['-      version: ">=v1.0.0"', '+      version: "v2"'],
  },
  {
    why: 'a key changes in its place',
    operation: {
      op: 'move',
      from: '/spec/packages/0/provider',
      path: '/spec/packages/0/function',
    },
    lines: [
      '-    - provider: h.io/a/s3   # see the wiki',
      '+    - function: h.io/a/s3   # see the wiki',
    ],
  },
  {
    why: 'a key changes in its place',
    text: '{ "a": { "b": 1, "c": 2 } }\n',
    operation: { op: 'move', from: '/a/b', path: '/a/d' },
    lines: ['-{ "a": { "b": 1, "c": 2 } }', '+{ "a": { "d": 1, "c": 2 } }'],
  },
  {
    why: 'an item is added at the end',
    operation: { op: 'add', path: '/spec/packages/-', value: { function: 'h.io/a/f' } },
    lines: ['+    - function: h.io/a/f'],
  },
  {
    why: 'an item is added in front of the first and its comment',
    operation: { op: 'add', path: '/spec/packages/0', value: { function: 'h.io/a/f' } },
    lines: ['+    - function: h.io/a/f'],
  },
  {
    why: 'an item goes with the comment directly above it',
    operation: { op: 'remove', path: '/spec/packages/1' },
    lines: [
      '-    # network, "as is"',
      '-    - provider: "h.io/a/vpc"',
      '-      version: ">=v1.0.0"',
    ],
  },
  {
    why: 'what stands after the dash goes, and the next entry moves up',
    operation: { op: 'remove', path: '/spec/packages/0/provider' },
    lines: [
      '-    - provider: h.io/a/s3   # see the wiki',
      "-      version: '^v1.0.0'",
      "+    - version: '^v1.0.0'",
    ],
  },
  {
    why: 'an empty list becomes a block',
    operation: { op: 'add', path: '/spec/exclude/-', value: { package: 'a', version: 'v1' } },
    lines: ['-  exclude: []', '+  exclude:', '+    - package: a', '+      version: v1'],
  },
  {
    why: 'a new entry stands below the last one, before the comment that follows',
    operation: { op: 'add', path: '/spec/defaults', value: { spec: { a: [1] } } },
    lines: ['+  defaults:', '+    spec:', '+      a:', '+        - 1'],
  },
  {
    why: 'the last item of a list leaves brackets',
    text: 'a:\n  - b\nc: 1\n',
    operation: { op: 'remove', path: '/a/0' },
    lines: ['-a:', '-  - b', '+a: []'],
  },
  {
    why: 'lists that do not stand deeper than their key',
    text: 'a:\n- b # b\nc: 1\n',
    operation: { op: 'add', path: '/a/-', value: { x: 1, z: 2 } },
    lines: ['+- x: 1', '+  z: 2'],
  },
  {
    why: 'brackets on one line',
    text: 'a: [b, { c: 1 }] # why\n',
    operation: { op: 'add', path: '/a/1/d', value: ['>1'] },
    lines: ['-a: [b, { c: 1 }] # why', '+a: [b, { c: 1, d: [">1"] }] # why'],
  },
  {
    why: 'a comment between brackets stays',
    text: 'a: [\n  b, # first\n  c, # second\n  ]\n',
    operation: { op: 'remove', path: '/a/0' },
    lines: ['-  b, # first', '+   # first'],
  },
  {
    why: 'JSON stays JSON, one value a line',
    text: '{\n    "a": [\n        1\n    ]\n}\n',
    operation: { op: 'add', path: '/a/-', value: { b: 'c' } },
    lines: ['-        1', '+        1,', '+        {', '+            "b": "c"', '+        }'],
  },
  {
    why: 'an alias is written out where something in it changes',
    text: 'a: &a { b: 1 }\nc: *a\n',
    operation: { op: 'replace', path: '/c/b', value: 2 },
    lines: ['-c: *a', '+c:', '+  b: 2'],
  },
  {
    why: 'a file without a line feed at its end',
    text: 'a:\n  - b',
    operation: { op: 'add', path: '/a/-', value: 'c' },
    lines: ['+  - c'],
  },
  {
    why: 'a block scalar gives way to a plain one',
    text: 'a: |\n  text\n  more\nb: 1\n',
    operation: { op: 'replace', path: '/a', value: 'x' },
    lines: ['-a: |', '-  text', '-  more', '+a: x'],
  },
];

/** Returns the text with a byte order mark and CRLF, like that of an editor on Windows. */
function windows(text: string): string {
  return `\uFEFF${text.replaceAll('\n', '\r\n')}`;
}

describe('an operation changes only these lines', () => {
  test.each(EDITS)('$why', ({ text = SET, operation, lines }) => {
    expect(lineChanges(text, applyPatch(text, 0, [operation]))).toEqual(lines);
  });

  test.each(EDITS)('CRLF and a mark at the start: $why', ({ text = SET, operation }) => {
    expect(applyPatch(windows(text), 0, [operation])).toBe(
      windows(applyPatch(text, 0, [operation])),
    );
  });
});

test('only the document with the given number changes; empty documents count', () => {
  const text = '---\n---\na: 1\n---\na: 1\n';
  expect(applyPatch(text, 1, [{ op: 'replace', path: '/a', value: 2 }])).toBe(
    '---\n---\na: 2\n---\na: 1\n',
  );
});

test.each([
  { why: 'nothing there', operation: { op: 'remove', path: '/spec/none' } as const },
  { why: 'no such place', operation: { op: 'add', path: '/spec/packages/9', value: 1 } as const },
  {
    why: 'no such key',
    operation: { op: 'move', from: '/spec/none', path: '/spec/some' } as const,
  },
  {
    why: 'a key that is taken',
    operation: { op: 'move', from: '/spec/exclude', path: '/spec/packages' } as const,
  },
  {
    why: 'a key of another mapping',
    operation: { op: 'move', from: '/spec/exclude', path: '/exclude' } as const,
  },
  {
    why: 'not in a scalar',
    operation: { op: 'add', path: '/spec/crossplane/a', value: 1 } as const,
  },
])('a path that does not exist is rejected: $why', ({ operation }) => {
  expect(() => applyPatch(SET, 0, [operation])).toThrow(InputError);
});

test('an aliased value is not changed in other places', () => {
  const operation: PatchOperation = { op: 'replace', path: '/a/b', value: 2 };
  expect(() => applyPatch('a: &a { b: 1 }\nc: *a\n', 0, [operation])).toThrow(
    /cannot be changed and all else kept/,
  );
});

test('names of prototype members are ordinary keys', () => {
  const operation: PatchOperation = { op: 'add', path: '/__proto__', value: { constructor: 1 } };
  expect(applyPatch('a: 1\n', 0, [operation])).toBe('a: 1\n"__proto__":\n  constructor: 1\n');
});

/** Keys and strings that need care in YAML. */
const words: Arbitrary<string> = oneof(
  constantFrom('a', 'b', 'spec', 'true', 'null', '1', '', ' ', '# x', 'a: b', '- c', '*d', "it's"),
  constantFrom('"', '~', '/', '^v1.0.0', '>=v1.0.0, <v2.0.0', '@', '%', '`', '\t', 'é', '\u2028'),
  string({ maxLength: 6 }),
);
/** The reference implementation rejects `__proto__`, and JavaScript sorts numeric keys first. */
const keys = words.filter((word) => word !== '__proto__' && !/^\d+$/.test(word));

const { tree } = letrec<{ tree: JsonValue }>((tie) => ({
  tree: oneof(
    { maxDepth: 4, withCrossShrink: true },
    words,
    oneof(boolean(), nat(99), constant(null)),
    array(tie('tree'), { maxLength: 4 }),
    dictionary(keys, tie('tree'), { maxKeys: 4, noNullPrototype: true }),
  ),
}));

const scripts = record({
  value: oneof(
    array(tree, { minLength: 1, maxLength: 4 }),
    dictionary(keys, tree, { minKeys: 1, maxKeys: 5, noNullPrototype: true }),
  ),
  spelling: array(nat(999), { minLength: 1, maxLength: 50 }),
  edits: array(tuple(tree, keys, array(nat(999), { minLength: 5, maxLength: 5 })), {
    minLength: 1,
    maxLength: 4,
  }),
});

test('patched texts have the values that RFC 6902 defines, and nothing else changes', () => {
  assert(
    property(scripts, ({ value, spelling, edits }) => {
      let text = spelledDocument(value, drawing(spelling));
      for (const [added, key, draws] of edits) {
        const document = parseDocuments(text, 'spelled')[0];
        if (document === undefined) return;
        const operation = drawnOperation(document.value, { added, key, draw: drawing(draws) });
        const next = applyPatch(text, 0, [operation]);
        const wanted = rfc6902(document.value, operation);
        const read = parseDocuments(next, 'edited')[0]?.value ?? null;
        expect(plain(read)).toEqual(wanted);
        const [before, after] = linesAround(document, text, operation);
        const shown = `${JSON.stringify(operation)} makes of\n${text}\nthis:\n${next}`;
        expect(next.startsWith(before) && next.endsWith(after), shown).toBe(true);
        text = next;
      }
    }),
    { numRuns: 300 },
  );
});

function drawing(numbers: readonly number[]): (count: number) => number {
  let next = 0;
  return (count) => numbers[next++ % numbers.length]! % count;
}

function rfc6902(value: JsonValue, operation: PatchOperation): JsonValue {
  const operations = [plain(operation)] as unknown as Operation[];
  return jsonPatch.applyPatch(plain(value), operations).newDocument;
}

/** Returns the text before and after the entry that an operation may change, or its parent. */
function linesAround(
  document: InputDocument,
  text: string,
  { op, path }: PatchOperation,
): readonly [string, string] {
  const steps = path.split('/').slice(1);
  const replaced = op === 'replace' ? steps : steps.slice(0, -1);
  const paths = pathsIn(document.value);
  const pointers = paths.map(jsonPointer);
  const own = jsonPointer(replaced.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~')));
  const last = pointers.findLastIndex((each) => each === own || each.startsWith(`${own}/`));
  // An empty item has no line.
  const next = paths.slice(last + 1).find((each) => valueAt(document.value, each) !== null);
  const lines = text.split(/(?<=\n)/);
  const at = pointers.indexOf(own);
  const line = (place: number) => (place < 1 ? 1 : document.originOf(paths[place]!).line!);
  // The dash of an item may be on the line above.
  const from = typeof paths[at]!.at(-1) === 'number' ? line(at - 1) : line(at);
  const to = next === undefined ? undefined : document.originOf(next).line!;
  return [
    lines.slice(0, from - 1).join(''),
    // The next entry may begin on the last line of this one, and may be moved.
    to === undefined ? '' : lines.slice(to).join(''),
  ];
}

function plain(value: JsonValue): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonValue;
}

function drawnOperation(
  root: JsonValue,
  { added, key, draw }: { added: JsonValue; key: string; draw: (count: number) => number },
): PatchOperation {
  const value = added;
  const paths = pathsIn(root);
  const path = paths[draw(paths.length)]!;
  const at = valueAt(root, path);
  if (draw(3) === 0 && isList(at)) {
    return { op: 'add', path: jsonPointer([...path, draw(at.length + 1)]), value };
  }
  if (draw(2) === 0 && isMapping(at))
    return { op: 'add', path: jsonPointer([...path, key]), value };
  if (draw(2) === 0 && path.length > 0) return { op: 'remove', path: jsonPointer(path) };
  return { op: 'replace', path: jsonPointer(path), value };
}

function valueAt(root: JsonValue, path: readonly (string | number)[]): JsonValue {
  return path.reduce<JsonValue>((node, step) => childOf(node, step), root);
}

function childOf(node: JsonValue, step: string | number): JsonValue {
  return isList(node) ? node[Number(step)]! : (node as JsonObject)[step]!;
}

function pathsIn(value: JsonValue): readonly (readonly (string | number)[])[] {
  const children: readonly (readonly [string | number, JsonValue])[] = isList(value)
    ? value.map((item, i) => [i, item] as const)
    : isMapping(value)
      ? Object.entries(value)
      : [];
  return [
    [],
    ...children.flatMap(([step, child]) => pathsIn(child).map((rest) => [step, ...rest])),
  ];
}

/** Returns the removed and added lines between the common beginning and end. */
function lineChanges(before: string, after: string): readonly string[] {
  const [old, now] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  while (end < Math.min(old.length, now.length) - start && old.at(-1 - end) === now.at(-1 - end))
    end++;
  return [
    ...old.slice(start, old.length - end).map((line) => `-${line}`),
    ...now.slice(start, now.length - end).map((line) => `+${line}`),
  ];
}
