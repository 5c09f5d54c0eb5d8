import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { Secret } from '../../../src/oci/registry/credentials.js';
import { shownUrl } from '../../../src/oci/registry/transport.js';

test.each([
  {
    url: 'https://ann:pw@a.io/v2/a/p/tags/list?n=1000&last=v1',
    want: 'https://a.io/v2/a/p/tags/list?n=1000&last=v1',
    why: 'no user',
  },
  {
    url: 'https://s3.example.org/blob?X-Amz-Signature=abc&X-Amz-Date=1',
    want: 'https://s3.example.org/blob?X-Amz-Signature=[redacted]&X-Amz-Date=[redacted]',
    why: 'no signature',
  },
  {
    url: 'https://auth.io/token?service=a%20b&scope=repository:a:pull&account=ann',
    want: 'https://auth.io/token?service=a%20b&scope=repository%3Aa%3Apull&account=[redacted]',
    why: 'what is asked of a token server, and not for whom',
  },
])('$why', ({ url, want }) => {
  expect(shownUrl(new URL(url))).toBe(want);
});

test('a secret is shown only by `reveal`', () => {
  const secret = new Secret('s3cret');
  const shown = [
    String(secret),
    JSON.stringify({ secret }),
    inspect({ secret }, { showHidden: true }),
  ];
  expect(shown.join()).not.toContain('s3cret');
  expect(secret.reveal()).toBe('s3cret');
});
