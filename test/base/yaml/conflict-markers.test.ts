import { expect, test } from 'vitest';
import { conflictMarkerLine } from '../../../src/base/yaml/positions.js';

test.each([
  ['a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> other\n', 2],
  ['a\r\nb\r\n<<<<<<< HEAD\r\nc\r\n', 3],
])('%j: line %d', (text, line) => {
  expect(conflictMarkerLine(text)).toBe(line);
});

test.each(['', 'a: b\n', '# =======\n', 'text: <<<<<<< x\n'])('%j has none', (text) => {
  expect(conflictMarkerLine(text)).toBeUndefined();
});
