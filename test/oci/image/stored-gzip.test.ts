import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { uncompressedGzip } from '../../../src/oci/image/artifact.js';

test.each([0, 1, 65_534, 65_535, 65_536, 131_070, 200_000])('%i bytes are restored', (length) => {
  const bytes = Buffer.alloc(length);
  for (let n = 0; n < length; n++) bytes[n] = (n * 31) % 251;
  expect(gunzipSync(uncompressedGzip(bytes)).equals(bytes)).toBe(true);
});
