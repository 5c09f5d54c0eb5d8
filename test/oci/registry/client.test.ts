import { describe, expect, test } from 'vitest';
import { BlobBuffer } from '../../../src/oci/image/image-repository.js';
import { LIMITS } from '../../../src/oci/image/limits.js';
import { Secret } from '../../../src/oci/registry/credentials.js';
import { storeOf, withRegistry } from '../../support/registry/client.js';
import {
  cutShort,
  endless,
  instead,
  on,
  redirectTo,
  reset,
  status,
  truncated,
  unended,
} from '../../support/registry/faults.js';
import { blobOf, packageImage, type Image } from '../../support/registry/image.js';
import { Registry, send, type Fault } from '../../support/registry/registry.js';

const image = await packageImage('kind: Provider\n'.repeat(50));
const layer = image.blobs.at(-1)!;
const wanted = { digest: layer.digest, size: layer.bytes.length } as never;
const other = blobOf('x'.repeat(layer.bytes.length));
const user = storeOf({ kind: 'basic', username: 'ann', password: new Secret('s3cret') });

function blobFaults(...faults: Fault[]) {
  return { faults: faults.map((fault) => on('/blobs/', fault, 1)) };
}

function page(link: string): Fault {
  return instead('{"tags":["v1"]}', { Link: `<${link}>; rel="next"` });
}

