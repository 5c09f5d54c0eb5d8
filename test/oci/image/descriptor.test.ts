import { expect, test } from 'vitest';
import { parseDescriptor } from '../../../src/oci/image/descriptor.js';

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
])('an invalid descriptor: $why', ({ value }) => {
  expect(parseDescriptor(value)).toBeUndefined();
});

test('only known annotations are stored, and a missing platform differs from an empty one', () => {
  const annotations = JSON.parse('{"__proto__":"x","io.crossplane.xpkg":"base","n":1}') as object;
  const read = parseDescriptor({ digest, size: 1, annotations });
  expect([...(read?.annotations ?? [])]).toEqual([['io.crossplane.xpkg', 'base']]);
  expect(read?.platform).toBeUndefined();
  expect(parseDescriptor({ digest, size: 1, platform: {} })?.platform).toEqual({
    os: '',
    architecture: '',
  });
});

test('a null annotation is an empty string, as in Go', () => {
  const read = parseDescriptor({ digest, size: 1, annotations: { 'io.crossplane.xpkg': null } });
  expect([...(read?.annotations ?? [])]).toEqual([['io.crossplane.xpkg', '']]);
});
