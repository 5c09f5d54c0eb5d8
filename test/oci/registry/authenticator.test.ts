import { describe, expect, test } from 'vitest';
import { Authenticator, type AuthScope } from '../../../src/oci/registry/authenticator.js';
import type { CredentialStore } from '../../../src/oci/registry/credentials.js';
import { RETRY_POLICY } from '../../../src/oci/registry/retry.js';
import type { HttpRequest, Transport } from '../../../src/oci/registry/transport.js';
import { anonymous, storeOf, TestClock } from '../../support/registry/client.js';

const CHALLENGE = 'Bearer realm="https://auth.io/token",service="s"';

/** A token server that issues `t1`, `t2`, …, each valid for a minute. */
function bench(
  statusOf: (count: number) => number = () => 200,
  answer = (token: string) => JSON.stringify({ token, expires_in: 60 }),
) {
  const clock = new TestClock();
  const asked: HttpRequest[] = [];
  const transport: Transport = async (request) => {
    const count = asked.push(request);
    await Promise.resolve();
    return {
      status: statusOf(count),
      header: () => undefined,
      body: (async function* () {
        yield Buffer.from(answer(`t${count}`));
      })(),
      discard: async () => undefined,
    };
  };
  return { clock, asked, auth: new Authenticator(transport, { clock, policy: RETRY_POLICY }) };
}

function scopeOf(part: Partial<AuthScope> = {}): AuthScope {
  return {
    registry: new URL('https://a.io'),
    host: 'a.io',
    path: 'a/p',
    actions: 'pull',
    credentials: anonymous,
    ...part,
  };
}

function times<T>(count: number, ask: () => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, ask));
}

describe('a token', () => {
  test.each([
    ['{"token":"a","Token":"b"}', '`Token`, which differs from `token` only in case'],
    ['{"token":"a","token":"b"}', 'has `token` twice'],
    ['{"token":"a","expires_in":"60"}', '`expires_in`, which is not an integer'],
    ['{"token":7,"access_token":"b"}', '`token`, which is not a string'],
    ['{}', 'without a token'],
  ])('is not accepted from %s', async (answer, why) => {
    const { auth } = bench(undefined, () => answer);
    const error = { code: 'UNAUTHORIZED', message: expect.stringContaining(why) };
    await expect(auth.headerForRetry(scopeOf(), CHALLENGE, undefined)).rejects.toMatchObject(error);
  });

  test('is fetched once for all requests without one', async () => {
    const { auth, asked } = bench();
    const got = await times(5, () => auth.headerForRetry(scopeOf(), CHALLENGE, undefined));
    expect(got).toEqual(Array(5).fill('Bearer t1'));
    expect(asked).toHaveLength(1);
  });

  test('that expired is renewed once for concurrent requests', async () => {
    const { auth, asked, clock } = bench();
    await auth.headerForRetry(scopeOf(), CHALLENGE, undefined);
    clock.pass(61_000);
    expect(await times(5, () => auth.header(scopeOf()))).toEqual(Array(5).fill('Bearer t2'));
    expect(asked).toHaveLength(2);
  });

  test('that is about to expire is not sent', async () => {
    const { auth, clock } = bench();
    await auth.headerForRetry(scopeOf(), CHALLENGE, undefined);
    clock.pass(54_000);
    expect(await auth.header(scopeOf())).toBe('Bearer t1');
    clock.pass(2_000);
    expect(await auth.header(scopeOf())).toBe('Bearer t2');
  });

  test('that was rejected for many requests is renewed once', async () => {
    const { auth, asked } = bench();
    const old = await auth.headerForRetry(scopeOf(), CHALLENGE, undefined);
    const got = await times(5, () => auth.headerForRetry(scopeOf(), CHALLENGE, old));
    expect(got).toEqual(Array(5).fill('Bearer t2'));
    expect(asked).toHaveLength(2);
  });

  test('that is new is not replaced after a late rejection of the old one', async () => {
    const { auth, asked } = bench();
    const old = await auth.headerForRetry(scopeOf(), CHALLENGE, undefined);
    const renewed = await auth.headerForRetry(scopeOf(), CHALLENGE, old);
    expect(await auth.headerForRetry(scopeOf(), CHALLENGE, old)).toBe(renewed);
    expect(await auth.header(scopeOf())).toBe(renewed);
    expect(asked).toHaveLength(2);
  });

  test('that could not be fetched is fetched again by the next request', async () => {
    const { auth } = bench((count) => (count === 1 ? 403 : 200));
    const failures = await times(3, () =>
      auth
        .headerForRetry(scopeOf(), CHALLENGE, undefined)
        .catch((error: { code: string }) => error.code),
    );
    expect(failures).toEqual(Array(3).fill('UNAUTHORIZED'));
    expect(await auth.headerForRetry(scopeOf(), CHALLENGE, undefined)).toBe('Bearer t2');
  });

  test.each([
    { why: 'another repository', part: { path: 'a/q' } },
    { why: 'another registry', part: { registry: new URL('https://b.io') } },
    { why: 'another port', part: { registry: new URL('https://a.io:8443') } },
    { why: 'leave to write', part: { actions: 'pull,push' } },
    { why: 'other credentials', part: { credentials: storeOf(undefined) } },
  ] as const)('is not used for $why', async ({ part }) => {
    const { auth } = bench();
    await auth.headerForRetry(scopeOf(), CHALLENGE, undefined);
    expect(await auth.headerForRetry(scopeOf(part), CHALLENGE, undefined)).toBe('Bearer t2');
  });
});

