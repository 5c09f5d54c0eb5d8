import { expect, test } from 'vitest';
import { validPackageReference } from '../../src/crossplane/packages/reference.js';
import { targetFor } from '../../src/crossplane/releases/target.js';

test.each([
  { text: 'localhost:5000/a/b:v1.0.0', version: 'v2.0.0', want: false },
  { text: '127.0.0.1:5000/a/b:v1.0.0', version: 'v2.0.0', want: true },
  { text: 'localhost:5000/a/b:v1.0.0', version: 'v1.20.0', want: true },
])('$version takes $text: $want', ({ text, version, want }) => {
  expect(validPackageReference(text, targetFor(version)!)).toBe(want);
});
