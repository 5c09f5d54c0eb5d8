import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { InputError, SourceError } from '../../../src/base/errors.js';
import { targetFor } from '../../../src/crossplane/releases/target.js';
import { openIndex } from '../../../src/sources/index/index-source.js';

const target = targetFor('v2.3.4')!;
const P = 'xpkg.io/a/p';
const INDEX = `{"packages":{"${P}":{"kind":"Provider","versions":{"v1.0.0":{"crds":["a.b.io"]}}}}}`;

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'index-'))));
afterAll(() => rm(folder, { recursive: true }));

async function open(bytes: string | Uint8Array, name = 'index.json') {
  const file = join(folder, name);
  await writeFile(file, bytes);
  return openIndex(file, 'shown.json');
}

describe('reads', () => {
  test.each([
    { bytes: INDEX, name: 'a.json', why: 'plain' },
    { bytes: gzipSync(INDEX), name: 'a.json.gz', why: 'gzipped' },
    { bytes: gzipSync(INDEX), name: 'b.json', why: 'gzipped, whatever the name says' },
    { bytes: INDEX, name: 'b.json.gz', why: 'plain, whatever the name says' },
    { bytes: `\uFEFF${INDEX}`, name: 'c.json', why: 'a byte order mark' },
  ])('$why', async ({ bytes, name }) => {
    const source = await open(bytes, name);
    expect(await source.tags(P, target)).toEqual(['v1.0.0']);
    expect(await source.fetch({ repository: P, version: 'v1.0.0' }, target)).toMatchObject({
      contents: { objects: [{ name: 'a.b.io' }] },
    });
  });

  test('unknown keys are allowed at every depth', async () => {
    const source = await open(
      `{"made":1,"packages":{"${P}":{"kind":"Provider","stars":1,"versions":{"v1.0.0":{"phantom":true}}}}}`,
    );
    expect(await source.tags(P, target)).toEqual(['v1.0.0']);
  });

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'nor is `%s`, which every object inherits, a known key',
    async (key) => {
      const known = `"kind":"Provider","${key}":1`;
      const version = `{"v1.0.0":{"${key}":1,"xrds":[{"name":"a.b","${key}":1}]}}`;
      const source = await open(
        `{"${key}":1,"packages":{"${P}":{${known},"versions":${version}}}}`,
      );
      expect(await source.tags(P, target)).toEqual(['v1.0.0']);
    },
  );

  test('a key called __proto__ is an ordinary name', async () => {
    const source = await open(
      '{"packages":{"__proto__":{"kind":"Provider","versions":{"__proto__":{"crds":["a.b.io"]}}}}}',
    );
    const repository = '__proto__';
    expect(await source.tags(repository, target)).toEqual(['__proto__']);
    expect(await source.tags('toString', target)).toBeUndefined();
    expect(await source.fetch({ repository, version: '__proto__' }, target)).toMatchObject({
      contents: { objects: [{ name: 'a.b.io' }] },
    });
  });
});

describe('refuses', () => {
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  const of = (version: string) =>
    `{"packages":{"${P}":{"kind":"Provider","versions":{"v1.0.0":${version}}}}}`;

  test.each([
    { text: '', place: 'shown.json: not JSON', why: 'nothing at all' },
    { text: '{"packages":{', place: 'shown.json: not JSON', why: 'cut short' },
    { text: of(`{"dependsOn":[${deep}]}`), place: '.dependsOn`', why: 'a deep dependency' },
    {
      text: of(`{"crossplaneAsWritten":${deep}}`),
      place: '.crossplaneAsWritten`',
      why: 'a deep constraint',
    },
    { text: '[]', place: 'shown.json: the file', why: 'a list' },
    { text: '{}', place: '`packages`', why: 'no packages' },
    { text: '{"packages":[]}', place: '`packages`', why: 'a list of packages' },
    { text: `{"packages":{"${P}":null}}`, place: `\`packages["${P}"]\``, why: 'a null package' },
    { text: `{"packages":{"${P}":{"versions":{}}}}`, place: '.kind`', why: 'no kind' },
    { text: `{"packages":{"${P}":{"kind":"Provider"}}}`, place: '.versions`', why: 'no versions' },
    { text: of('[]'), place: '.versions["v1.0.0"]`', why: 'a version that is a list' },
    { text: of('{"crds":"a.b.io"}'), place: '["v1.0.0"].crds`', why: 'one CRD, not a list' },
    { text: of('{"crds":["a.b.io",1]}'), place: '.crds[1]`', why: 'a CRD that is a number' },
    { text: of('{"crossplane":{}}'), place: '.crossplane`', why: 'a constraint that is no text' },
    { text: of('{"digest":"sha256:12"}'), place: '.digest`', why: 'a digest cut short' },
    { text: of('{"xrds":[{"claim":"a.b"}]}'), place: '.xrds[0].name`', why: 'an XRD of no name' },
    { text: of('{"dependsOn":{}}'), place: '.dependsOn`', why: 'dependsOn that is no list' },
  ])('$why', async ({ text, place }) => {
    const error = await open(text).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(SourceError);
    expect(error).toMatchObject({ code: 'BAD_SOURCE' });
    expect(String(error)).toContain(place);
  });

  test.each([
    { bytes: gzipSync(INDEX).subarray(0, 30), why: 'gzip cut short' },
    { bytes: Buffer.from([0x7b, 0xff, 0x7d]), why: 'not UTF-8' },
  ])('$why', async ({ bytes }) => {
    await expect(open(bytes)).rejects.toMatchObject({ code: 'BAD_SOURCE' });
  });

  test('a gzip file that unpacks to too many bytes', async () => {
    const bomb = gzipSync(Buffer.alloc(257 * 1024 * 1024, 0x20), { level: 1 });
    await expect(open(bomb)).rejects.toMatchObject({ code: 'TOO_LARGE' });
  });

  test('a package of more than 16 MiB', async () => {
    const large = of(`{"name":"${'x'.repeat(16 * 1024 * 1024)}"}`);
    await expect(open(large)).rejects.toMatchObject({ code: 'TOO_LARGE' });
  });

  test.each([
    { path: 'nowhere.json', why: 'no such file' },
    { path: '.', why: 'a folder' },
  ])('$why, as a usage error', async ({ path }) => {
    await expect(openIndex(join(folder, path), path)).rejects.toBeInstanceOf(InputError);
  });
});
