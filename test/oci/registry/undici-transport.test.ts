import { createServer, type Server } from 'node:http';
import { connect, createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { undiciTransport } from '../../../src/oci/registry/undici-transport.js';
import { TEST_CERTIFICATE } from '../../support/registry/certificate.js';
import { anonymous, withRegistry } from '../../support/registry/client.js';
import {
  dripping,
  drippingBody,
  earlyHints,
  on,
  redirectTo,
  stalled,
} from '../../support/registry/faults.js';
import { packageImage } from '../../support/registry/image.js';
import type { Fault } from '../../support/registry/registry.js';

const image = await packageImage('kind: Provider\n');
const layer = image.blobs.at(-1)!;

const drippingChallenge: Fault = (request, response, registry) =>
  drippingBody(401, {
    'WWW-Authenticate': `Bearer realm="http://${registry.host}/token",service="test"`,
  })(request, response, registry);

describe('certificates', () => {
  test.each([
    { why: 'SSL_CERT_FILE', certificates: { only: TEST_CERTIFICATE } },
    { why: 'NODE_EXTRA_CA_CERTS', certificates: { extra: TEST_CERTIFICATE } },
  ])('of an authority given by $why are trusted', async ({ certificates }) => {
    await withRegistry({ tls: true, certificates }, async ({ registry, repository }) => {
      registry.push('a/p', 'v1', image);
      expect(await repository('a/p').tags()).toEqual(['v1']);
      expect(registry.asked).toEqual(['GET /v2/', 'GET /v2/a/p/tags/list?n=1000']);
    });
  });

  test.each([
    { why: 'and that is not tried again', plainHttp: false },
    { why: 'nor is plain HTTP tried in place of it, though it may be spoken', plainHttp: true },
  ])('of others are not, $why', async ({ plainHttp }) => {
    await withRegistry({ tls: true, plainHttp }, async ({ registry, repository, clock }) => {
      await expect(repository('a/p').tags()).rejects.toMatchObject({
        code: 'UNREACHABLE',
        hint: expect.stringContaining('SSL_CERT_FILE') as string,
      });
      expect([registry.log, clock.slept]).toEqual([[], []]);
    });
  });
});

describe('plain HTTP', () => {
  test('is used only if allowed, with a hint in the error', async () => {
    await withRegistry({ plainHttp: false }, async ({ registry, repository }) => {
      await expect(repository('a/p').tags()).rejects.toMatchObject({
        code: 'UNREACHABLE',
        hint: expect.stringContaining('--insecure-registry') as string,
      });
      expect(registry.log).toEqual([]);
    });
  });

  test('a redirect from https to http is refused', async () => {
    await withRegistry(
      {
        tls: true,
        certificates: { only: TEST_CERTIFICATE },
        plainHttp: false,
        faults: [redirectTo('http://127.0.0.1:1/')],
      },
      async ({ repository }) => {
        await expect(repository('a/p').tags()).rejects.toThrow(/redirected from https/);
      },
    );
  });
});

// In parallel, because undici's coarse timers take a second or two for each.
describe.concurrent('timeouts are retried', () => {
  test('with a host that accepts the connection and sends nothing', async () => {
    const mute = await startMute();
    await withRegistry(
      { tries: 2, timeouts: { connectMs: 50 } },
      async ({ client, trace, clock }) => {
        const host = `127.0.0.1:${mute.port}`;
        const name = { host, path: 'a/p', plainHttp: false, credentials: anonymous };
        await expect(client.repository(name).tags()).rejects.toMatchObject({ code: 'UNREACHABLE' });
        expect(trace.map(({ error }) => error)).toEqual(Array(2).fill('UND_ERR_CONNECT_TIMEOUT'));
        expect(clock.slept).toHaveLength(1);
      },
    );
    await mute.stop();
  });

  test.each([
    { why: 'takes the request and never answers', fault: () => true },
    { why: 'lets its headers drip', fault: dripping },
  ])('with a registry that $why', async ({ fault }) => {
    await withRegistry(
      { faults: [on('', fault, 1)], timeouts: { firstByteMs: 100 } },
      async ({ registry, repository, trace }) => {
        registry.push('a/p', 'v1', image);
        expect(await repository('a/p').tags()).toEqual(['v1']);
        expect(trace.map(({ error }) => error)).toContain('UND_ERR_HEADERS_TIMEOUT');
      },
    );
  });

  test('with a registry that sends endless 1xx responses', async () => {
    await withRegistry(
      { faults: [on('/tags/', earlyHints, 1)], timeouts: { answerMs: 500 } },
      async ({ registry, repository, trace }) => {
        registry.push('a/p', 'v1', image);
        expect(await repository('a/p').tags()).toEqual(['v1']);
        expect(trace.map(({ error }) => error)).toContain('UND_ERR_HEADERS_TIMEOUT');
      },
    );
  });

  test('with a body that stops halfway', async () => {
    const faults = [on('/blobs/', stalled(layer.bytes, 5), 1)];
    await withRegistry(
      { faults, timeouts: { stallMs: 100 } },
      async ({ registry, repository, trace }) => {
        registry.push('a/p', 'v1', image);
        const wanted = { digest: layer.digest, size: layer.bytes.length } as never;
        expect(await repository('a/p').blob(wanted)).toEqual(layer.bytes);
        expect(trace.map(({ error }) => error)).toContain('UND_ERR_BODY_TIMEOUT');
      },
    );
  });

  test('with a proxy that never opens the tunnel', async () => {
    const mute = await startMute();
    const env = { HTTPS_PROXY: `http://127.0.0.1:${mute.port}` };
    await withRegistry(
      { tries: 2, env, timeouts: { connectMs: 50 } },
      async ({ client, trace }) => {
        const repository = client.repository({
          host: 'registry.example.test',
          path: 'a/p',
          plainHttp: false,
          credentials: anonymous,
        });
        await expect(repository.tags()).rejects.toMatchObject({ code: 'UNREACHABLE' });
        expect(trace.map(({ error }) => error)).toEqual(Array(2).fill('UND_ERR_HEADERS_TIMEOUT'));
      },
    );
    await mute.stop();
  });
});

describe('a discarded body may be endless', () => {
  const timeouts = { discardMs: 50 };
  const bearer = { mode: 'bearer' } as const;

  test.each([
    { why: '401', access: bearer, fault: on('/tags/', drippingChallenge, 1) },
    { why: '302', fault: on('?n=', drippingBody(302, { Location: '/v2/a/p/tags/list' })) },
    { why: '500', fault: on('/tags/', drippingBody(500), 1) },
    { why: '500 of the token server', access: bearer, fault: on('/token', drippingBody(500), 1) },
  ])('$why', async ({ access = { mode: 'open' } as const, fault }) => {
    await withRegistry({ timeouts, access, faults: [fault] }, async ({ registry, repository }) => {
      registry.push('a/p', 'v1', image);
      expect(await repository('a/p').tags()).toEqual(['v1']);
    });
  });

  test('404', async () => {
    const faults = [drippingBody(404)];
    await withRegistry({ timeouts, faults }, async ({ repository }) => {
      const failure = { code: 'BAD_SOURCE' };
      await expect(repository('a/p').manifest('v1')).rejects.toMatchObject(failure);
    });
  });

  test('the first response of a host with possible plain HTTP', async () => {
    const options = { tls: true, certificates: { only: TEST_CERTIFICATE }, timeouts };
    const faults = [on('', drippingBody(200), 1)];
    await withRegistry({ ...options, faults }, async ({ registry, repository }) => {
      registry.push('a/p', 'v1', image);
      expect(await repository('a/p').tags()).toEqual(['v1']);
      expect(registry.asked[0]).toBe('GET /v2/');
    });
  });

  test('407 of a proxy', async () => {
    await withRegistry({ faults: [drippingBody(407)] }, async ({ registry: proxy }) => {
      const env = { HTTP_PROXY: `http://${proxy.host}` };
      const transport = undiciTransport({ env, connections: 1, timeouts });
      const url = new URL('http://registry.example.test/v2/');
      await expect(transport.send({ method: 'GET', url, headers: {} })).rejects.toThrow(/407/);
      await transport.close();
    });
  });
});

describe('proxies', () => {
  test('HTTPS uses a tunnel with the proxy’s own credentials, not ours', async () => {
    const proxy = await startProxy();
    await withRegistry(
      {
        tls: true,
        certificates: { only: TEST_CERTIFICATE },
        plainHttp: false,
        env: { HTTPS_PROXY: `http://pat:pr0xy@127.0.0.1:${proxy.port}`, NO_PROXY: 'example.org' },
      },
      async ({ client, registry, trace }) => {
        registry.push('a/p', 'v1', image);
        // A name that is never exempt; the tunnel still leads to the registry.
        const host = `registry.example.test:${registry.host.split(':')[1]}`;
        const repository = client.repository({
          host,
          path: 'a/p',
          plainHttp: false,
          credentials: { find: async () => undefined },
        });
        // The certificate is for 127.0.0.1, so TLS is end to end.
        await expect(repository.tags()).rejects.toThrow(/ERR_TLS_CERT_ALTNAME_INVALID/);
        expect(proxy.connects).toEqual([
          { to: host, authorization: `Basic ${Buffer.from('pat:pr0xy').toString('base64')}` },
        ]);
        expect(JSON.stringify(trace)).not.toContain('pr0xy');
      },
    );
    await proxy.stop();
  });

  test.each([
    { status: 403, tries: 1, why: 'a refusal' },
    { status: 407, tries: 1, why: 'a demand for credentials' },
    { status: 503, tries: 2, why: 'trouble that may pass' },
  ])('$why ($status) is tried $tries times', async ({ status, tries }) => {
    const proxy = await startProxy(status);
    const env = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` };
    await withRegistry({ tries: 2, env }, async ({ client }) => {
      const host = 'registry.example.test';
      const name = { host, path: 'a/p', plainHttp: false, credentials: anonymous };
      await expect(client.repository(name).tags()).rejects.toMatchObject({
        code: 'UNREACHABLE',
        hint: expect.stringContaining('HTTPS_PROXY') as string,
        message: expect.stringContaining(String(status)) as string,
      });
      expect(proxy.connects).toHaveLength(tries);
    });
    await proxy.stop();
  });

  test('are configured with or without a scheme', async () => {
    const proxy = await startProxy();
    const env = { https_proxy: `127.0.0.1:${proxy.port}` };
    await withRegistry({ tls: true, env }, async ({ client, registry }) => {
      const host = `registry.example.test:${registry.host.split(':')[1]}`;
      const name = { host, path: 'a/p', plainHttp: false, credentials: anonymous };
      await expect(client.repository(name).tags()).rejects.toMatchObject({ code: 'UNREACHABLE' });
      expect(proxy.connects[0]).toEqual({ to: host, authorization: undefined });
    });
    await proxy.stop();
  });

  test('an invalid URL is an input error without its password', async () => {
    const env = { HTTPS_PROXY: 'pat:pr0xy@:x' };
    await withRegistry({ env, plainHttp: false }, async ({ repository }) => {
      const failure: unknown = await repository('a/p')
        .tags()
        .catch((error: unknown) => error);
      expect(failure).toMatchObject({
        name: 'InputError',
        message: expect.stringContaining('HTTPS_PROXY') as string,
      });
      expect(inspect(failure, { depth: 9, showHidden: true })).not.toContain('pr0xy');
    });
  });

  test('loopback is never proxied', async () => {
    await withRegistry(
      { env: { HTTP_PROXY: 'http://127.0.0.1:1', HTTPS_PROXY: 'http://127.0.0.1:1' } },
      async ({ registry, repository }) => {
        registry.push('a/p', 'v1', image);
        expect(await repository('a/p').tags()).toEqual(['v1']);
      },
    );
  });
});

/** Accepts connections without sending anything. */
async function startMute(): Promise<Pick<Proxy, 'port' | 'stop'>> {
  const sockets: Socket[] = [];
  const server = createTcpServer((socket) => {
    sockets.push(socket.on('error', () => undefined));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    // A listening TCP server has an AddressInfo.
    port: (server.address() as AddressInfo).port,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Proxy {
  readonly port: number;
  readonly connects: { readonly to: string; readonly authorization: string | undefined }[];
  stop(): Promise<void>;
}

/** A proxy that tunnels every host to loopback, or rejects tunnels. */
async function startProxy(status = 200): Promise<Proxy> {
  const connects: Proxy['connects'] = [];
  const server: Server = createServer().on('connect', (request, socket) => {
    const to = request.url ?? '';
    connects.push({ to, authorization: request.headers['proxy-authorization'] });
    if (status !== 200) return void socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
    const upstream = connect(Number(to.split(':')[1]), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    for (const end of [socket, upstream]) end.on('error', () => upstream.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    // A listening TCP server has an AddressInfo.
    port: (server.address() as AddressInfo).port,
    connects,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
