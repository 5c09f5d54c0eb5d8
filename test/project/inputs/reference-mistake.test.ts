import { expect, test } from 'vitest';
import { referenceMistake } from '../../../src/project/inputs/references.js';

const PACKAGE = 'xpkg.example.org/acme/provider-a';

test.each([
  { text: `https://${PACKAGE}`, problem: 'begins with `https://`', write: PACKAGE },
  { text: `oci://${PACKAGE}:v1.0.0`, problem: 'begins with `oci://`', write: `${PACKAGE}:v1.0.0` },
  { text: `'${PACKAGE}@^v1.0.0'`, problem: 'has quotes', write: `${PACKAGE}@^v1.0.0` },
  { text: `${PACKAGE}@"^v1.0.0"`, problem: 'has quotes', write: `${PACKAGE}@^v1.0.0` },
  { text: `“${PACKAGE}”`, problem: 'has quotes', write: PACKAGE },
  { text: `${PACKAGE}/`, problem: 'ends in a slash', write: PACKAGE },
  {
    text: 'xpkg.example.org/Acme/Provider-A:v1.0.0-RC.1',
    problem: 'has capitals',
    write: `${PACKAGE}:v1.0.0-RC.1`,
  },
])('$text $problem', ({ text, problem, write }) => {
  const mistake = referenceMistake(text);
  expect(mistake?.problem).toContain(problem);
  expect(mistake?.hint).toBe(`write \`${write}\``);
});

test('two packages in one reference are recognized by the space', () => {
  expect(referenceMistake(`${PACKAGE} xpkg.example.org/acme/provider-b`)?.problem).toContain(
    'blank',
  );
});

test.each([
  PACKAGE,
  `${PACKAGE}:v1.0.0-RC.1`,
  `${PACKAGE}@>= v1.0.0, < v2.0.0 || v3.X`,
  'localhost:5000/acme/provider-a:V1',
  `${PACKAGE}@sha256:${'a'.repeat(64)}`,
])('%s has no mistake', (text) => {
  expect(referenceMistake(text)).toBeUndefined();
});
