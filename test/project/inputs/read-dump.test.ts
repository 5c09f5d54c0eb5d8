import { join } from 'node:path';
import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { DumpSplitter } from '../../../src/project/inputs/split-dump.js';
import { DumpReader } from '../../../src/project/inputs/read-dump.js';
import { readDump } from '../../support/read-dump.js';
import type { Lockfile } from '../../../src/project/lockfile/lockfile.js';
import { InputError } from '../../../src/base/errors.js';
import { resolvedDemo } from '../../support/demo-lockfile.js';
import {
  asJsonList,
  asYamlList,
  asYamlStream,
  madeUpCluster,
} from '../../support/made-up-cluster.js';

const DUMPS = join(import.meta.dirname, '../../../fixtures/dumps');
const RELEASES = ['v1.14.0', 'v1.17.0', 'v1.20.11', 'v2.0.2', 'v2.3.4', 'v2.4.0-rc.0'];

let demo: Lockfile;

beforeAll(async () => {
  demo = await resolvedDemo();
});

const read = (text: string) => readDump([{ file: 'cluster.yaml', text }]);

/** Removes the origins, which depend on the format of the dump. */
function withoutOrigins(value: unknown): unknown {
  const text = JSON.stringify(value, (key, member: unknown) =>
    key === 'origin' ? undefined : member,
  );
  return JSON.parse(text);
}

describe.each(RELEASES)('a dump of Crossplane %s', (crossplane) => {
  test('has a fixture (`vitest -u` writes it again) and is read', async () => {
    const text = asYamlList(madeUpCluster({ ...demo, crossplane }));
    await expect(text).toMatchFileSnapshot(join(DUMPS, `${crossplane}.yaml`));
    const dump = read(text);
    expect(dump.packages).toHaveLength(demo.packages.length);
    expect(dump.revisions).toHaveLength(demo.packages.length);
    expect(dump.lock?.rows).toHaveLength(demo.packages.length);
    expect(dump.crossplane?.version).toBe(crossplane);
  });

  test('has the same content as a List, as documents, as JSON, and with managed fields', () => {
    const objects = madeUpCluster({ ...demo, crossplane });
    const managed = madeUpCluster({ ...demo, crossplane }, { managedFields: true });
    const said = withoutOrigins(read(asYamlList(objects)));
    for (const text of [
      asYamlStream(objects),
      asJsonList(objects),
      JSON.stringify({ kind: 'List', apiVersion: 'v1', items: objects }),
      objects.map((object) => JSON.stringify(object)).join('\n'),
      `# a comment\n---\n${asYamlList(objects.slice(0, 3))}---\n${asYamlList(objects.slice(3))}`,
      asYamlList(objects).replaceAll('\n', '\r\n'),
      asYamlList(managed),
      asJsonList(managed),
    ]) {
      expect(withoutOrigins(read(text))).toEqual(said);
    }
  });
});

test('the result does not depend on the boundaries of chunks', () => {
  const objects = madeUpCluster(demo, { managedFields: true }).slice(0, 6);
  objects[1]!.metadata.annotations = { odd: '"{[\\\\"}]: \n- kind: x\n---\n' };
  const texts = [
    asYamlList(objects).replaceAll('\n', '\r\n'),
    `\n\n${asYamlStream(objects)}`,
    asJsonList(objects),
    `\uFEFF  ${objects.map((object) => JSON.stringify(object)).join('\n')}`,
  ];
  const said = texts.map((text) => readDump([{ file: 'f', text }]));
  const cuts = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(fc.nat(texts.length - 1), cuts, (which, sizes) => {
      const text = texts[which]!;
      const reader = new DumpReader();
      const taker = reader.file('f');
      for (let at = 0, n = 0; at < text.length; n += 1) {
        const size = sizes[n % sizes.length]!;
        taker.push(text.slice(at, at + size));
        at += size;
      }
      taker.end();
      expect(reader.dump).toEqual(said[which]);
    }),
    { numRuns: 60 },
  );
});

test('objects that occur in two texts count once', () => {
  const text = asYamlList(madeUpCluster(demo));
  const twice = readDump([
    { file: 'a.yaml', text },
    { file: 'b.yaml', text },
  ]);
  expect(twice).toEqual(readDump([{ file: 'a.yaml', text }]));
});

test('dumps of two clusters are rejected', () => {
  const objects = madeUpCluster(demo);
  const others = structuredClone(objects);
  others[3]!.metadata.uid = 'of-another';
  expect(() => read(asYamlStream([...objects, ...others]))).toThrow(/of two clusters/);
});

