import { mkdtemp, readdir, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EXIT } from '../../../src/cli/kit/command.js';
import { runCli } from '../../../src/commands.js';
import { fakeIo } from '../../support/fake-io.js';
import { BASE, imageOf, indexOf, packageImage, type Image } from '../../support/registry/image.js';
import { instead, on } from '../../support/registry/faults.js';
import { Registry, type Fault, type LoggedRequest } from '../../support/registry/registry.js';

let folder: string;
let registry: Registry;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'registry-rounds-'));
});

afterEach(async () => {
  await registry.stop();
  await rm(folder, { recursive: true });
});

/**
 * Answers requests of one kind in rounds of the given sizes, once all requests of a round are
 * waiting. A sequential client would never complete a round. Other requests are answered at once.
 */
function inRounds(rounds: readonly number[], isMeant: (request: LoggedRequest) => boolean): Fault {
  const left = [...rounds];
  const waiting: (readonly [LoggedRequest, ServerResponse])[] = [];
  return (request, response, at) => {
    if (!isMeant(request) || left.length === 0) return false;
    waiting.push([request, response]);
    if (waiting.length < left[0]!) return true;
    left.shift();
    for (const [each, to] of waiting.splice(0)) at.answer(each, to);
    return true;
  };
}

function provider(name: string): Promise<Image> {
  const meta = { apiVersion: 'meta.pkg.crossplane.io/v1', kind: 'Provider', metadata: { name } };
  return packageImage(JSON.stringify(meta));
}

/** An image as `crossplane xpkg push` creates it: platforms share only the base layer. */
async function platforms(name: string): Promise<Image> {
  const base = (await provider(name)).blobs.at(-1)!;
  const children = ['amd64', 'arm64'].map((architecture) => ({
    image: imageOf([{ ...base, annotations: BASE }], JSON.stringify({ architecture })),
    platform: { os: 'linux', architecture },
  }));
  return indexOf(children);
}

/** Two providers without a dependency between them. */
async function twoProviders(
  make: (name: string) => Promise<Image> = provider,
): Promise<readonly string[]> {
  registry = await new Registry({ access: { mode: 'bearer' } }).start();
  for (const name of ['a', 'b']) registry.push(`acme/${name}`, 'v1.0.0', await make(name));
  return ['a', 'b'].map((name) => `${registry.host}/acme/${name}@>=v1.0.0`);
}

async function run(...args: readonly string[]): Promise<number> {
  return (await ran('cache', args)).code;
}

/** Runs a command on a machine that has only the lockfile. */
function runElsewhere(...args: readonly string[]) {
  return ran('elsewhere', args);
}

async function ran(cache: string, args: readonly string[]) {
  const io = fakeIo({ cwd: folder, env: { XDG_CACHE_HOME: join(folder, cache) } });
  const code = await runCli([...args, '--from', 'registry'], io);
  return { code, said: io.notes().join('\n') };
}

/**
 * Returns a predicate for authorized requests of these paths: no other request has to come first.
 */
function authorized(paths: RegExp): (request: LoggedRequest) => boolean {
  return ({ authorization, path }) => authorization !== undefined && paths.test(path);
}

test('requests tokens for several repositories in parallel when the challenge is known', async () => {
  const refs = await twoProviders();
  registry.fail(inRounds([2], ({ path }) => path.startsWith('/token')));
  expect(await run('resolve', ...refs)).toBe(EXIT.done);
});

test('`verify` requests the config and the layer of an image in parallel', async () => {
  const refs = await twoProviders();
  expect(await run('resolve', ...refs)).toBe(EXIT.done);
  registry.fail(inRounds([2], ({ path }) => path.includes('/acme/a/blobs/')));
  expect(await run('verify', ...refs)).toBe(EXIT.done);
});

test('`resolve --locked` requests index, manifest and layer of all images in parallel', async () => {
  const refs = await twoProviders(platforms);
  expect(await run('resolve', ...refs)).toBe(EXIT.done);
  registry.fail(inRounds([6], authorized(/\/(manifests|blobs)\//)));
  expect(await runElsewhere('resolve', ...refs, '--locked')).toMatchObject({ code: EXIT.done });
});

test('`verify` requests index and manifest in parallel, then config, layer and other platforms', async () => {
  const refs = await twoProviders(platforms);
  expect(await run('resolve', ...refs)).toBe(EXIT.done);
  registry.fail(inRounds([2, 3], authorized(/\/acme\/a\/(manifests|blobs)\//)));
  expect(await run('verify', ...refs)).toBe(EXIT.done);
});

/** Runs with prefetching and with sequential reads. */
async function bothWays(refs: readonly string[]) {
  const ahead = await runElsewhere('resolve', ...refs, '--locked', '--concurrency', '2');
  const inOrder = ['resolve', ...refs, '--locked', '--concurrency', '1'];
  expect(ahead).toEqual(await ran('another', inOrder));
  return ahead;
}

describe('the lockfile is not trusted about images', () => {
  test('if tags have moved, even if the locked layers never arrive', async () => {
    const refs = await twoProviders(platforms);
    expect(await run('resolve', ...refs)).toBe(EXIT.done);
    for (const name of ['a', 'b']) {
      const old = (await provider(name)).blobs.at(-1)!.digest;
      registry.fail(on(old, () => true));
      registry.push(`acme/${name}`, 'v1.0.0', await platforms(`moved-${name}`));
    }
    const { code, said } = await bothWays(refs);
    expect(code).toBe(EXIT.lockMismatch);
    expect(said).toContain('moved');
    expect(await readdir(join(folder, 'elsewhere', 'xpkg-resolve', 'v1', 'unfinished'))).toEqual(
      [],
    );
  });

  test.each([
    { what: 'other bytes', bytes: 'other bytes' },
    { what: 'more bytes than its manifest says', bytes: 'x'.repeat(1000) },
  ])('if the layer arrives with $what', async ({ bytes }) => {
    const refs = await twoProviders(platforms);
    expect(await run('resolve', ...refs)).toBe(EXIT.done);
    registry.fail(on('/acme/a/blobs/', instead(bytes)));
    expect(await bothWays(refs)).toMatchObject({ code: EXIT.sourceFailed });
  });
});
