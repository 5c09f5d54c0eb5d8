import type { LookupFunction } from 'node:net';
import { describe, expect, test } from 'vitest';
import {
  guardedLookup,
  isAddressAllowed,
  type AddressRule,
} from '../../../src/oci/registry/address-rules.js';
import { type CredentialStore, Secret } from '../../../src/oci/registry/credentials.js';
import { storeOf, withRegistry } from '../../support/registry/client.js';
import { on, redirectTo } from '../../support/registry/faults.js';
import { packageImage } from '../../support/registry/image.js';

const image = await packageImage('kind: Provider\n');
const ann = storeOf({ kind: 'basic', username: 'ann', password: new Secret('s3cret') });

const KINDS = {
  public: ['8.8.8.8', '2606:4700::1111', '::ffff:8.8.8.8', '172.32.0.1', '100.128.0.1'],
  loopback: ['127.0.0.1', '127.255.255.254', '::1', '::ffff:127.0.0.1'],
  private: ['10.0.0.7', '172.31.0.1', '192.168.0.1', '100.64.0.1', '198.18.0.1', 'fd00::1'],
  'link-local': [
    '169.254.169.254',
    '::ffff:169.254.169.254',
    '::169.254.169.254',
    'fe80::1',
    'fe80::1%2',
    '0.0.0.0',
    '::',
    '192.0.0.192',
    '168.63.129.16',
    '100.100.100.200',
    'fd00:ec2::254',
    'fd20:ce::254',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::a9fe:a9fe',
    '2002:a9fe:a9fe::1',
    '2001:0:a9fe:a9fe::1',
    '224.0.0.1',
    '255.255.255.255',
    'ff02::1',
  ],
} as const;
type Kind = keyof typeof KINDS;
const ALL = Object.keys(KINDS) as Kind[];

const MAY: Readonly<Record<AddressRule['as'], Readonly<Record<Kind, readonly Kind[]>>>> = {
  'token server': {
    public: ['public'],
    private: ['public', 'private'],
    loopback: ['public', 'loopback'],
    'link-local': ['public', 'link-local'],
  },
  redirect: {
    public: ['public', 'private'],
    private: ['public', 'private'],
    loopback: ['public', 'private', 'loopback'],
    'link-local': ['public', 'private', 'link-local'],
  },
};

test.each(
  (['token server', 'redirect'] as const).flatMap((as) =>
    ALL.map((registry) => ({ as, registry })),
  ),
)('a $as of a registry with the address $registry', (rule) => {
  for (const kind of ALL) {
    for (const address of KINDS[kind]) {
      const may = MAY[rule.as][rule.registry].includes(kind);
      expect([address, isAddressAllowed(address, rule, true)]).toEqual([address, may]);
      // The exception for storage applies only to names, not to addresses.
      const literal = kind === 'public' || kind === rule.registry;
      expect([address, isAddressAllowed(address, rule, false)]).toEqual([address, literal]);
    }
  }
});

