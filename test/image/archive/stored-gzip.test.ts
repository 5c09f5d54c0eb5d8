import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { storedGzip } from '../../../src/image/archive/stored-gzip.js';

test.each([0, 1, 65_534, 65_535, 65_536, 131_070, 200_000])('%i bytes come back', (length) => {
  const bytes = Buffer.alloc(length);
  for (let n = 0; n < length; n++) bytes[n] = (n * 31) % 251;
  expect(gunzipSync(storedGzip(bytes)).equals(bytes)).toBe(true);
});