test.each([
  { why: 'a token server inside the network', challenge: 'Bearer realm="https://10.0.0.1/"' },
  { why: 'a token server that cannot keep a secret', challenge: 'Bearer realm="http://b.io/"' },
  { why: 'no way to sign in that is known', challenge: 'Negotiate' },
  { why: 'nothing at all', challenge: undefined },
])('a registry that names $why: no credentials are looked up', async ({ challenge }) => {
  const places: string[] = [];
  const credentials: CredentialStore = {
    find: async (host) => {
      places.push(host);
      return undefined;
    },
  };
  const { auth, asked } = bench();
  const answer = auth.headerForRetry(scopeOf({ credentials }), challenge, undefined);
  await expect(answer).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  expect([places, asked]).toEqual([[], []]);
});

test('a registry without a challenge receives no credentials', async () => {
  const { auth, asked } = bench();
  expect(await auth.header(scopeOf())).toBeUndefined();
  expect(asked).toEqual([]);
});

describe('a registry that changes its token server during a run', () => {
  test.each([
    { why: 'at another host', realm: 'https://evil.io/token' },
    { why: 'at another port', realm: 'https://auth.io:8443/token' },
    { why: 'elsewhere at the same host', realm: 'https://auth.io/other' },
    { why: 'with another query', realm: 'https://auth.io/token?account=x' },
  ])('$why is rejected with both names and without a request', async ({ realm }) => {
    const { auth, asked } = bench();
    const first = await auth.headerForRetry(scopeOf(), CHALLENGE, undefined);
    const answer = auth.headerForRetry(scopeOf(), `Bearer realm="${realm}",service="s"`, first);
    await expect(answer).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    await expect(answer).rejects.toThrow(new URL(realm).host);
    await expect(answer).rejects.toThrow('`https://auth.io/token` before');
    expect(asked).toHaveLength(1);
    expect(await auth.header(scopeOf())).toBe(first);
  });

  test('is rejected for its other repositories, too', async () => {
    const { auth, asked } = bench();
    await auth.headerForRetry(scopeOf(), CHALLENGE, undefined);
    const other = scopeOf({ path: 'a/q' });
    const answer = auth.headerForRetry(other, 'Bearer realm="https://evil.io/token"', undefined);
    await expect(answer).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    expect(asked).toHaveLength(1);
  });

  test('may have another path for each repository', async () => {
    const { auth } = bench();
    await auth.headerForRetry(scopeOf(), 'Bearer realm="https://auth.io/a/p/token"', undefined);
    const other = scopeOf({ path: 'a/q' });
    const answer = auth.headerForRetry(
      other,
      'Bearer realm="https://auth.io/a/q/token"',
      undefined,
    );
    expect(await answer).toBe('Bearer t2');
  });

  test('may return to the first one', async () => {
    const { auth } = bench();
    const first = await auth.headerForRetry(scopeOf(), CHALLENGE, undefined);
    expect(await auth.headerForRetry(scopeOf(), CHALLENGE, first)).toBe('Bearer t2');
  });
});
