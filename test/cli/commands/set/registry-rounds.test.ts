import { mkdtemp, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EXIT } from '../../../../src/cli/exit-code.js';
import { runCli } from '../../../../src/cli/run.js';
import { fakeIo } from '../../../support/fake-io.js';
import { packageImage } from '../../../support/registry/image.js';
import { Registry, type Fault, type LoggedRequest } from '../../../support/registry/registry.js';

let folder: string;
let registry: Registry;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'registry-rounds-'));
});

afterEach(async () => {
  await registry.stop();
  await rm(folder, { recursive: true });
});

/** Answers requests of one kind when so many of them are waiting: sooner would be one after the other. */
function together(count: number, isMeant: (request: LoggedRequest) => boolean): Fault {
  const waiting: (readonly [LoggedRequest, ServerResponse])[] = [];
  return (request, response, at) => {
    if (!isMeant(request)) return false;
    waiting.push([request, response]);
    if (waiting.length === count) for (const [each, to] of waiting) at.answer(each, to);
    return true;
  };
}

/** Two providers that know nothing of each other. */
async function twoProviders(): Promise<readonly string[]> {
  registry = await new Registry({ access: { mode: 'bearer' } }).start();
  for (const name of ['a', 'b']) {
    const meta = {
      apiVersion: 'meta.pkg.crossplane.io/v1',
      kind: 'Provider',
      metadata: { name },
    };
    registry.push(`acme/${name}`, 'v1.0.0', await packageImage(JSON.stringify(meta)));
  }
  return ['a', 'b'].map((name) => `${registry.host}/acme/${name}@>=v1.0.0`);
}

async function run(...args: readonly string[]): Promise<number> {
  const io = fakeIo({ cwd: folder, env: { XDG_CACHE_HOME: join(folder, 'cache') } });
  return runCli([...args, '--from', 'registry'], io);
}

test('tokens for several repositories are asked for at once, when the challenge is known', async () => {
  const refs = await twoProviders();
  registry.fail(together(2, ({ path }) => path.startsWith('/token')));
  expect(await run('resolve', ...refs)).toBe(EXIT.done);
});

test('`verify` asks for the config and the layer of an image at once', async () => {
  const refs = await twoProviders();
  expect(await run('resolve', ...refs)).toBe(EXIT.done);
  registry.fail(together(2, ({ path }) => path.includes('/acme/a/blobs/')));
  expect(await run('verify', ...refs)).toBe(EXIT.done);
});
