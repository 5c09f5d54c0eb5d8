import { expect, test } from 'vitest';
import { readInputs } from '../../src/project/inputs/read-inputs.js';

function provider(name: string, reference: string): string {
  return `
apiVersion: pkg.crossplane.io/v1
kind: Provider
metadata: { name: ${name} }
spec: { package: ${reference} }
`;
}

function read(text: string, refs: readonly string[] = []) {
  return readInputs({ files: ['-'], refs, cwd: '.', stdin: () => Promise.resolve(text) });
}

const P1 = provider('p1', 'xpkg.io/a/p:v1.0.0');

test.each([
  {
    given: [P1, provider('p2', 'xpkg.io/a/p:v1.1.0')],
    places: ['-:7', '-:2'],
    why: 'two names, two versions',
  },
  { given: [P1, P1], places: ['-:7', '-:2'], why: 'the very same object' },
  { given: [P1], refs: ['xpkg.io/a/p@>=v1'], places: ['command line', '-:2'], why: 'a reference' },
])(
  'two roots with one source are refused, and both are named: $why',
  async ({ given, refs, places }) => {
    const error: unknown = await read(given.join('---'), refs).catch((caught: unknown) => caught);
    for (const place of places) expect(String(error)).toContain(place);
    expect(error).toMatchObject({ name: 'InputError' });
  },
);

test('two spellings of one repository are two sources', async () => {
  const other = provider('p2', 'index.docker.io/a/p:v1.0.0');
  const { request } = await read(`${provider('p1', 'docker.io/a/p:v1.0.0')}---${other}`);
  expect(request.roots).toHaveLength(2);
});