test('objects have the line where they begin', () => {
  const text = asYamlList(madeUpCluster(demo));
  for (const { name, origin } of read(text).packages) {
    const after = text.split('\n').slice(origin.line! - 1);
    expect(after[0]).toMatch(/^- apiVersion: pkg/);
    expect(after.findIndex((line) => line === `    name: ${name}`)).toBeLessThan(20);
  }
});

test("objects of the cluster's resolver are distinguished from those of users", () => {
  const direct = demo.packages.filter((locked) => locked.direct).map(({ name }) => name);
  for (const managedFields of [false, true]) {
    const { packages } = read(asYamlList(madeUpCluster(demo, { managedFields })));
    const users = packages.filter(({ isUserCreated }) => isUserCreated).map(({ name }) => name);
    expect(users.sort()).toEqual(direct.sort());
  }
});

describe('a truncated dump', () => {
  test.each(['yaml', 'json'])('as %s is rejected for any length', (form) => {
    const objects = madeUpCluster(demo).slice(0, 4);
    const text = form === 'yaml' ? asYamlList(objects) : asJsonList(objects);
    const end = form === 'yaml' ? text.indexOf('\nkind: List') : text.trimEnd().length - 1;
    for (let at = 40; at < end; at += 97) {
      expect(() => read(text.slice(0, at)), `${at}`).toThrow(InputError);
    }
  });
});

describe('secrets', () => {
  const SECRET = 'c3VwZXJzZWNyZXQ=';
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'regcred', annotations: { note: SECRET } },
    data: { '.dockerconfigjson': SECRET },
    type: 'kubernetes.io/dockerconfigjson',
  };

  test('are ignored, and the last applied configuration is dropped', () => {
    const objects = madeUpCluster(demo);
    for (const { metadata } of objects) {
      metadata.annotations = {
        ...metadata.annotations,
        'kubectl.kubernetes.io/last-applied-configuration': SECRET,
      };
    }
    for (const text of [asYamlList([secret, ...objects]), asJsonList([secret, ...objects])]) {
      const dump = read(text);
      expect(JSON.stringify([dump, [...dump.ignored]])).not.toContain(SECRET);
      expect(dump.ignored).toEqual(new Map([['Secret', 1]]));
    }
  });

  test.each([
    `apiVersion: v1\nkind: Provider\ndata:\n  a: "${SECRET}\n`,
    `kind: Provider\n  password: ${SECRET}\n : x`,
    `{"kind": "Provider", "data" "${SECRET}"}`,
  ])('are not quoted in messages about invalid text: %#', (text) => {
    expect(() => read(text)).toThrow(/what it says is not shown/);
    expect(() => read(text)).not.toThrow(SECRET);
  });
});

test('lists in another style than that of kubectl are read', () => {
  const objects = madeUpCluster(demo).slice(0, 3);
  const said = withoutOrigins(read(asYamlStream(objects)));
  const flow = `apiVersion: v1\nkind: List\nitems: ${JSON.stringify(objects)}\n`;
  const indented = asYamlList(objects).replace(/(?<=items:\n)[^]*(?=kind: List)/, (items) =>
    items.replaceAll(/^/gm, '  ').trimEnd().concat('\n'),
  );
  expect(indented).toMatch(/^ {2}- apiVersion/m);
  for (const text of [flow, indented]) expect(withoutOrigins(read(text))).toEqual(said);
});

test('a text that is not a dump is rejected', () => {
  expect(() => read('just words')).toThrow(/no dump of Kubernetes objects/);
  expect(read('').packages).toEqual([]);
});

test('ignored objects are not parsed', () => {
  const crd = 'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nx: [\n';
  expect(read(`${crd}---\n${crd}`).ignored).toEqual(new Map([['CustomResourceDefinition', 2]]));
});

test('an object that is too large for an API server is rejected', () => {
  const text = `kind: Provider\nx: ${'a'.repeat(9 * 1024 * 1024)}\n`;
  expect(() => [...new DumpSplitter('f').push(text)]).toThrow(/no API server takes/);
});

test('the release is read only from the Deployment of Crossplane', () => {
  const objects = madeUpCluster(demo).filter(({ kind }) => kind === 'Deployment');
  expect(read(asYamlStream(objects)).crossplane?.version).toBe(demo.crossplane);
  objects[0]!.metadata.name = 'crossplane-rbac-manager';
  expect(read(asYamlStream(objects)).crossplane).toBeUndefined();
});
