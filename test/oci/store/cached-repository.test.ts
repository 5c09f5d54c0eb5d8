import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DiskCache, removeCache, summarizeCache } from '../../../src/oci/store/disk-cache.js';
import { cachedRepository, offlineRepository } from '../../../src/oci/store/cached-repository.js';
import type { ImageRepository } from '../../../src/oci/image/image-repository.js';
import { LIMITS } from '../../../src/oci/image/limits.js';
import { RegistryClient } from '../../../src/oci/registry/client.js';
import type { HttpRequest } from '../../../src/oci/registry/transport.js';
import { isDigest, type Digest } from '../../../src/base/digest.js';
import { providerYaml } from '../../support/package-yaml.js';
import { anonymous, TestClock, withRegistry, type Bench } from '../../support/registry/client.js';
import { instead, on, status, truncated, unended } from '../../support/registry/faults.js';
import { packageImage } from '../../support/registry/image.js';
import type { Fault } from '../../support/registry/registry.js';

const image = await packageImage(providerYaml('p'));
const layer = {
  digest: digest(image.blobs.at(-1)!.digest),
  size: image.blobs.at(-1)!.bytes.length,
};
const clock = new TestClock();
let folder: string;
let notes: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kept-'));
  notes = [];
});

afterEach(() => rm(folder, { recursive: true }));

function digest(text: string): Digest {
  if (!isDigest(text)) throw new Error(text);
  return text;
}

function cache(mode: 'online' | 'offline' = 'online'): DiskCache {
  return new DiskCache({ folder, offline: mode === 'offline', note: (line) => notes.push(line) });
}

function pathOf(of: string): string {
  return join(folder, 'v1', 'blobs', ...of.split(':'));
}

/** Makes all requests that resolving one package needs. */
async function readAll({ repository }: Bench, path = 'a/p') {
  const kept = cachedRepository(client(repository(path)), cache(), clock);
  return {
    tags: await kept.tags(),
    manifest: await kept.manifest('v1.0.0'),
    byDigest: await kept.manifest(image.digest),
    layer: await kept.blob(layer),
  };
}

function client(repository: ReturnType<Bench['repository']>) {
  return repository as ReturnType<RegistryClient['repository']>; // what the bench makes
}

test('content with a digest is requested once; tags are requested in every run', async () => {
  await withRegistry({}, async (bench) => {
    bench.registry.push('a/p', 'v1.0.0', image);
    const cold = await readAll(bench);
    const asked = bench.registry.asked.length;
    const warm = await readAll(bench);
    expect(warm).toEqual(cold);
    expect(bench.registry.asked.slice(asked)).toEqual([
      'GET /v2/a/p/tags/list?n=1000',
      'GET /v2/a/p/manifests/v1.0.0',
    ]);
    expect(notes).toEqual([]);
  });
});

test('the manifest of a tag is also cached by its digest, online and offline', async () => {
  await withRegistry({}, async (bench) => {
    bench.registry.push('a/p', 'v1.0.0', image);
    const kept = () => cachedRepository(client(bench.repository('a/p')), cache(), clock);
    const tagged = await kept().manifest('v1.0.0');
    const offline = offlineRepository(`${bench.registry.host}/a/p`, cache('offline'));
    expect(await kept().manifest(image.digest)).toEqual(tagged);
    expect(await offline.manifest(image.digest)).toEqual(tagged);
    expect(bench.registry.asked.filter((line) => line.includes('/manifests/'))).toEqual([
      'GET /v2/a/p/manifests/v1.0.0',
    ]);
  });
});

test('a moved tag is noticed', async () => {
  const moved = await packageImage(providerYaml('moved'));
  await withRegistry({}, async (bench) => {
    bench.registry.push('a/p', 'v1.0.0', image);
    await readAll(bench);
    bench.registry.push('a/p', 'v1.0.0', moved).push('a/p', 'v1.1.0', moved);
    const again = await readAll(bench);
    expect(again.manifest?.digest).toBe(moved.digest);
    expect(again.tags).toEqual(['v1.0.0', 'v1.1.0']);
  });
});