describe('the content of a registry', () => {
  test('is read with one request each, blobs by GET only', async () => {
    await withRegistry({}, async ({ registry, repository }) => {
      registry.push('a/p', 'v1.0.0', image);
      const repo = repository('a/p');
      expect(await repo.tags()).toEqual(['v1.0.0']);
      const manifest = await repo.manifest('v1.0.0');
      expect(manifest?.digest).toBe(image.digest);
      expect(await repo.blob(wanted)).toEqual(layer.bytes);
      expect(registry.asked).toEqual([
        'GET /v2/a/p/tags/list?n=1000',
        'GET /v2/a/p/manifests/v1.0.0',
        `GET /v2/a/p/blobs/${layer.digest}`,
      ]);
    });
  });

  test('is undefined if missing', async () => {
    await withRegistry({}, async ({ registry, repository }) => {
      registry.push('a/p', 'v1.0.0', image);
      expect(await repository('a/q').tags()).toBeUndefined();
      expect(await repository('a/p').manifest('v2.0.0')).toBeUndefined();
      expect(await repository('a/p').manifest('../tags/list')).toBeUndefined();
      expect(
        await repository('a/p').blob({ ...(wanted as object), digest: image.digest } as never),
      ).toBeUndefined();
    });
  });

  test('is read page by page, without duplicate tags', async () => {
    await withRegistry({ pageSize: 2 }, async ({ registry, repository }) => {
      for (const tag of ['a', 'b', 'c', 'd', 'e']) registry.push('a/p', tag, image);
      expect(await repository('a/p').tags()).toEqual(['a', 'b', 'c', 'd', 'e']);
      expect(registry.log).toHaveLength(3);
    });
  });

  test('invalid tags are dropped, including escape sequences', async () => {
    const list = JSON.stringify({ tags: ['v1', '\u001b[2J', 'a b', '../x', 'x'.repeat(129)] });
    await withRegistry({ faults: [instead(list)] }, async ({ repository }) => {
      expect(await repository('a/p').tags()).toEqual(['v1']);
    });
  });

  test.each([
    { why: 'no list at all', body: '{"name":"a/p"}' },
    { why: 'errors with a status of success', body: '{"errors":[{"code":"UNKNOWN"}]}' },
    { why: 'a tag that is no text', body: '{"tags":["v1",7]}' },
    { why: 'a page for people', body: '<html>Sign in</html>' },
  ])('an invalid tag list is an error, not an empty list: $why', async ({ body }) => {
    await withRegistry({ faults: [instead(body)] }, async ({ repository }) => {
      await expect(repository('a/p').tags()).rejects.toMatchObject({ code: 'BAD_SOURCE' });
    });
  });

  test('an empty tag list is a repository without versions', async () => {
    await withRegistry({ faults: [instead('{"tags":[]}')] }, async ({ repository }) => {
      expect(await repository('a/p').tags()).toEqual([]);
    });
  });

  test.each([
    ['{"tags":null}', '"tags": null'],
    ['{"tags":["v1"],"tags":[]}', 'has `tags` twice'],
    ['{"tags":["v1"],"Tags":[]}', 'has `Tags`, which differs from `tags` only in case'],
    ['{"tags":["v1",null]}', 'has `tags[1]`, which is not a string'],
    ['{"tags":["v1"]}{"tags":["v2"]}', 'has text after its end'],
    ['{"tags":["v1"],"next":"https://a.io/v2/"}', 'names a next page in `next`'],
    ['{"name":7,"tags":["v1"]}', 'has `name`, which is not a string'],
  ])('%s is not a list of tags', async (body, why) => {
    await withRegistry({ faults: [instead(body)] }, async ({ repository }) => {
      const error = { code: 'BAD_SOURCE', message: expect.stringContaining(why) };
      await expect(repository('a/p').tags()).rejects.toMatchObject(error);
    });
  });

  test('a manifest that contradicts its Content-Type is an error', async () => {
    const index = { 'Content-Type': 'application/vnd.oci.image.index.v1+json' };
    await withRegistry({ faults: [instead(image.bytes, index)] }, async ({ repository }) => {
      const error = { code: 'BAD_SOURCE', message: expect.stringContaining('wrong Content-Type') };
      for (const reference of ['v1.0.0', image.digest]) {
        await expect(repository('a/p').manifest(reference)).rejects.toMatchObject(error);
      }
    });
  });

  test.each(['', '<html>not found</html>', '{"message":"no route"}'])(
    'a 404 that is not in the format of a registry is an error: %j',
    async (body) => {
      const notFound: Fault = (_request, response) => {
        send(response, 404, body);
        return true;
      };
      await withRegistry({ faults: [notFound] }, async ({ repository }) => {
        const failure = { code: 'BAD_SOURCE' };
        await expect(repository('a/p').tags()).rejects.toMatchObject(failure);
        await expect(repository('a/p').manifest('v1')).rejects.toMatchObject(failure);
      });
    },
  );

  test('a repository name cannot escape its path', async () => {
    await withRegistry({}, async ({ repository, registry }) => {
      await expect(repository('a/../../b').tags()).rejects.toMatchObject({ code: 'BAD_SOURCE' });
      expect(registry.log).toEqual([]);
    });
  });
});

