import { describe, expect, test } from 'vitest';
import type { SourceError } from '../../../src/base/errors.js';
import { asSourceError, HostUnreachableError } from '../../../src/oci/registry/retry.js';
import { RegistryClient } from '../../../src/oci/registry/client.js';
import { anonymous, TestClock, withRegistry } from '../../support/registry/client.js';
import { startForwardProxy } from '../../support/registry/forward-proxy.js';
import { packageImage } from '../../support/registry/image.js';

const image = await packageImage('kind: Provider\n');
/** A port without a server. */
const CLOSED = '127.0.0.1:1';

function remote(host: string, plainHttp: boolean) {
  return { host, path: 'a/p', plainHttp, credentials: anonymous };
}

describe('a proxy', () => {
  test('for plain HTTP receives whole URLs and no tunnel request', async () => {
    const proxy = await startForwardProxy();
    const env = {
      HTTP_PROXY: `http://pat:pr0xy@127.0.0.1:${proxy.port}`,
      HTTPS_PROXY: `http://${CLOSED}`,
    };
    await withRegistry({ env }, async ({ client, registry, trace }) => {
      registry.push('a/p', 'v1', image);
      const host = `registry.example.test:${registry.host.split(':')[1]}`;
      expect(await client.repository(remote(host, true)).tags()).toEqual(['v1']);
      const authorization = `Basic ${Buffer.from('pat:pr0xy').toString('base64')}`;
      const url = `http://${host}/v2/a/p/tags/list?n=1000`;
      expect(proxy.asked).toEqual([{ url, authorization }]);
      expect(JSON.stringify(trace)).not.toContain('pr0xy');
    });
    await proxy.stop();
  });

  test('that requires credentials is named, without a retry', async () => {
    const proxy = await startForwardProxy(407);
    const env = { HTTP_PROXY: `pat@127.0.0.1:${proxy.port}`, HTTPS_PROXY: `http://${CLOSED}` };
    await withRegistry({ env }, async ({ client }) => {
      const tags = client.repository(remote('registry.example.test', true)).tags();
      await expect(tags).rejects.toMatchObject({
        code: 'UNREACHABLE',
        message: expect.stringContaining(
          `\`http://127.0.0.1:${proxy.port}\` answered 407`,
        ) as string,
        hint: expect.stringContaining('HTTP_PROXY') as string,
      });
      expect(proxy.asked).toHaveLength(1);
    });
    await proxy.stop();
  });

  test('that is down is named without its password', async () => {
    const env = { HTTPS_PROXY: `http://pat:pr0xy@${CLOSED}` };
    await withRegistry({ env }, async ({ client }) => {
      const tags = client.repository(remote('registry.example.test', false)).tags();
      await expect(tags).rejects.toMatchObject({
        message: expect.stringMatching(
          /`registry\.example\.test`.*`http:\/\/127\.0\.0\.1:1`/,
        ) as string,
        hint: expect.stringMatching(/HTTPS_PROXY.*`registry\.example\.test`.*NO_PROXY/) as string,
      });
      await expect(tags).rejects.not.toThrow(/pr0xy/);
    });
  });
});

describe('after a fallback to plain HTTP, both failures are reported', () => {
  test.each([
    {
      https: 'DEPTH_ZERO_SELF_SIGNED_CERT',
      http: 'ECONNREFUSED',
      want: { message: /ECONNREFUSED.*SELF_SIGNED/, hint: /SSL_CERT_FILE/ },
      why: 'the certificate is what can be mended',
    },
    {
      https: 'ERR_SSL_WRONG_VERSION_NUMBER',
      http: 'UND_ERR_SOCKET',
      want: { message: /UND_ERR_SOCKET.*WRONG_VERSION/, hint: undefined },
      why: 'plain HTTP is allowed already',
    },
    {
      https: 'ECONNREFUSED',
      http: 'ECONNREFUSED',
      want: { message: /^[^;]*ECONNREFUSED$/, hint: undefined },
      why: 'unless they are the same',
    },
  ])('$https, $http: $why', async ({ https, http, want }) => {
    const client = new RegistryClient({
      transport: async ({ url }) => {
        const code = url.protocol === 'https:' ? https : http;
        throw new HostUnreachableError(code, { url, proxy: undefined }, undefined);
      },
      clock: new TestClock(),
    });
    const failure = await client
      .repository(remote('registry.local', true))
      .tags()
      .catch((error: unknown) => error as SourceError);
    expect((failure as SourceError).message).toMatch(want.message);
    if (want.hint === undefined) expect((failure as SourceError).hint).toBeUndefined();
    else expect((failure as SourceError).hint).toMatch(want.hint);
  });
});

test('an unreachable token server is named as such', async () => {
  const access = { mode: 'bearer', realm: `http://${CLOSED}/token` } as const;
  await withRegistry({ access }, async ({ repository }) => {
    await expect(repository('a/p').tags()).rejects.toMatchObject({
      code: 'UNREACHABLE',
      message: expect.stringContaining(`the token server \`${CLOSED}\``) as string,
    });
  });
});

test.each([
  { code: 'ERR_TLS_CERT_ALTNAME_INVALID', hint: /`a\.io`/, why: 'it is for another name' },
  { code: 'CERT_HAS_EXPIRED', hint: /expired/, why: 'it was good once' },
  { code: 'CERT_NOT_YET_VALID', hint: /clock/, why: 'it will be good' },
  { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', hint: /SSL_CERT_FILE/, why: 'its maker is unknown' },
  { code: 'SELF_SIGNED_CERT_IN_CHAIN', hint: /SSL_CERT_FILE/, why: 'its maker is unknown' },
  { code: 'ERR_SSL_WRONG_VERSION_NUMBER', hint: /--insecure-registry a\.io:5000/, why: 'none' },
])('the hint for a certificate: $why ($code)', ({ code, hint }) => {
  const url = new URL('https://a.io:5000/v2/');
  const error = asSourceError(
    new HostUnreachableError(code, { url, proxy: undefined }, undefined),
    'a.io/p',
  );
  expect(error).toMatchObject({ hint: expect.stringMatching(hint) as string });
  if (!hint.test('SSL_CERT_FILE')) {
    expect(error).toMatchObject({ hint: expect.not.stringContaining('SSL_CERT_FILE') as string });
  }
});
