import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SecureContextOptions } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { providerYaml } from '../../support/package-yaml.js';
import { Authority, selfSigned, type Certified } from '../../support/registry/certificates.js';
import { withRegistry } from '../../support/registry/client.js';
import { on, redirectTo } from '../../support/registry/faults.js';
import { packageImage } from '../../support/registry/image.js';
import { Registry } from '../../support/registry/registry.js';

const MAIN = join(import.meta.dirname, '../../../dist/main.js');
const image = await packageImage(providerYaml('p', 'a.example.org'));
const authority = await Authority.create('a test authority');
const stranger = await Authority.create('another authority');
const between = await authority.intermediate('an intermediate authority');
const good = await authority.issue();
const chained = await between.issue();

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tls-'));
  writeFileSync(join(folder, 'ca.pem'), authority.pem);
  writeFileSync(join(folder, 'other.pem'), stranger.pem);
});
afterAll(() => rmSync(folder, { recursive: true }));

const certificates = { extra: authority.pem };

test.each<{ why: string; tls: SecureContextOptions }>([
  { why: 'signed by the authority', tls: good },
  { why: 'signed by one under it, which the server sends', tls: withChain(chained, between.pem) },
])('a certificate $why is trusted', async ({ tls }) => {
  await withRegistry({ tls, certificates, plainHttp: false }, async ({ registry, repository }) => {
    registry.push('a/p', 'v1.0.0', image);
    expect(await repository('a/p').tags()).toEqual(['v1.0.0']);
  });
});

describe('a bad certificate is rejected at once with a hint and without a request, if it', () => {
  test.each<{ why: string; tls: () => Promise<SecureContextOptions>; code: string; hint: RegExp }>([
    {
      why: 'signs itself',
      tls: () => selfSigned('127.0.0.1'),
      code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
      hint: /SSL_CERT_FILE or NODE_EXTRA_CA_CERTS/,
    },
    {
      why: 'another authority signed',
      tls: () => stranger.issue(),
      code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      hint: /SSL_CERT_FILE or NODE_EXTRA_CA_CERTS/,
    },
    {
      why: 'an authority signed that the server does not send',
      tls: async () => chained,
      code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      hint: /SSL_CERT_FILE or NODE_EXTRA_CA_CERTS/,
    },
    {
      why: 'has expired',
      tls: () => authority.issue({ days: [-2, -1] }),
      code: 'CERT_HAS_EXPIRED',
      hint: /has expired and must be renewed/,
    },
    {
      why: 'is not valid yet',
      tls: () => authority.issue({ days: [0.5, 1] }),
      code: 'CERT_NOT_YET_VALID',
      hint: /check the clock/,
    },
    {
      why: 'is for another host',
      tls: () => authority.issue({ hosts: ['registry.example.org', '10.0.0.7'] }),
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
      hint: /for other names than `127\.0\.0\.1`/,
    },
    {
      why: 'is for no host',
      tls: () => authority.issue({ hosts: [] }),
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
      hint: /for other names than `127\.0\.0\.1`/,
    },
  ])('$why', async ({ tls, code, hint }) => {
    for (const plainHttp of [false, true]) {
      await withRegistry({ tls: await tls(), certificates, plainHttp }, async (bench) => {
        await expect(bench.repository('a/p').tags()).rejects.toMatchObject({
          code: 'UNREACHABLE',
          message: expect.stringContaining(
            `\`${bench.registry.host}\` cannot be reached: ${code}`,
          ) as string,
          hint: expect.stringMatching(hint) as string,
        });
        expect([bench.registry.log, bench.clock.slept]).toEqual([[], []]);
      });
    }
  });

  test('belongs to a token server, before credentials are sent', async () => {
    const wrong = await new Registry({ tls: await selfSigned('127.0.0.1') }).start();
    const access = { mode: 'bearer', realm: `https://${wrong.host}/token` } as const;
    const options = { tls: good, certificates, access, plainHttp: false };
    await withRegistry(options, async ({ repository, clock }) => {
      await expect(repository('a/p').tags()).rejects.toThrow(
        `the token server \`${wrong.host}\` cannot be reached: DEPTH_ZERO_SELF_SIGNED_CERT`,
      );
      expect([wrong.log, clock.slept]).toEqual([[], []]);
    });
    await wrong.stop();
  });

  test('belongs to a redirect target', async () => {
    const wrong = await new Registry({ tls: await stranger.issue() }).start();
    const faults = [on('/tags/', redirectTo(`https://${wrong.host}/v2/a/p/tags/list`))];
    await withRegistry({ tls: good, certificates, faults, plainHttp: false }, async (bench) => {
      await expect(bench.repository('a/p').tags()).rejects.toThrow(`\`${wrong.host}\` cannot be`);
      expect([wrong.log, bench.clock.slept]).toEqual([[], []]);
    });
    await wrong.stop();
  });
});