describe('pages of tags', () => {
  test('on another host are rejected', async () => {
    await withRegistry({ faults: [page('http://127.0.0.2:1/v2/x')] }, async ({ repository }) => {
      await expect(repository('a/p').tags()).rejects.toMatchObject({ code: 'BAD_SOURCE' });
    });
  });

  test('in a cycle are detected', async () => {
    await withRegistry(
      { faults: [page('/v2/a/p/tags/list?last=v1')] },
      async ({ repository, registry }) => {
        await expect(repository('a/p').tags()).rejects.toMatchObject({ code: 'TOO_LARGE' });
        expect(registry.log).toHaveLength(2);
      },
    );
  });

  test('without an end are aborted', async () => {
    let count = 0;
    const growing: Fault = (...args) => page(`/v2/a/p/tags/list?last=${(count += 1)}`)(...args);
    await withRegistry(
      { faults: [growing], limits: { ...LIMITS, tagPages: 7 } },
      async ({ repository, registry }) => {
        await expect(repository('a/p').tags()).rejects.toMatchObject({ code: 'TOO_LARGE' });
        expect(registry.log).toHaveLength(7);
      },
    );
  });

  test('with many bytes but no tags are aborted', async () => {
    let count = 0;
    const empty: Fault = (...args) =>
      instead(`{"tags":[]${' '.repeat(90)}}`, {
        Link: `</v2/a/p/tags/list?last=${(count += 1)}>; rel="next"`,
      })(...args);
    await withRegistry(
      { faults: [empty], limits: { ...LIMITS, tagPages: 30, tagListBytes: 1_000 } },
      async ({ repository, registry }) => {
        await expect(repository('a/p').tags()).rejects.toMatchObject({ code: 'TOO_LARGE' });
        expect(registry.log).toHaveLength(10);
      },
    );
  });

  test('with a missing later page are an error, not a missing repository', async () => {
    const faults = [on('last=', status(404)), page('/v2/a/p/tags/list?last=v1')];
    await withRegistry({ faults }, async ({ repository }) => {
      await expect(repository('a/p').tags()).rejects.toMatchObject({ code: 'BAD_SOURCE' });
    });
  });

  test('with too many tags are aborted', async () => {
    const tags = JSON.stringify({ tags: Array.from({ length: 11 }, (_, i) => `v${i}`) });
    await withRegistry(
      { faults: [instead(tags)], limits: { ...LIMITS, tags: 10 } },
      async ({ repository }) => {
        await expect(repository('a/p').tags()).rejects.toMatchObject({ code: 'TOO_LARGE' });
      },
    );
  });
});

