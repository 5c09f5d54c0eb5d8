import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { type CredentialStore, Secret } from '../../../src/oci/registry/credentials.js';
import { validatedRealm } from '../../../src/oci/registry/authenticator.js';
import { storeOf, withRegistry } from '../../support/registry/client.js';
import {
  instead,
  on,
  redirectTo,
  reset,
  status,
  truncated,
} from '../../support/registry/faults.js';
import { packageImage } from '../../support/registry/image.js';
import { Registry, type Access, type LoggedRequest } from '../../support/registry/registry.js';

const image = await packageImage('kind: Provider\n');
const ann = storeOf({ kind: 'basic', username: 'ann', password: new Secret('s3cret') });

test.each([
  { mode: 'open', access: { mode: 'open' }, credentials: ann, requests: 3 },
  {
    mode: 'basic',
    access: { mode: 'basic', user: 'ann', password: 's3cret' },
    credentials: ann,
    requests: 4,
  },
  {
    mode: 'bearer, anonymous',
    access: { mode: 'bearer' },
    credentials: storeOf(undefined),
    requests: 5,
  },
  {
    mode: 'bearer with a password',
    access: { mode: 'bearer', user: 'ann', password: 's3cret' },
    credentials: ann,
    requests: 5,
  },
  {
    mode: 'bearer for an identity token',
    access: { mode: 'bearer', refreshToken: 's3cret' },
    credentials: storeOf({ kind: 'identity', token: new Secret('s3cret') }),
    requests: 5,
  },
] as const)('$mode: the challenge is remembered', async ({ access, credentials, requests }) => {
  await withRegistry({ access }, async ({ registry, repository, trace }) => {
    registry.push('a/p', 'v1', image);
    const repo = repository('a/p', credentials);
    for (let count = 0; count < 3; count += 1) expect(await repo.tags()).toEqual(['v1']);
    expect(registry.log).toHaveLength(requests);
    expect(JSON.stringify(trace)).not.toMatch(/s3cret|YW5uOnMzY3JldA/);
  });
});

test('many packages of one registry cost one 401 and a token each', async () => {
  await withRegistry({ access: { mode: 'bearer' } }, async ({ registry, repository }) => {
    const paths = ['a/p', 'a/q', 'a/r', 'a/s'];
    for (const path of paths) registry.push(path, 'v1', image);
    await Promise.all(paths.flatMap((path) => [repository(path).tags(), repository(path).tags()]));
    const tokens = registry.log.filter(({ path }) => path.startsWith('/token'));
    // They are requested in parallel, in any order.
    const scopes = tokens.map(({ path }) => new URLSearchParams(path.split('?')[1]).get('scope'));
    expect(new Set(scopes)).toEqual(new Set(paths.map((path) => `repository:${path}:pull`)));
    expect(scopes).toHaveLength(4);
    expect(registry.log).toHaveLength(1 + 4 + 8);
  });
});

test('a token is renewed when it expires or is revoked', async () => {
  const access = { mode: 'bearer', expiresIn: 60 } as const;
  await withRegistry({ access }, async ({ registry, repository, clock }) => {
    const repo = repository('a/p');
    registry.push('a/p', 'v1', image);
    await repo.tags();
    clock.pass(61_000);
    await repo.tags();
    registry.forgetTokens();
    expect(await repo.tags()).toEqual(['v1']);
    expect(registry.log.filter(({ path }) => path.startsWith('/token'))).toHaveLength(3);
  });
});

test('many requests with a revoked token renew it once', async () => {
  await withRegistry({ access: { mode: 'bearer' } }, async ({ registry, repository }) => {
    registry.push('a/p', 'v1', image);
    const repo = repository('a/p');
    await repo.tags();
    registry.forgetTokens();
    await Promise.all(Array.from({ length: 4 }, () => repo.tags()));
    expect(registry.log.filter(({ path }) => path.startsWith('/token'))).toHaveLength(2);
  });
});

test('refused credentials are not sent twice for one request', async () => {
  const access = { mode: 'basic', user: 'ann', password: 'other' } as const;
  await withRegistry({ access }, async ({ registry, repository }) => {
    const repo = repository('a/p', ann);
    for (const requests of [2, 3]) {
      await expect(repo.tags()).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
      expect(registry.log).toHaveLength(requests);
    }
  });
});

test('credentials are looked up by the host in the package name', async () => {
  const places: string[] = [];
  const store: CredentialStore = {
    find: async (host, path) => {
      places.push(`${host} ${path}`);
      return undefined;
    },
  };
  await withRegistry({ access: { mode: 'bearer' } }, async ({ registry, repository }) => {
    registry.push('a/p', 'v1', image);
    await repository('a/p', store).tags();
    expect(places).toEqual([`${registry.host} a/p`]);
  });
});