test.each(['/tags/', '/manifests/', '/blobs/'])(
  'a redirect of %s from https to http is rejected without a request',
  async (at) => {
    const plain = await new Registry().start();
    plain.push('a/p', 'v1.0.0', image);
    const faults = [
      on(
        at,
        redirectTo((path) => `http://${plain.host}${path}`),
      ),
    ];
    await withRegistry({ tls: good, certificates, faults, plainHttp: false }, async (bench) => {
      bench.registry.push('a/p', 'v1.0.0', image);
      const repository = bench.repository('a/p');
      const { digest, bytes } = image.blobs.at(-1)!;
      const asking = {
        '/tags/': () => repository.tags(),
        '/manifests/': () => repository.manifest('v1.0.0'),
        '/blobs/': () => repository.blob({ digest, size: bytes.length } as never),
      }[at]!;
      await expect(asking()).rejects.toThrow(/redirected from https to `http:/);
      expect([plain.log, bench.clock.slept]).toEqual([[], []]);
    });
    await plain.stop();
  },
);

test('a token server without TLS is reported', async () => {
  const access = { mode: 'bearer', realm: 'http://127.0.0.1:1/token' } as const;
  await withRegistry({ tls: good, certificates, access, plainHttp: false }, async (bench) => {
    await expect(bench.repository('a/p').tags()).rejects.toThrow(/refused: it is not https/);
  });
});

test('a server with an old TLS version is distinguished from one without TLS', async () => {
  const tls = { ...good, maxVersion: 'TLSv1.1', minVersion: 'TLSv1' } as const;
  await withRegistry({ tls, certificates, plainHttp: false }, async ({ repository, clock }) => {
    await expect(repository('a/p').tags()).rejects.toMatchObject({
      code: 'UNREACHABLE',
      hint: expect.stringContaining('TLS 1.2') as string,
    });
    expect(clock.slept).toEqual([]);
  });
});

describe('the command in a pipeline', () => {
  test.each([
    { env: { SSL_CERT_FILE: 'ca.pem' }, code: 0, said: /a\/p +v1\.0\.0/ },
    { env: { NODE_EXTRA_CA_CERTS: 'ca.pem' }, code: 0, said: /a\/p +v1\.0\.0/ },
    { env: { NODE_EXTRA_CA_CERTS: 'other.pem' }, code: 5, said: /^hint: .*SSL_CERT_FILE/m },
    { env: {}, code: 5, said: /^error: .*UNABLE_TO_VERIFY_LEAF_SIGNATURE/m },
    { env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' }, code: 5, said: /^error: .*UNABLE_TO_VERIFY/m },
  ])('with $env: exit $code', async ({ env, code, said }) => {
    const registry = await new Registry({ tls: good }).start();
    registry.push('a/p', 'v1.0.0', image);
    const paths = Object.entries(env).map(([name, value]) => [
      name,
      value.endsWith('.pem') ? join(folder, value) : value,
    ]);
    const argv = [MAIN, 'resolve', `${registry.host}/a/p:v1.0.0`, '--no-write'];
    const ran = await new Promise<{ code: number; text: string }>((resolve) => {
      const options = {
        cwd: folder,
        env: {
          HOME: folder,
          XPKG_RESOLVE_CACHE: join(folder, '.cache'),
          ...Object.fromEntries(paths),
        },
      };
      const child = execFile(process.execPath, argv, options, (_error, stdout, stderr) =>
        resolve({ code: child.exitCode ?? -1, text: `${stdout}\n${stderr}` }),
      );
    });
    expect(ran.text).toMatch(said);
    expect(ran.code).toBe(code);
    const left = readdirSync(folder).filter((name) => !name.startsWith('.'));
    expect(left).toEqual(['ca.pem', 'other.pem']);
    await registry.stop();
  });
});

/** In the order of servers: their own certificate first. */
function withChain({ cert, key }: Certified, chain: string): Certified {
  return { cert: `${cert}\n${chain}`, key };
}
