import { parseEvents } from 'js-yaml';
import { expect, test } from 'vitest';
import {
  documentOffset,
  findPlace,
  lineAt,
  lineFinder,
  placesOf,
} from '../../../src/base/yaml/positions.js';
import { formatPath, type Path } from '../../../src/base/json.js';

const TEXT = `# a comment
kind: A
spec:
  packages:
    - name: 'one'
      version: 1.20
    -
    - *gone
  "quoted": &anchor
  kind: first
  kind: last
`;

test.each<{ path: Path; line: number; spelling?: string; why: string }>([
  { path: [], line: 2, why: 'a document begins where its first key does' },
  { path: ['kind'], line: 2, spelling: 'A', why: 'a scalar' },
  { path: ['spec'], line: 3, why: 'a mapping is where its key is' },
  { path: ['spec', 'packages', 0], line: 5, why: 'an item is where its value is' },
  { path: ['spec', 'packages', 0, 'name'], line: 5, spelling: 'one', why: 'quotes aside' },
  { path: ['spec', 'packages', 0, 'version'], line: 6, spelling: '1.20', why: 'as written' },
  { path: ['spec', 'packages', 1], line: 4, why: 'an empty item is where its list is' },
  { path: ['spec', 'packages', 2], line: 8, why: 'an alias' },
  { path: ['spec', 'packages', 7, 'name'], line: 4, why: 'missing: the last one on the way' },
  { path: ['spec', 'quoted'], line: 9, why: 'nothing is written after the key' },
  { path: ['spec', 'kind'], line: 11, spelling: 'last', why: 'of two, the last' },
  { path: ['kind', 'further'], line: 2, why: 'nothing is inside a scalar' },
])('$path is at line $line: $why', ({ path, line, spelling }) => {
  const root = placesOf(TEXT, parseEvents(TEXT, {}))!;
  const found = findPlace(root, path);
  expect(lineFinder(TEXT)(found.offset)).toBe(line);
  expect(lineAt(TEXT, found.offset)).toBe(line);
  expect(found.place?.spelling).toBe(spelling);
});

test.each(['', '# nothing\n', '---\n'])('%j has no position', (text) => {
  const events = parseEvents(text, {});
  expect(placesOf(text, events)?.offset ?? -1).toBe(-1);
  expect(documentOffset(events)).toBe(-1);
});

test.each([
  { path: ['spec', 'packages', 2, 'version'], want: 'spec.packages[2].version' },
  { path: ['metadata', 'labels', 'a.b/c'], want: 'metadata.labels["a.b/c"]' },
  { path: [0, 'a'], want: '[0].a' },
])('$want', ({ path, want }) => {
  expect(formatPath(path)).toBe(want);
});