test('a wrong size in a manifest is not reported as cache damage', async () => {
  const held = cache();
  await held.keepBlob(layer.digest, image.blobs.at(-1)!.bytes);
  const wrong = { ...layer, size: layer.size + 1 };
  await withRegistry({}, async ({ repository, registry }) => {
    const kept = cachedRepository(client(repository('a/p')), held, clock);
    for (const reading of [kept, offlineRepository('x.test/a/p', cache('offline'))]) {
      await expect(reading.blob(wrong)).rejects.toMatchObject({
        code: 'BAD_DIGEST',
        message: expect.stringContaining(`${layer.size + 1}`) as string,
      });
    }
    expect(registry.log).toEqual([]);
  });
  expect(await held.blob(layer.digest)).toBeDefined();
  expect(notes).toEqual([]);
});

async function keeping(
  faults: readonly Fault[],
  body: (kept: ImageRepository, bench: Bench) => Promise<void>,
): Promise<void> {
  await withRegistry({ faults, tries: 1 }, async (bench) => {
    bench.registry.push('a/p', 'v1.0.0', image);
    await body(cachedRepository(client(bench.repository('a/p')), cache(), clock), bench);
  });
}

async function opened(kept: ImageRepository): Promise<Uint8Array | undefined> {
  const blob = await kept.openBlob!(layer);
  return blob && buffer(blob.chunks());
}

const large: Fault = (_request, response) => {
  response.writeHead(200, { 'Content-Length': LIMITS.layerBytes + 1 }).write('x');
  return true;
};

describe('a prefetched blob', () => {
  const wanted = new AbortController().signal;
  const { bytes } = image.blobs.at(-1)!;

  test('is downloaded once, however often it is opened', async () => {
    await keeping([], async (kept, { registry }) => {
      const ahead = [
        kept.prefetchBlob!(layer.digest, wanted),
        kept.prefetchBlob!(layer.digest, wanted),
      ];
      expect(await opened(kept)).toEqual(Buffer.from(bytes));
      await Promise.all(ahead);
      expect(await opened(kept)).toEqual(Buffer.from(bytes));
      await kept.prefetchBlob!(layer.digest, wanted);
      expect(registry.asked).toEqual([`GET /v2/a/p/blobs/${layer.digest}`]);
    });
  });

  test('is checked against the size in its manifest', async () => {
    await keeping([], async (kept) => {
      await kept.prefetchBlob!(layer.digest, wanted);
      const wrong = { ...layer, size: layer.size - 1 };
      await expect(kept.openBlob!(wrong)).rejects.toMatchObject({ code: 'BAD_DIGEST' });
    });
  });

  test.each<{ why: string; fault: Fault }>([
    { why: 'its registry failed', fault: status(503) },
    { why: 'it came with other bytes', fault: instead('x'.repeat(bytes.length)) },
    { why: 'it was cut off', fault: truncated(bytes, 20) },
    { why: 'its size was not said', fault: unended(bytes) },
    { why: 'it was said to be larger than a layer may be', fault: large },
  ])('is requested again when it is read if $why', async ({ fault }) => {
    await keeping([on('/blobs/', fault, 1)], async (kept, { registry }) => {
      const ahead = kept.prefetchBlob!(layer.digest, wanted);
      expect(await opened(kept)).toEqual(Buffer.from(bytes));
      await ahead;
      expect(registry.asked).toHaveLength(2);
      expect(notes).toEqual([]);
    });
  });

  test('is canceled when it is not needed, without leaving a file', async () => {
    const asked = new AbortController();
    const silence: Fault = () => {
      asked.abort();
      return true;
    };
    await keeping([on('/blobs/', silence, 1)], async (kept) => {
      await kept.prefetchBlob!(layer.digest, asked.signal);
      expect(await readdir(join(folder, 'v1', 'unfinished'))).toEqual([]);
      expect(await opened(kept)).toEqual(Buffer.from(bytes));
    });
  });

  test('is not available to others if it is missing', async () => {
    await withRegistry({}, async ({ repository }) => {
      const kept = cachedRepository(client(repository('a/p')), cache(), clock);
      await kept.prefetchBlob!(layer.digest, wanted);
      expect(await opened(kept)).toBeUndefined();
    });
  });
});