describe('bytes must match their digest', () => {
  test.each([
    { why: 'other bytes of the same length', fault: instead(other.bytes), code: 'BAD_DIGEST' },
    {
      why: 'one byte too many',
      fault: instead(Buffer.concat([layer.bytes, Buffer.from('x')])),
      code: 'BAD_DIGEST',
    },
    { why: 'a stream without end', fault: endless(Buffer.alloc(1000)), code: 'BAD_DIGEST' },
    { why: 'too few bytes, every time', fault: cutShort(layer.bytes, 9), code: 'BAD_DIGEST' },
    {
      why: 'a body that breaks off, every time',
      fault: truncated(layer.bytes, 9),
      code: 'UNREACHABLE',
    },
  ])('a blob: $why → $code', async ({ fault, code }) => {
    await withRegistry({ faults: [on('/blobs/', fault)] }, async ({ registry, repository }) => {
      registry.push('a/p', 'v1', image);
      await expect(repository('a/p').blob(wanted)).rejects.toMatchObject({ code });
      expect(registry.log.length).toBe(code === 'BAD_DIGEST' ? 2 : 4);
    });
  });

  test.each([
    { why: 'whole', faults: [] },
    { why: 'broken off at its end', faults: [unended(layer.bytes, `"${layer.digest}"`)] },
  ])(
    'a blob $why that is shorter than in its manifest: the error has both sizes',
    async ({ faults }) => {
      await withRegistry(blobFaults(...faults), async ({ registry, repository }) => {
        registry.push('a/p', 'v1', image);
        const { length } = layer.bytes;
        const longer = { digest: layer.digest, size: length + 3 } as never;
        const reading = repository('a/p').blob(longer);
        await expect(reading).rejects.toMatchObject({ code: 'BAD_DIGEST' });
        await expect(reading).rejects.toThrow(new RegExp(`${length} bytes.* ${length + 3}`));
      });
    },
  );

  test('a corrupted blob is requested once more', async () => {
    await withRegistry(blobFaults(instead(other.bytes)), async ({ registry, repository }) => {
      registry.push('a/p', 'v1', image);
      expect(await repository('a/p').blob(wanted)).toEqual(layer.bytes);
    });
  });

  test('a layer over the limit is not requested, but may be copied', async () => {
    await withRegistry(
      { limits: { ...LIMITS, layerBytes: layer.bytes.length - 1 } },
      async ({ registry, repository }) => {
        registry.push('a/p', 'v1', image);
        await expect(repository('a/p').blob(wanted)).rejects.toMatchObject({ code: 'TOO_LARGE' });
        expect(registry.log).toEqual([]);
        const held = new BlobBuffer();
        expect(await repository('a/p').copyBlob?.(wanted, held)).toBe(true);
        expect(held.bytes).toEqual(layer.bytes);
      },
    );
  });

  test('a layer over the copy limit is not requested either', async () => {
    const limits = { ...LIMITS, copiedLayerBytes: layer.bytes.length - 1 };
    await withRegistry({ limits }, async ({ registry, repository }) => {
      const copying = repository('a/p').copyBlob?.(wanted, new BlobBuffer());
      await expect(copying).rejects.toMatchObject({ code: 'TOO_LARGE' });
      expect(registry.log).toEqual([]);
    });
  });

  test.each([
    { why: 'not what was asked for', reference: image.digest, headers: {} },
    {
      why: 'not what the header promises',
      reference: 'v1',
      headers: { 'Docker-Content-Digest': image.digest },
    },
    {
      why: 'a digest of a kind that this tool cannot check',
      reference: 'v1',
      headers: { 'Docker-Content-Digest': 'md5:0cc175b9c0f1b6a831c399e269772661' },
    },
  ])('a manifest: $why', async ({ reference, headers }) => {
    await withRegistry({ faults: [instead('{}', headers)] }, async ({ repository }) => {
      await expect(repository('a/p').manifest(reference)).rejects.toMatchObject({
        code: 'BAD_DIGEST',
      });
    });
  });

  test('a manifest may have 4 MiB, but not one byte more', async () => {
    const most = Buffer.from('{"schemaVersion":2}'.padEnd(4 << 20));
    await withRegistry({ faults: [instead(most)] }, async ({ repository }) => {
      expect((await repository('a/p').manifest('v1'))?.bytes).toHaveLength(most.length);
    });
    const more = Buffer.concat([most, Buffer.from(' ')]);
    await withRegistry({ faults: [instead(more)] }, async ({ repository }) => {
      await expect(repository('a/p').manifest('v1')).rejects.toMatchObject({ code: 'TOO_LARGE' });
    });
  });

  test.each([
    { why: 'said to be giant', fault: truncated(Buffer.alloc(5 << 20), 10) },
    { why: 'giant without saying so', fault: endless(Buffer.alloc(1 << 20)) },
  ])('a manifest $why is refused', async ({ fault }) => {
    await withRegistry({ faults: [fault] }, async ({ repository, registry }) => {
      await expect(repository('a/p').manifest('v1')).rejects.toMatchObject({ code: 'TOO_LARGE' });
      expect(registry.log).toHaveLength(1);
    });
  });
});

