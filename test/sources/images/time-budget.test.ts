import { chmodSync, mkdirSync, mkdtempSync, rmSync, watch, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { OutOfTime, timeBudget } from '../../../src/base/time.js';
import type { Repository } from '../../../src/crossplane/packages/package.js';
import { targetFor } from '../../../src/crossplane/releases/target.js';
import {
  openRegistries,
  type RegistriesOptions,
} from '../../../src/sources/images/open-registries.js';
import { resolve } from '../../../src/resolver/resolve/resolve.js';
import { providerYaml } from '../../support/package-yaml.js';
import { dripping, drippingBody, on, stalled, status } from '../../support/registry/faults.js';
import { packageImage } from '../../support/registry/image.js';
import { Registry, type Access, type Fault } from '../../support/registry/registry.js';
import { requestFor } from '../../support/requests.js';

const image = await packageImage(providerYaml('p', 'a.example.org'));
const layer = image.blobs.at(-1)!;
const target = targetFor('v2.3.4')!;
const open = { mode: 'open' } as const;

/** A run whose time budget ends when `up` is called. */
function run(options: Partial<RegistriesOptions> = {}) {
  const controller = new AbortController();
  const budget = timeBudget(300, controller.signal);
  const up = () => void setImmediate(() => controller.abort());
  const source = (more: Partial<RegistriesOptions> = {}) =>
    openRegistries({ env: {}, connections: 2, budget, ...options, ...more });
  return { up, source };
}

async function withFault(
  fault: Fault,
  access: Access,
  use: (host: string) => Promise<void>,
): Promise<void> {
  const registry = await new Registry({ faults: [fault], access }).start();
  registry.push('a/p', 'v1.0.0', image);
  await use(registry.host);
  await registry.stop();
}

/** The budget ends when the request with the fault arrives. */
function once(fault: Fault, then: () => void): Fault {
  return (...asked) => {
    const answered = fault(...asked);
    if (answered) then();
    return answered;
  };
}

test.each([
  { what: 'an answer', at: '/tags/', fault: () => true },
  { what: 'the end of headers', at: '/manifests/', fault: dripping },
  { what: 'an answer of the token server', at: '/token', fault: () => true, bearer: true },
])('the end of the time budget does not wait for $what', async ({ at, fault, bearer }) => {
  const { up, source } = run();
  const access = bearer === true ? ({ mode: 'bearer' } as const) : open;
  await withFault(once(on(at, fault), up), access, async (host) => {
    const asking = at === '/manifests/' ? fetched(source(), host) : listed(source(), host);
    await expect(asking).rejects.toThrow(OutOfTime);
    await expect(asking).rejects.toThrow(new RegExp(`${host}.*300 s .*answer to .GET http.*${at}`));
  });
});

test.each([
  { what: 'a body that drips', fault: on('/manifests/', drippingBody(200)), at: '/manifests/v1' },
  { what: 'a body that stopped', fault: on('/blobs/', stalled(layer.bytes, 7)), at: '/blobs/sha' },
])('nor for $what', async ({ fault, at }) => {
  const { up, source } = run();
  await withFault(fault, open, async (host) => {
    let bytes = 0;
    const observer = {
      bytes: (count: number) => {
        bytes += count;
        if (at.startsWith('/manifests/') || bytes === image.bytes.length + 7) up();
      },
    };
    const asking = fetched(source({ observer }), host);
    await expect(asking).rejects.toThrow(OutOfTime);
    await expect(asking).rejects.toThrow(
      new RegExp(`the rest of the answer to .GET .*${at}.*\\d byte`),
    );
  });
});

test('nor for the next attempt', async () => {
  const { up, source } = run();
  const busy = on('/tags/', status(429, { 'Retry-After': '20' }));
  await withFault(busy, open, async (host) => {
    const observer = {
      exchange: ({ status: got }: { status: number | undefined }) => got === 429 && up(),
    };
    const asking = listed(source({ observer }), host);
    await expect(asking).rejects.toThrow(
      /tags of .*another try, because the registry answered 429/,
    );
  });
});

test('nor for a connection', async () => {
  const { up, source } = run();
  const mute = createServer((socket) => {
    socket.on('error', () => undefined).once('data', up);
  });
  await new Promise<void>((done) => mute.listen(0, '127.0.0.1', done));
  // A listening TCP server has an AddressInfo.
  const host = `127.0.0.1:${(mute.address() as AddressInfo).port}`;
  await expect(listed(source(), host)).rejects.toThrow(/an answer to `GET https:.*\/v2\/`/);
  mute.close();
});

test('nor for a credential helper, which is stopped', async () => {
  const home = mkdtempSync(join(tmpdir(), 'helper-'));
  mkdirSync(join(home, '.docker'));
  writeFileSync(join(home, '.docker/config.json'), '{"credsStore":"hanging"}');
  const helper = join(home, 'docker-credential-hanging');
  writeFileSync(
    helper,
    `#!${process.execPath}
require('fs').writeFileSync(${JSON.stringify(join(home, 'started'))}, String(process.pid));
setInterval(() => {}, 60_000);\n`,
  );
  chmodSync(helper, 0o755);
  const { up, source } = run({ env: { HOME: home, PATH: home } });
  const watcher = watch(home, (_event, name) => name === 'started' && up());
  await withFault(
    () => false,
    { mode: 'bearer' },
    async (host) => {
      await expect(listed(source(), host)).rejects.toThrow(
        /waiting for the credential helper `docker-credential-hanging`/,
      );
    },
  );
  watcher.close();
  rmSync(home, { recursive: true });
});

test('a resolution reports what it was waiting for', async () => {
  const { up, source } = run();
  await withFault(
    once(
      on('/tags/', () => true),
      up,
    ),
    open,
    async (host) => {
      const request = requestFor({ [`${host}/a/p`]: '>=v1.0.0' });
      const answer = await resolve(request, { source: source(), crossplane: 'v2.3.4' });
      expect(answer).toMatchObject({
        status: 'gave-up',
        reason: expect.stringContaining('/a/p/tags/list') as string,
      });
    },
  );
});

function listed(source: ReturnType<typeof openRegistries>, host: string) {
  return source.tags(`${host}/a/p` as Repository, target);
}

function fetched(source: ReturnType<typeof openRegistries>, host: string) {
  return source.fetch({ repository: `${host}/a/p` as Repository, version: 'v1.0.0' }, target);
}
