import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  isEmptyDocument,
  splitDocuments,
  type DocumentText,
} from '../../../src/crossplane/package-yaml/split-documents.js';

async function split(text: string | Uint8Array, options: { chunk?: number; max?: number } = {}) {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  const chunks: Uint8Array[] = [];
  const size = options.chunk ?? Math.max(bytes.length, 1);
  for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
  const documents: DocumentText[] = [];
  for await (const piece of splitDocuments(chunks, options.max)) {
    if ('problem' in piece) return { documents, problem: piece.problem };
    documents.push(piece);
  }
  return { documents, problem: undefined };
}

test.each([
  { text: '', want: [], why: 'nothing is no document' },
  { text: 'a: 1', want: ['a: 1\n'], why: 'the last line needs no end' },
  { text: 'a: 1\n---\nb: 2\n', want: ['a: 1\n', 'b: 2\n'], why: 'a separator separates' },
  { text: '---\na: 1\n---\n', want: ['---\na: 1\n'], why: 'what `xpkg build` writes around them' },
  { text: 'a: 1\n---   \nb: 2\n', want: ['a: 1\n', 'b: 2\n'], why: 'spaces may follow' },
  { text: 'a: 1\n--- # c\nb: 2\n', want: ['a: 1\n', 'b: 2\n'], why: 'a comment may follow' },
  {
    text: 'a: 1\n---\u00a0\u0085\u3000\nb: 2\n',
    want: ['a: 1\n', 'b: 2\n'],
    why: 'any white space may follow that Go takes for such',
  },
  {
    text: '---\n---\na: 1\n',
    want: ['---\n', 'a: 1\n'],
    why: 'a leading separator fills the buffer',
  },
  { text: '\n---\na: 1\n', want: ['\n', 'a: 1\n'], why: 'so does a blank line' },
  { text: 'a: |\n  ---\n', want: ['a: |\n  ---\n'], why: 'only column 0 counts' },
  { text: 'a: 1\n...\nb: 2\n', want: ['a: 1\n...\nb: 2\n'], why: '`...` does not split' },
  { text: 'a: 1\r\n---\r\nb: 2\r\n', want: ['a: 1\n', 'b: 2\n'], why: 'line ends are made one' },
  { text: 'a: "x\ry"\n', want: ['a: "x\ry"\n'], why: 'a lone carriage return stays' },
])('$why', async ({ text, want }) => {
  const { documents, problem } = await split(text);
  expect(problem).toBeUndefined();
  expect(documents.map((document) => document.text)).toEqual(want);
});

test.each(['--- foo', '---foo', '----', '--- foo # c', '---\ufeff', '---\u200b'])(
  '`%s` makes the whole stream an error',
  async (line) => {
    const { problem } = await split(`a: 1\n---\nb: 2\nc: 3\n${line}\nd: 4\n`);
    expect(problem?.line).toBe(5);
    expect(problem?.message).toContain('invalid Yaml document separator');
  },
);

test('documents have the line of their start', async () => {
  const { documents } = await split('---\na: 1\nb: 2\n---\n# c\nc: 3\n---\nd: 4\n');
  expect(documents.map(({ line }) => line)).toEqual([1, 5, 8]);
});

test('a stream over the limit is an error and never cut off', async () => {
  expect((await split('a: 1234\n', { chunk: 3, max: 8 })).problem).toBeUndefined();
  const { problem } = await split('a: 12345\n', { chunk: 3, max: 8 });
  expect(problem?.message).toContain('larger than');
});

test('bytes that are not UTF-8 are a problem of their document', async () => {
  const { problem } = await split(Buffer.from([0x61, 0x3a, 0x20, 0xff, 0x0a]));
  expect(problem).toMatchObject({ line: 1 });
});

test('the result does not depend on the chunks of the stream', async () => {
  const pieces = fc.constantFrom('---', '\n', '\r\n', 'a: 1', ' ', '#', '-', 'é', '...', '--- x');
  await fc.assert(
    fc.asyncProperty(fc.array(pieces), fc.integer({ min: 1, max: 9 }), async (words, chunk) => {
      const text = words.join('');
      expect(await split(text, { chunk })).toEqual(await split(text));
    }),
  );
});

test.each([
  { text: '\u3000...\n\u00a0# c\n\r\n', want: true, why: 'white space to Go' },
  { text: '---\n\n# c\n  ...\n', want: true, why: 'separators, blanks and comments' },
  { text: '--- \n', want: false, why: 'white space after the separator is not trimmed' },
  { text: '--- # c\n', want: false, why: 'nor is a comment' },
  { text: 'a: 1\n', want: false, why: 'content' },
  { text: '\t---\n', want: true, why: 'leading white space is trimmed, tabs too' },
  { text: '\ufeff# c\n', want: false, why: 'a byte order mark is no white space in Go' },
  { text: '\u0085# c\n', want: true, why: 'U+0085 is some, if not to JavaScript' },
])('empty, $want: $why', ({ text, want }) => {
  expect(isEmptyDocument(text)).toBe(want);
});