describe('an unreliable network', () => {
  test('a blob that is cut at any byte is completed', async () => {
    const small = blobOf('0123456789abcdef');
    for (let length = 0; length <= small.bytes.length; length += 1) {
      const faults = blobFaults(truncated(small.bytes, length));
      await withRegistry(faults, async ({ registry, repository }) => {
        registry.push('a/p', 'v1', { ...image, blobs: [small] });
        const expected = { digest: small.digest, size: small.bytes.length } as never;
        expect(await repository('a/p').blob(expected)).toEqual(small.bytes);
        expect(registry.log).toHaveLength(length < small.bytes.length ? 2 : 1);
      });
    }
  });

  test.each([408, 429, 500, 502, 503, 504, 522])('%d is retried', async (code) => {
    await withRegistry(
      { faults: [on('', status(code), 2)] },
      async ({ registry, repository, clock }) => {
        registry.push('a/p', 'v1', image);
        expect(await repository('a/p').tags()).toEqual(['v1']);
        expect(clock.slept).toEqual([500, 1000]);
      },
    );
  });

  test('repeated failures end after four attempts', async () => {
    await withRegistry({ faults: [status(503)] }, async ({ registry, repository }) => {
      await expect(repository('a/p').tags()).rejects.toMatchObject({ code: 'UNREACHABLE' });
      expect(registry.log).toHaveLength(4);
    });
  });

  test.each([
    { header: '7', waits: 7_000, why: 'seconds' },
    { header: '86400', waits: 30_000, why: 'a day is too long' },
    { header: 'Thu, 01 Jan 1970 00:16:49 GMT', waits: 9_000, why: 'a date' },
    { header: 'Fri, 02 Jan 1970 00:00:00 GMT', waits: 30_000, why: 'a date too far away' },
    { header: '0', waits: 500, why: 'a server may ask for more time, not for less' },
    { header: '1.5', waits: 500, why: 'not to be mistaken for a date long past' },
    { header: 'soon', waits: 500, why: 'nonsense counts for nothing' },
  ])('Retry-After: $header waits $waits ms: $why', async ({ header, waits }) => {
    const faults = [on('', status(429, { 'Retry-After': header }), 1)];
    await withRegistry({ faults }, async ({ registry, repository, clock }) => {
      registry.push('a/p', 'v1', image);
      await repository('a/p').tags();
      expect(clock.slept).toEqual([waits]);
    });
  });

  test.each([
    { why: 'a list of tags', part: '/tags/', bytes: Buffer.from('{"tags":["v1"]}') },
    { why: 'a manifest', part: '/manifests/', bytes: image.bytes },
  ])('$why that is cut short is requested again', async ({ part, bytes }) => {
    const faults = [on(part, truncated(bytes, bytes.length - 1), 1)];
    await withRegistry({ faults }, async ({ registry, repository, clock }) => {
      registry.push('a/p', 'v1', image);
      expect(await repository('a/p').tags()).toEqual(['v1']);
      expect(await repository('a/p').manifest('v1')).toMatchObject({ digest: image.digest });
      expect(clock.slept).toEqual([500]);
    });
  });

  test('a connection that is reset before the response is retried', async () => {
    await withRegistry({ faults: [on('', reset, 1)] }, async ({ registry, repository, trace }) => {
      registry.push('a/p', 'v1', image);
      expect(await repository('a/p').tags()).toEqual(['v1']);
      expect(trace.map(({ error }) => error)).toContain('ECONNRESET');
    });
  });

  test('a missing repository is requested once', async () => {
    await withRegistry({}, async ({ registry, repository, clock }) => {
      expect(await repository('a/p').tags()).toBeUndefined();
      expect(await repository('a/p').manifest('v1')).toBeUndefined();
      expect([registry.log.length, clock.slept]).toEqual([2, []]);
    });
  });

  test.each([
    { code: 400, want: 'UNREACHABLE' },
    { code: 403, want: 'UNAUTHORIZED' },
  ])('$code is final', async ({ code, want }) => {
    await withRegistry({ faults: [status(code)] }, async ({ registry, repository }) => {
      await expect(repository('a/p').tags()).rejects.toMatchObject({ code: want });
      expect(registry.log).toHaveLength(1);
    });
  });

  test('a host that refuses connections is reported at once', async () => {
    await withRegistry({}, async ({ registry, repository, clock }) => {
      const repo = repository('a/p');
      await registry.stop();
      await expect(repo.tags()).rejects.toMatchObject({ code: 'UNREACHABLE' });
      expect(clock.slept).toEqual([]);
      await registry.start();
    });
  });
});

