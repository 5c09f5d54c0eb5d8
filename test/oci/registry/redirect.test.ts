import { describe, expect, test } from 'vitest';
import { sendFollowingRedirects } from '../../../src/oci/registry/session.js';
import type { HttpRequest, Transport } from '../../../src/oci/registry/transport.js';

const HEADERS = {
  accept: 'x',
  authorization: 'Bearer t',
  cookie: 'c=1',
  'proxy-authorization': 'p',
};

/** Answers each request with the next redirect, then with 200. */
function chain(locations: readonly string[], status = 307) {
  const requests: HttpRequest[] = [];
  const transport: Transport = async (request) => {
    const location = locations[requests.length];
    requests.push(request);
    return {
      status: location === undefined ? 200 : status,
      header: (name) => (name === 'location' ? location : undefined),
      body: (async function* () {})(),
      discard: async () => undefined,
    };
  };
  const follow = (from: string) =>
    sendFollowingRedirects(transport, { method: 'GET', url: new URL(from), headers: HEADERS }, 'x');
  return { requests, follow };
}

describe('credentials', () => {
  test.each([
    { why: 'a path', from: 'https://a.io/', to: ['/y'] },
    { why: 'the same place, port spelled out', from: 'https://a.io/', to: ['https://A.io:443/y'] },
  ])('are sent to $why', async ({ from, to }) => {
    const { requests, follow } = chain(to);
    await follow(from);
    expect(requests.at(-1)?.headers).toEqual(HEADERS);
  });

  test.each([
    { why: 'another host', from: 'https://a.io/', to: ['https://b.io/'] },
    { why: 'a host below', from: 'https://a.io/', to: ['https://x.a.io/'] },
    { why: 'another port', from: 'https://a.io/', to: ['https://a.io:8443/'] },
    { why: 'another scheme', from: 'http://a.io/', to: ['https://a.io/'] },
    { why: 'home by way of a stranger', from: 'https://a.io/', to: ['//b.io/', '//a.io/'] },
  ])('are not sent to $why', async ({ from, to }) => {
    const { requests, follow } = chain(to);
    await follow(from);
    expect(requests).toHaveLength(to.length + 1);
    expect(requests[0]?.headers).toEqual(HEADERS);
    expect(requests.at(-1)?.headers).toEqual({ accept: 'x' });
  });

  test('in a redirect URL are not used', async () => {
    const { requests, follow } = chain(['https://eve:pw@b.io/y']);
    expect((await follow('https://a.io/')).url.href).toBe('https://b.io/y');
    expect(requests.at(-1)?.url.username).toBe('');
  });
});

test('five redirects in a row are followed, six are not', async () => {
  const five = chain(['/1', '/2', '/3', '/4', '/5']);
  expect((await five.follow('https://a.io/')).url.pathname).toBe('/5');
  const six = chain(['/1', '/2', '/3', '/4', '/5', '/6']);
  await expect(six.follow('https://a.io/')).rejects.toMatchObject({ code: 'UNREACHABLE' });
  expect(six.requests).toHaveLength(6);
});

test.each([301, 302, 303, 307, 308])('%d is a redirect', async (status) => {
  const { follow } = chain(['/y'], status);
  expect((await follow('https://a.io/')).url.pathname).toBe('/y');
});

test('another status with a Location is not followed', async () => {
  const { follow } = chain(['https://b.io/'], 201);
  expect((await follow('https://a.io/')).url.href).toBe('https://a.io/');
});

test.each([
  { why: 'to plain HTTP', from: 'https://a.io/', to: 'http://b.io/' },
  { why: 'to plain HTTP of the same host', from: 'https://a.io/', to: 'http://a.io/' },
  { why: 'to a file', from: 'http://a.io/', to: 'file:///etc/passwd' },
  { why: 'to nonsense', from: 'http://a.io/', to: 'http://[' },
])('$why is refused, and no request is sent there', async ({ from, to }) => {
  const { requests, follow } = chain([to]);
  await expect(follow(from)).rejects.toMatchObject({ code: 'UNREACHABLE' });
  expect(requests).toHaveLength(1);
});

test('plain HTTP may redirect to plain HTTP', async () => {
  const { follow } = chain(['http://b.io/']);
  expect((await follow('http://a.io/')).url.href).toBe('http://b.io/');
});

test('an error shows neither user nor signature', async () => {
  const { follow } = chain(['http://eve:pw@b.io/blob?sig=s3cret']);
  const failure: unknown = await follow('https://a.io/').catch((error: unknown) => error);
  expect(String(failure)).toContain('http://b.io/blob');
  expect(String(failure)).not.toMatch(/eve|pw|s3cret/);
});