test('a registry token is sent unchanged', async () => {
  await withRegistry({ access: { mode: 'bearer' } }, async ({ registry, repository }) => {
    const token = storeOf({ kind: 'bearer', token: new Secret('as-it-is') });
    await expect(repository('a/p', token).tags()).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    expect(registry.log.map(({ authorization }) => authorization)).toEqual([
      undefined,
      'Bearer as-it-is',
    ]);
  });
});

describe('errors are final', () => {
  test.each([
    { why: 'wrong password', access: { mode: 'basic', user: 'ann', password: 'x' }, requests: 2 },
    { why: 'no token for us', access: { mode: 'bearer', user: 'b', password: 'x' }, requests: 2 },
  ] as const)('$why', async ({ access, requests }) => {
    await withRegistry({ access }, async ({ registry, repository }) => {
      const failure = await failureOf(repository('a/p', ann).tags());
      expect(failure).toMatchObject({ code: 'UNAUTHORIZED' });
      expect(inspect(failure, { depth: 9, showHidden: true })).not.toMatch(/s3cret|YW5uOnMzY3Jl/);
      expect(registry.log).toHaveLength(requests);
    });
  });

  test('for a registry that refuses every token it gives', async () => {
    const loop = on('/v2/', (request, response, registry) => {
      const realm = `http://${registry.host}/token`;
      return status(401, { 'WWW-Authenticate': `Bearer realm="${realm}"` })(
        request,
        response,
        registry,
      );
    });
    await withRegistry(
      { access: { mode: 'bearer' }, faults: [loop] },
      async ({ registry, repository }) => {
        const repo = repository('a/p', ann);
        await expect(repo.tags()).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
        expect(registry.log).toHaveLength(3);
      },
    );
  });

  test.each([
    { why: 'at once', fault: status(503), waits: 500 },
    { why: 'when it says', fault: status(429, { 'Retry-After': '7' }), waits: 7_000 },
    { why: 'when it hung up', fault: reset, waits: 500 },
    { why: 'when it hung up half way', fault: truncated(Buffer.from('{}  '), 2), waits: 500 },
  ])('a failing token server is retried: $why', async ({ fault, waits }) => {
    await withRegistry(
      { access: { mode: 'bearer' }, faults: [on('/token', fault, 1)] },
      async ({ registry, repository, clock }) => {
        registry.push('a/p', 'v1', image);
        expect(await repository('a/p').tags()).toEqual(['v1']);
        expect(clock.slept).toEqual([waits]);
      },
    );
  });

  test.each([
    { why: 'a redirect', fault: redirectTo('/elsewhere') },
    { why: 'no token', fault: instead('{}') },
    { why: 'a token that breaks out of its header', fault: instead('{"token":"a\\r\\nX: y"}') },
    { why: 'no JSON', fault: instead('<html>') },
  ])('a token server answers with $why', async ({ fault }) => {
    await withRegistry(
      { access: { mode: 'bearer' }, faults: [on('/token', fault)] },
      async ({ registry, repository }) => {
        await expect(repository('a/p', ann).tags()).rejects.toMatchObject({
          code: 'UNAUTHORIZED',
        });
        expect(registry.asked).not.toContain('GET /elsewhere');
      },
    );
  });
});

test('a malicious realm receives nothing, and credentials are not looked up', async () => {
  const thief = await new Registry().start();
  let lookedUp = 0;
  const store: CredentialStore = {
    find: async () => {
      lookedUp += 1;
      return undefined;
    },
  };
  const realm = 'http://169.254.169.254/latest/meta-data';
  await withRegistry({ access: { mode: 'bearer', realm } }, async ({ repository }) => {
    await expect(repository('a/p', store).tags()).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  });
  expect(lookedUp).toBe(0);
  await thief.stop();
});

test('a realm that changes during a run receives nothing', async () => {
  const thief = await new Registry().start();
  const access = { mode: 'bearer', user: 'ann', password: 's3cret' } as const;
  await withRegistry({ access }, async ({ registry, repository }) => {
    registry.push('a/p', 'v1', image);
    const repo = repository('a/p', ann);
    expect(await repo.tags()).toEqual(['v1']);
    registry.forgetTokens();
    const realm = `http://${thief.host}/token`;
    registry.fail(on('/v2/', status(401, { 'WWW-Authenticate': `Bearer realm="${realm}"` })));
    const failure = await failureOf(repo.tags());
    expect(failure).toMatchObject({ code: 'UNAUTHORIZED' });
    expect(String(failure)).toContain(thief.host);
    expect(String(failure)).toContain(`http://${registry.host}/token`);
  });
  expect(thief.log).toEqual([]);
  await thief.stop();
});