describe('a name with several addresses', () => {
  const rule = { as: 'token server', registry: 'public' } as const;
  const found = (...addresses: string[]): LookupFunction =>
    guardedLookup((_name, _options, callback) => {
      callback(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    }, rule);
  test.each([true, false])('is contacted only at allowed addresses (all: %s)', async (all) => {
    const got = await ask(found('169.254.169.254', '10.0.0.7', '8.8.8.8', '127.0.0.1'), all);
    expect(got).toEqual(all ? [{ address: '8.8.8.8', family: 4 }] : ['8.8.8.8', 4]);
  });

  test.each([true, false])('is rejected without an allowed address (all: %s)', async (all) => {
    expect(await ask(found('169.254.169.254', '::1'), all)).toMatch(/`169\.254\.169\.254` is link/);
  });
});

/** The result or error of a lookup. */
function ask(lookup: LookupFunction, all: boolean): Promise<unknown> {
  return new Promise((resolve) => {
    lookup('auth.io', { all }, (error, address, family) =>
      resolve(error === null ? (all ? address : [address, family]) : error.message),
    );
  });
}

/** Addresses by name, one per lookup; the last one is repeated. */
function names(table: Readonly<Record<string, readonly string[]>>): {
  readonly lookup: LookupFunction;
  readonly asked: string[];
} {
  const asked: string[] = [];
  const lookup: LookupFunction = (name, options, callback) => {
    const addresses = table[name] ?? [];
    const turn = asked.filter((each) => each === name).length;
    asked.push(name);
    const address = addresses[turn] ?? addresses.at(-1);
    if (address === undefined) return callback(new Error(`no ${name}`), '');
    if (options.all === true) return callback(null, [{ address, family: 4 }]);
    return callback(null, address, 4);
  };
  return { lookup, asked };
}

describe('a registry with one address class that refers to a name with another', () => {
  test.each([
    { kind: 'private', address: '10.0.0.7' },
    { kind: 'link-local', address: '169.254.169.254' },
  ])('its token server is not contacted if that is $kind', async ({ kind, address }) => {
    const { lookup } = names({ 'r.test': ['127.0.0.1'], 'auth.test': [address] });
    const access = { mode: 'bearer', realm: 'http://auth.test/token' } as const;
    await withRegistry({ access, lookup }, async ({ registry, client }) => {
      const asking = at(client, registry.host, ann).tags();
      await expect(asking).rejects.toMatchObject({
        code: 'UNREACHABLE',
        message: expect.stringMatching(
          new RegExp(`the token server, \`auth.test\`, is not asked: .*\`${address}\` is ${kind}`),
        ) as string,
        hint: expect.stringContaining('nothing was sent') as string,
      });
      expect(registry.log.every(({ authorization }) => authorization === undefined)).toBe(true);
    });
  });

  test.each([
    { why: 'by name', to: 'http://storage.test/x', said: /`storage\.test`, is not asked/ },
    { why: 'by address', to: 'http://169.254.169.254/x', said: /`169\.254\.169\.254` is link/ },
    { why: 'as one number', to: 'http://2852039166/x', said: /`169\.254\.169\.254` is link/ },
    { why: 'in octal', to: 'http://0251.0376.0251.0376/', said: /`169\.254\.169\.254` is link/ },
    { why: 'as IPv6', to: 'http://[::ffff:a9fe:a9fe]/', said: /link-local/ },
    { why: 'private, by address', to: 'http://10.0.0.7/x', said: /`10\.0\.0\.7` is private/ },
  ])('is not followed to a metadata service, $why', async ({ to, said }) => {
    const { lookup } = names({ 'r.test': ['127.0.0.1'], 'storage.test': ['169.254.169.254'] });
    const faults = [on('/tags/', redirectTo(to))];
    await withRegistry({ faults, lookup }, async ({ registry, client }) => {
      const asking = at(client, registry.host).tags();
      await expect(asking).rejects.toMatchObject({ code: 'UNREACHABLE' });
      await expect(asking).rejects.toThrow(said);
    });
  });

  test('each connection is checked, so a name cannot change its address', async () => {
    const rebinding = names({
      'r.test': ['127.0.0.1'],
      'auth.test': ['127.0.0.1', '169.254.169.254'],
    });
    const { lookup, asked } = rebinding;
    const faults: Parameters<typeof withRegistry>[0]['faults'] = [
      (request, response, registry) => {
        if (!request.path.startsWith('/token')) return false;
        // The next token uses a new connection and so a new lookup.
        response.setHeader('Connection', 'close');
        registry.answer(request, response);
        return true;
      },
    ];
    await withRegistry({ lookup, faults, access: { mode: 'bearer' } }, async (bench) => {
      const { registry, client, clock } = bench;
      const [, port] = registry.host.split(':');
      registry.fail((request, response, self) => {
        if (request.path.startsWith('/token') || request.authorization !== undefined) return false;
        response.setHeader('WWW-Authenticate', `Bearer realm="http://auth.test:${port}/token"`);
        response.writeHead(401, { 'Content-Length': 0 }).end();
        return self !== undefined;
      });
      registry.push('a/p', 'v1', image);
      const repository = at(client, registry.host);
      expect(await repository.tags()).toEqual(['v1']);
      clock.pass(1_000_000);
      await expect(repository.tags()).rejects.toThrow(/`169\.254\.169\.254` is link-local/);
      expect(asked.filter((name) => name === 'auth.test')).toHaveLength(2);
    });
  });

  test('may refer to names with its own address class', async () => {
    const { lookup } = names({ 'r.test': ['127.0.0.1'], 'storage.test': ['127.0.0.1'] });
    await withRegistry({ lookup }, async ({ registry, client }) => {
      const [, port] = registry.host.split(':');
      const elsewhere = `http://storage.test:${port}/v2/a/p/tags/list`;
      registry.push('a/p', 'v1', image).fail(on('n=1000', redirectTo(elsewhere)));
      expect(await at(client, registry.host).tags()).toEqual(['v1']);
    });
  });
});

/** A repository at the registry with a given host name. */
function at(
  client: Parameters<Parameters<typeof withRegistry>[1]>[0]['client'],
  host: string,
  credentials: CredentialStore = storeOf(undefined),
) {
  const name = `r.test:${host.split(':')[1]}`;
  return client.repository({ host: name, path: 'a/p', plainHttp: true, credentials });
}