test('a manifest in one repository implies nothing about another', async () => {
  await withRegistry({}, async (bench) => {
    bench.registry.push('a/p', 'v1.0.0', image);
    await readAll(bench);
    expect(await readAll(bench, 'a/q')).toMatchObject({ manifest: undefined, byDigest: undefined });
  });
});

describe.each([
  { what: 'layer', path: () => pathOf(layer.digest) },
  { what: 'manifest', path: () => pathOf(image.digest) },
])('a damaged $what', ({ path }) => {
  test('is moved to quarantine and fetched again, once', async () => {
    await withRegistry({}, async (bench) => {
      bench.registry.push('a/p', 'v1.0.0', image);
      const cold = await readAll(bench);
      const right = await readFile(path());
      await writeFile(path(), 'damaged');
      const asked = bench.registry.asked.length;
      expect(await readAll(bench)).toEqual(cold);
      await readAll(bench);
      const again = bench.registry.asked.slice(asked);
      expect(again.filter((line) => line.includes('/sha256:')).length).toBeLessThan(2);
      expect(notes).toHaveLength(1);
      expect(notes[0]).toContain(path());
      expect(await readFile(path())).toEqual(right);
      expect((await summarizeCache(folder)).quarantine.files).toBe(1);
    });
  });

  test('ends an offline run with the name of the file', async () => {
    await withRegistry({}, async (bench) => {
      bench.registry.push('a/p', 'v1.0.0', image);
      await readAll(bench);
      await writeFile(path(), 'damaged');
      const offline = offlineRepository(`${bench.registry.host}/a/p`, cache('offline'));
      const reading = Promise.all([offline.manifest('v1.0.0'), offline.blob(layer)]);
      await expect(reading).rejects.toMatchObject({ code: 'BAD_DIGEST' });
      await expect(reading).rejects.toThrow(path());
    });
  });
});

test('offline, cached results are used, with one note', async () => {
  await withRegistry({}, async (bench) => {
    bench.registry.push('a/p', 'v1.0.0', image);
    const online = await readAll(bench);
    await readAll(bench, 'a/none').catch(() => undefined);
    const asked = bench.registry.asked.length;
    const held = cache('offline');
    const offline = offlineRepository(`${bench.registry.host}/a/p`, held);
    expect({
      tags: await offline.tags(),
      manifest: await offline.manifest('v1.0.0'),
      byDigest: await offline.manifest(image.digest),
      layer: await offline.blob(layer),
    }).toEqual(online);
    await offline.tags();
    const none = offlineRepository(`${bench.registry.host}/a/none`, held);
    expect([await none.tags(), await none.manifest('v1.0.0')]).toEqual([undefined, undefined]);
    expect(notes).toHaveLength(1);
    expect(bench.registry.asked).toHaveLength(asked);
  });
});

function failing(hint: string) {
  return { code: 'OFFLINE', hint: expect.stringContaining(hint) };
}

test('offline, a result that was never cached is an error', async () => {
  const offline = offlineRepository('registry.example.test/a/p', cache('offline'));
  const fills = failing('`xpkg-resolve resolve` without `--offline`');
  await expect(offline.tags()).rejects.toMatchObject(fills);
  await expect(offline.manifest('v1.0.0')).rejects.toMatchObject(fills);
  await expect(offline.manifest(image.digest)).rejects.toMatchObject(fills);
  await expect(offline.blob(layer)).rejects.toMatchObject(failing('`--from layout:DIR`'));
});

test('a read-only folder causes one warning', async () => {
  await writeFile(join(folder, 'v1'), 'a file, where a folder would have to be');
  await withRegistry({}, async (bench) => {
    bench.registry.push('a/p', 'v1.0.0', image);
    const kept = cachedRepository(client(bench.repository('a/p')), cache(), clock);
    expect((await kept.manifest('v1.0.0'))?.digest).toBe(image.digest);
    expect(await kept.blob(layer)).toBeDefined();
    expect(notes.filter((note) => note.includes('cannot be written'))).toHaveLength(1);
    expect(notes.length).toBeLessThan(3);
  });
});

