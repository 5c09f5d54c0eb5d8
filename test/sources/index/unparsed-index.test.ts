import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { IndexFile } from '../../../src/sources/index/index-file.js';
import type { PackageSource } from '../../../src/sources/package-source.js';
import { targetFor } from '../../../src/crossplane/releases/target.js';
import { indexSource, parseIndex } from '../../../src/sources/index/index-source.js';
import { memorySource } from '../../../src/sources/memory-source.js';

const target = targetFor('v2.3.4')!;
const CRDS = ['buckets.s3.example.org', 'things.example.org', 'Gr\u00fc\u00dfe."x".io'];

const crds = fc.uniqueArray(fc.constantFrom(...CRDS));
const version = fc.record(
  {
    crossplane: fc.constantFrom('>=v1.14.0', '"}'),
    crds,
    xrds: fc.array(fc.record({ name: fc.constantFrom(...CRDS) }), { maxLength: 2 }),
    dependsOn: fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 2 }),
  },
  { requiredKeys: [] },
);
const name = fc.oneof(
  fc.constantFrom('xpkg.io/a/p', 'xpkg.io/a/q', '__proto__', '{"', 'a\\', 'packages'),
  fc.string({ unit: 'binary' }),
);
const index = fc.record({
  packages: fc.dictionary(
    name,
    fc.record({
      kind: fc.constant('Provider'),
      versions: fc.dictionary(fc.constantFrom('v1.0.0', 'v1.1.0', 'v2.0.0'), version),
    }),
    { maxKeys: 5 },
  ),
});

/** The index as JSON with other keys, blanks, escapes and a byte order mark. */
const text = fc
  .record({
    index,
    before: fc.boolean(),
    after: fc.boolean(),
    indent: fc.constantFrom(undefined, 2, '\t'),
    escaped: fc.boolean(),
    mark: fc.boolean(),
    tail: fc.constantFrom('', '\n', ' \r\n'),
  })
  .map(({ index, before, after, indent, escaped, mark, tail }) => {
    const more = { packages: {}, list: ['}', { a: 1 }], text: 'x\\"', no: null };
    const all = { ...(before ? { ...more, packages: index.packages } : index) };
    const json = JSON.stringify(after ? { ...all, more } : all, null, indent);
    const spelled = escaped ? json.replaceAll('example', '\\u0065xample') : json;
    return `${mark ? '\uFEFF' : ''}${spelled}${tail}`;
  });

/** Every query that a source supports. */
async function everything(source: PackageSource) {
  const repositories = await source.repositories!();
  const packages = [];
  for (const repository of repositories) {
    const tags = (await source.tags(repository, target))!;
    const fetched = [];
    for (const tag of tags) fetched.push(await source.fetch({ repository, version: tag }, target));
    packages.push({ tags, fetched });
  }
  const owners = [];
  for (const crd of CRDS) owners.push(await source.owners!({ crd }, target));
  return { repositories, packages, owners };
}

const unparsed = (bytes: Uint8Array) => indexSource(bytes, 'i.json', { parseWholeBytes: 0 });

test('on-demand parsing gives the same results as parsing the whole index', () =>
  fc.assert(
    fc.asyncProperty(text, async (json) => {
      const bytes = new TextEncoder().encode(json);
      const whole = await everything(memorySource(parseIndex(bytes, 'i.json')));
      expect(await everything(unparsed(bytes))).toEqual(whole);
      const fresh = unparsed(bytes);
      const owners = [];
      for (const crd of CRDS) owners.push(await fresh.owners!({ crd }, target));
      expect(owners).toEqual(whole.owners);
    }),
  ));

test('errors in a package are found when everything is read', () =>
  fc.assert(
    fc.asyncProperty(text, fc.nat(), fc.integer({ min: 0, max: 255 }), async (json, at, byte) => {
      const bytes = new TextEncoder().encode(json);
      bytes[at % bytes.length] = byte;
      let whole: IndexFile | undefined;
      try {
        whole = parseIndex(bytes, 'i.json');
      } catch {
        whole = undefined;
      }
      const read = async () => everything(unparsed(bytes));
      if (whole === undefined) await expect(read()).rejects.toMatchObject({ code: 'BAD_SOURCE' });
      else expect(await read()).toEqual(await everything(memorySource(whole)));
    }),
    { numRuns: 500 },
  ));

test('an error in a package has its position', async () => {
  const json = '{"packages":{"a":{"kind":"Provider","versions":{}},"b":{"kind":1},"c":{]}}}';
  const source = unparsed(Buffer.from(json.replace('{]}', '[}')));
  expect(await source.tags('a', target)).toEqual([]);
  await expect(source.tags('b', target)).rejects.toThrow('i.json: `packages.b.versions` must be');
  await expect(source.tags('c', target)).rejects.toThrow('i.json: `packages.c` is not JSON');
});
