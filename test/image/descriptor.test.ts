import { expect, test } from 'vitest';
import { descriptorFrom } from '../../src/image/descriptor.js';

const digest = `sha256:${'a'.repeat(64)}`;

test.each([
  {
    value: { digest: `sha512:${'a'.repeat(128)}`, size: 1 },
    why: 'a digest that this tool cannot check',
  },
  { value: { digest: 'sha256:../../../etc/passwd', size: 1 }, why: 'a path' },
  { value: { digest: digest.toUpperCase(), size: 1 }, why: 'upper case' },
  { value: { digest }, why: 'no size' },
  { value: { digest, size: '1' }, why: 'a size in words' },
  { value: { digest, size: -1 }, why: 'a negative size' },
  { value: { digest, size: 1.5 }, why: 'half a byte' },
  { value: { digest, size: 2 ** 60 }, why: 'a size that cannot be counted' },
  { value: [digest, 1], why: 'a list' },
  { value: null, why: 'nothing' },
])('no descriptor: $why', ({ value }) => {
  expect(descriptorFrom(value)).toBeUndefined();
});

test('of annotations those that are read are kept, and a missing platform is not an empty one', () => {
  const annotations = JSON.parse('{"__proto__":"x","io.crossplane.xpkg":"base","n":1}') as object;
  const read = descriptorFrom({ digest, size: 1, annotations });
  expect([...(read?.annotations ?? [])]).toEqual([['io.crossplane.xpkg', 'base']]);
  expect(read?.platform).toBeUndefined();
  expect(descriptorFrom({ digest, size: 1, platform: {} })?.platform).toEqual({
    os: '',
    architecture: '',
  });
});