test('concurrent writers of one blob leave one complete file', async () => {
  const bytes = image.blobs.at(-1)!.bytes;
  const held = cache();
  const seen = await Promise.all(
    Array.from({ length: 40 }, async (_, i) => {
      await (i % 2 === 0 ? held.keepBlob(layer.digest, bytes) : undefined);
      return held.blob(layer.digest);
    }),
  );
  expect(seen.filter((got) => got !== undefined && !Buffer.from(bytes).equals(got))).toEqual([]);
  expect(await readdir(join(folder, 'v1', 'blobs', 'sha256'))).toHaveLength(1);
  expect(notes).toEqual([]);
});

test('cleaning removes only what the cache created', async () => {
  await cache().keepBlob(layer.digest, image.blobs.at(-1)!.bytes);
  await writeFile(join(folder, 'notes.txt'), 'mine');
  expect(await removeCache(folder)).toBe(true);
  expect(await readdir(folder)).toEqual(['notes.txt']);
  expect(await removeCache(folder)).toBe(false);
});

describe('conditional requests', () => {
  const asked: HttpRequest[] = [];
  const etag = '"list-1"';

  /** A registry without changes. */
  function unchanging(first: { readonly link?: string } = {}) {
    const remote = new RegistryClient({
      transport: async (request) => {
        asked.push(request);
        const known = request.headers['if-none-match'] !== undefined;
        const list = request.url.pathname.endsWith('/tags/list');
        const headers: Record<string, string> = list ? { etag, ...first } : {};
        const more = request.url.searchParams.has('last');
        const body = list ? JSON.stringify({ tags: [more ? 'v2' : 'v1'] }) : image.bytes;
        return {
          status: known ? 304 : 200,
          header: (name) => (more ? undefined : headers[name]),
          body: (async function* () {
            yield Buffer.from(known ? '' : body);
          })(),
          discard: async () => {},
        };
      },
      clock,
    });
    const name = { host: 'registry.example.test', path: 'a/p', plainHttp: false };
    return remote.repository({ ...name, credentials: anonymous });
  }

  beforeEach(() => void asked.splice(0));

  test('an unchanged tag list is not sent again', async () => {
    const remote = unchanging();
    const tags = () => cachedRepository(remote, cache(), clock).tags();
    expect([await tags(), await tags(), await tags()]).toEqual([['v1'], ['v1'], ['v1']]);
    const conditions = asked.map(({ headers }) => headers['if-none-match']);
    expect(conditions).toEqual([undefined, etag, etag]);
  });

  test('an unchanged tag costs no manifest', async () => {
    const remote = unchanging();
    const manifest = () => cachedRepository(remote, cache(), clock).manifest('v1');
    expect(await manifest()).toEqual(await manifest());
    expect(asked.map(({ headers }) => headers['if-none-match'])).toEqual([
      undefined,
      `"${image.digest}"`,
    ]);
  });

  test('a list with several pages is read again: an unchanged first page does not cover the others', async () => {
    const remote = unchanging({ link: '</v2/a/p/tags/list?last=v1>; rel="next"' });
    const tags = () => cachedRepository(remote, cache(), clock).tags();
    expect([await tags(), await tags()]).toEqual([
      ['v1', 'v2'],
      ['v1', 'v2'],
    ]);
    expect(asked.every(({ headers }) => headers['if-none-match'] === undefined)).toBe(true);
  });

  test('a 304 to an unconditional request is an error', async () => {
    const remote = new RegistryClient({
      transport: async () => ({
        status: 304,
        header: () => undefined,
        body: (async function* () {})(),
        discard: async () => {},
      }),
      clock,
    }).repository({ host: 'r.test', path: 'a/p', plainHttp: false, credentials: anonymous });
    await expect(remote.tags()).rejects.toMatchObject({ code: 'UNREACHABLE' });
  });
});