describe('realms', () => {
  test.each([
    { realm: 'https://auth.docker.io/token', registry: 'https://index.docker.io' },
    { realm: 'http://127.0.0.1:5001/token', registry: 'http://localhost:5000' },
    { realm: 'https://10.0.0.7/token', registry: 'https://10.0.0.5' },
    { realm: 'http://10.0.0.5:8080/token', registry: 'http://10.0.0.5' },
  ])('$realm is allowed for $registry', ({ realm, registry }) => {
    expect(validatedRealm(realm, new URL(registry)).href).toBe(realm);
  });

  test.each([
    { realm: 'http://auth.example.org/', registry: 'https://example.org', why: 'a downgrade' },
    { realm: 'https://169.254.169.254/', registry: 'https://example.org', why: 'metadata' },
    { realm: 'https://169.254.169.254/', registry: 'https://10.0.0.5', why: 'from inside, too' },
    { realm: 'https://0xa9fea9fe/', registry: 'https://example.org', why: 'in hexadecimal' },
    { realm: 'https://2852039166/', registry: 'https://example.org', why: 'as one number' },
    { realm: 'https://[::ffff:169.254.169.254]/', registry: 'https://a.b', why: 'as IPv6' },
    { realm: 'https://[fe80::1]/', registry: 'https://example.org', why: 'link-local IPv6' },
    { realm: 'https://[fd00::1]/', registry: 'https://example.org', why: 'private IPv6' },
    { realm: 'https://127.0.0.1/', registry: 'https://example.org', why: 'loopback' },
    { realm: 'https://localhost/', registry: 'https://example.org', why: 'loopback by name' },
    { realm: 'https://localhost./', registry: 'https://example.org', why: 'with a last dot, too' },
    { realm: 'https://[64:ff9b::a9fe:a9fe]/', registry: 'https://a.b', why: 'by way of NAT64' },
    { realm: 'https://192.0.0.192/', registry: 'https://example.org', why: 'metadata elsewhere' },
    { realm: 'https://100.100.100.200/', registry: 'https://example.org', why: 'and elsewhere' },
    { realm: 'https://10.0.0.7/', registry: 'https://127.0.0.1', why: 'private from loopback' },
    { realm: 'https://192.168.1.1/', registry: 'https://example.org', why: 'private' },
    { realm: 'https://0.0.0.0/', registry: 'https://example.org', why: 'this host' },
    { realm: 'https://u:p@auth.example.org/', registry: 'https://example.org', why: 'a user' },
    { realm: 'file:///etc/passwd', registry: 'http://127.0.0.1', why: 'no web address' },
    { realm: '/token', registry: 'https://example.org', why: 'relative' },
    { realm: '', registry: 'https://example.org', why: 'none at all' },
  ])('$realm is refused for $registry: $why', ({ realm, registry }) => {
    expect(() => validatedRealm(realm, new URL(registry))).toThrow(
      expect.objectContaining({ code: 'UNAUTHORIZED' }),
    );
  });
});

test('a refused realm is shown without its user and secrets', () => {
  const realm = 'https://bob:s3cret@auth.example.org/token?key=s3cret&service=x';
  const checked = () => validatedRealm(realm, new URL('https://example.org'));
  expect(checked).toThrow(/auth\.example\.org\/token/);
  expect(checked).not.toThrow(/bob|s3cret/);
});

describe('service and scope cannot inject parameters', () => {
  const challenge = on('/v2/', (request, response, registry) =>
    request.authorization === undefined
      ? status(401, {
          'WWW-Authenticate': `Bearer realm="http://${registry.host}/token?account=x",service="a&admin=1#"`,
        })(request, response, registry)
      : false,
  );

  async function asked(access: Access, credentials: CredentialStore) {
    let request: LoggedRequest | undefined;
    await withRegistry({ access, faults: [challenge] }, async ({ registry, repository }) => {
      registry.push('a/p', 'v1', image);
      await repository('a/p', credentials).tags();
      request = registry.log[1];
    });
    const { path, body } = request!;
    return [new URLSearchParams(path.split('?')[1]), new URLSearchParams(body)].map((form) => [
      ...form,
    ]);
  }

  test('in the query of a GET', async () => {
    const [query, form] = await asked({ mode: 'bearer' }, storeOf(undefined));
    expect(form).toEqual([]);
    expect(query).toEqual([
      ['account', 'x'],
      ['service', 'a&admin=1#'],
      ['scope', 'repository:a/p:pull'],
    ]);
  });

  test('in the form of a POST, nor can an identity token', async () => {
    const refreshToken = 't&admin=1';
    const identity = storeOf({ kind: 'identity', token: new Secret(refreshToken) });
    const [query, form] = await asked({ mode: 'bearer', refreshToken }, identity);
    expect(query).toEqual([['account', 'x']]);
    expect(form).toEqual([
      ['grant_type', 'refresh_token'],
      ['client_id', 'xpkg-resolve'],
      ['refresh_token', refreshToken],
      ['service', 'a&admin=1#'],
      ['scope', 'repository:a/p:pull'],
    ]);
  });
});

async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('it did not fail');
}
