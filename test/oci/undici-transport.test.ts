import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { TEST_CERTIFICATE } from '../support/registry/certificate.js';
import { withRegistry } from '../support/registry/client.js';
import { redirectTo } from '../support/registry/faults.js';
import { packageImage } from '../support/registry/image.js';

const image = await packageImage('kind: Provider\n');

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

  test('of anyone else are not, and that is not tried again', async () => {
    await withRegistry({ tls: true, plainHttp: false }, async ({ repository, clock }) => {
      await expect(repository('a/p').tags()).rejects.toMatchObject({
        code: 'UNREACHABLE',
        hint: expect.stringContaining('SSL_CERT_FILE') as string,
      });
      expect(clock.slept).toEqual([]);
    });
  });
});

describe('plain HTTP', () => {
  test('is not spoken unless it may be, and the way out is told', async () => {
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

describe('proxies', () => {
  test('HTTPS goes through a tunnel with the proxy’s own credentials, not ours', async () => {
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
        // By a name that is never exempt; the tunnel leads to the registry all the same.
        const host = `registry.example.test:${registry.host.split(':')[1]}`;
        const repository = client.repository({
          host,
          path: 'a/p',
          plainHttp: false,
          credentials: { find: async () => undefined },
        });
        // The certificate is for 127.0.0.1: that it is looked at proves the tunnel is end to end.
        await expect(repository.tags()).rejects.toMatchObject({ code: 'UNREACHABLE' });
        expect(proxy.connects).toEqual([
          { to: host, authorization: `Basic ${Buffer.from('pat:pr0xy').toString('base64')}` },
        ]);
        expect(JSON.stringify(trace)).not.toContain('pr0xy');
      },
    );
    await proxy.stop();
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

interface Proxy {
  readonly port: number;
  readonly connects: { readonly to: string; readonly authorization: string | undefined }[];
  stop(): Promise<void>;
}

/** A proxy that tunnels everything to loopback, whatever name was asked for. */
async function startProxy(): Promise<Proxy> {
  const connects: Proxy['connects'] = [];
  const server: Server = createServer().on('connect', (request, socket) => {
    const to = request.url ?? '';
    connects.push({ to, authorization: request.headers['proxy-authorization'] });
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