describe('redirects', () => {
  test('another host receives the blob request without credentials', async () => {
    const storage = await new Registry().start();
    storage.push('a/p', undefined, image);
    const away = on(
      '/blobs/',
      redirectTo((path) => `http://${storage.host}${path}?sig=s3cret`),
    );
    await withRegistry(
      { access: { mode: 'basic', user: 'ann', password: 's3cret' }, faults: [away] },
      async ({ registry, repository, trace }) => {
        registry.push('a/p', 'v1', image);
        const repo = repository('a/p', user);
        await repo.tags();
        expect(await repo.blob(wanted)).toEqual(layer.bytes);
        expect(registry.log.at(-1)?.authorization).toMatch(/^Basic /);
        expect(storage.log.map(({ authorization }) => authorization)).toEqual([undefined]);
        expect(JSON.stringify(trace)).not.toContain('s3cret');
      },
    );
    await storage.stop();
  });

  test('on the same host keep the credentials', async () => {
    const moved = on(
      '/a/p/',
      redirectTo((path) => path.replace('/a/p/', '/b/q/')),
    );
    await withRegistry(
      { access: { mode: 'basic', user: 'ann', password: 's3cret' }, faults: [moved] },
      async ({ registry, repository }) => {
        registry.push('b/q', 'v1', image);
        expect(await repository('a/p', user).tags()).toEqual(['v1']);
      },
    );
  });

  test('to another host and back do not restore the credentials', async () => {
    const mirror: Registry = await new Registry({
      faults: [redirectTo((path) => `http://${home}${path}&again`)],
    }).start();
    let home = '';
    const away = on(
      'n=1000',
      redirectTo((path) => `http://${mirror.host}${path}`),
      2,
    );
    await withRegistry(
      { access: { mode: 'basic', user: 'ann', password: 's3cret' }, faults: [away] },
      async ({ registry, repository }) => {
        home = registry.host;
        registry.push('a/p', 'v1', image);
        const repo = repository('a/p', user);
        await repo.manifest('v1');
        await repo.tags().catch(() => undefined);
        const back = registry.log.filter(({ path }) => path.includes('again'));
        expect(back.map(({ authorization }) => authorization)).toContain(undefined);
        expect(back[0]?.authorization).toBeUndefined();
        expect(mirror.log[0]?.authorization).toBeUndefined();
      },
    );
    await mirror.stop();
  });

  test('a redirect target cannot request credentials', async () => {
    const thief = await new Registry({
      access: { mode: 'basic', user: 'ann', password: 's3cret' },
    }).start();
    const away = redirectTo((path) => `http://${thief.host}${path}`);
    await withRegistry({ faults: [away] }, async ({ repository }) => {
      await expect(repository('a/p', user).tags()).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
      expect(thief.log.map(({ authorization }) => authorization)).toEqual([undefined]);
    });
    await thief.stop();
  });

  test.each([
    { why: 'in a circle', to: '/v2/a/p/tags/list' },
    { why: 'to what is no web address', to: 'file:///etc/passwd' },
    { why: 'to nonsense', to: 'http://[' },
  ])('$why end', async ({ to }) => {
    await withRegistry({ faults: [redirectTo(to)] }, async ({ registry, repository }) => {
      await expect(repository('a/p').tags()).rejects.toMatchObject({ code: 'UNREACHABLE' });
      expect(registry.log.length).toBeLessThanOrEqual(6);
    });
  });
});

test('the number of open connections is limited', async () => {
  await withRegistry({}, async ({ registry, repository }) => {
    registry.push('a/p', 'v1', image);
    await Promise.all(Array.from({ length: 40 }, () => repository('a/p').blob(wanted)));
    expect(registry.log).toHaveLength(40);
    expect(registry.mostConnections).toBeLessThanOrEqual(4 + 1);
  });
});

test('a tag that moves between two requests does not mix two images', async () => {
  const moved: Image = await packageImage('kind: Function\n');
  const move: Fault = (_request, _response, registry) => {
    registry.push('a/p', 'v1', moved);
    return false;
  };
  await withRegistry({ faults: [on('/blobs/', move)] }, async ({ registry, repository }) => {
    registry.push('a/p', 'v1', image);
    const repo = repository('a/p');
    expect((await repo.manifest('v1'))?.digest).toBe(image.digest);
    expect(await repo.blob(wanted)).toEqual(layer.bytes);
    expect(await repo.manifest(image.digest)).toMatchObject({ digest: image.digest });
  });
});
