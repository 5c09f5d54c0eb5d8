import { expect, test } from 'vitest';
import { parseChallenges } from '../../../src/oci/registry/authenticator.js';

test.each([
  {
    header: 'Bearer realm="https://a/t",service="s",scope="repository:a:pull,push"',
    want: [['bearer', { realm: 'https://a/t', service: 's', scope: 'repository:a:pull,push' }]],
    why: 'a comma inside quotes is text',
  },
  {
    header: 'Basic realm="r", Bearer realm=x , service = "a\\"b"',
    want: [
      ['basic', { realm: 'r' }],
      ['bearer', { realm: 'x', service: 'a"b' }],
    ],
    why: 'two challenges in one header',
  },
  { header: 'BEARER Realm="x"', want: [['bearer', { realm: 'x' }]], why: 'case is nothing' },
  { header: 'Basic', want: [['basic', {}]], why: 'without parameters' },
  { header: '', want: [], why: 'empty' },
  { header: 'Bearer realm="open', want: [['bearer', {}]], why: 'an open quote ends it' },
  { header: 'realm="x"', want: [], why: 'a parameter of nothing' },
])('$header: $why', ({ header, want }) => {
  const got = parseChallenges(header).map(({ scheme, parameters }) => [
    scheme,
    Object.fromEntries(parameters),
  ]);
  expect(got).toEqual(want);
});

test('a malicious header is parsed quickly', () => {
  for (const part of ['a=', '"', '\\', 'a ', '=,', 'a="\\"']) {
    expect(parseChallenges(part.repeat(100_000)).length).toBeLessThan(8_192);
  }
});
