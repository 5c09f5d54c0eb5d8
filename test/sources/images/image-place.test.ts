import { expect, test } from 'vitest';
import { imageConfigsIn } from '../../../src/crossplane/package-manager/image-config.js';
import { InputError } from '../../../src/base/errors.js';
import { targetFor } from '../../../src/crossplane/releases/target.js';
import { imageLocation } from '../../../src/sources/images/registry-source.js';

const HOST = 'registry.example.org';

function place(asked: string, rewriteTo: string, crossplane = 'v1.20.11') {
  const object = {
    kind: 'ImageConfig',
    metadata: { name: 'mirror' },
    spec: { matchImages: [{ prefix: `${HOST}/acme` }], rewriteImage: { prefix: rewriteTo } },
  };
  const configs = imageConfigsIn([{ object, origin: { file: 'x.yaml', line: 3 } }]);
  return imageLocation(asked, configs, targetFor(crossplane)!);
}

test.each([
  { why: 'tags are listed by a name without one', asked: `${HOST}/acme/p`, to: 'm.io/x/p' },
  { why: 'a tag', asked: `${HOST}/acme/p:v1.0.0`, to: 'm.io/x/p:v1.0.0' },
  { why: 'what is not rewritten', asked: 'other.io/acme/p:v1.0.0', to: 'other.io/acme/p:v1.0.0' },
])('$why: $to', ({ asked, to }) => {
  expect(place(asked, 'm.io/x')?.reference.text).toBe(to);
});

test.each(['0', 'm.io/UPPER', 'm.io/a b'])(
  'a rewrite to `%s` is reported as an invalid image',
  (to) => {
    const asked = `${HOST}/acme`;
    expect(() => place(asked, to)).toThrow(InputError);
    expect(() => place(asked, to)).toThrow(/^x\.yaml:3: ImageConfig `mirror` makes .* of/);
  },
);

test('a name that was already invalid is not blamed on the ImageConfig', () => {
  expect(place(`${HOST}/acme/UPPER`, 'm.io/x')).toBeUndefined();
});
