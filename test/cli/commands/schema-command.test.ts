import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type AnySchemaObject } from 'ajv/dist/2020.js';
import { load } from 'js-yaml';
import { expect, test } from 'vitest';
import { runCli } from '../../../src/cli/run.js';
import { formatLockfile } from '../../../src/lock/format-lockfile.js';
import { fakeIo } from '../../support/fake-io.js';
import { locked, lockfileOf, needs } from '../../support/lockfiles.js';

async function schema(name: string): Promise<AnySchemaObject> {
  const io = fakeIo();
  expect(await runCli(['schema', name], io)).toBe(0);
  return JSON.parse(io.stdout()) as AnySchemaObject;
}

async function problems(name: string, value: unknown) {
  const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true });
  const validate = ajv.compile(await schema(name));
  return validate(value) === true ? [] : validate.errors;
}

const LOCKFILE = formatLockfile(
  lockfileOf([
    locked('h.io/a/p:v1.0.0', { owns: [{ kind: 'CRD', name: 'things.a.io' }] }),
    locked('h.io/a/c:v1.0.0', {
      kind: 'Configuration',
      crossplane: '>=v1.14.0',
      requirements: [needs('h.io/a/p >=v1.0.0')],
      object: { apiVersion: undefined, metadata: { labels: { a: 'b' } }, spec: {} },
    }),
  ]),
);

test('package-set admits the set that says all it can say', async () => {
  const file = join(import.meta.dirname, '../../../fixtures/inputs/package-set.yaml');
  expect(await problems('package-set', load(readFileSync(file, 'utf8')))).toEqual([]);
});

test('lockfile admits what is written', async () => {
  expect(await problems('lockfile', load(LOCKFILE))).toEqual([]);
  expect(
    await problems('lockfile', load(LOCKFILE.replace('version: 1', 'version: 2'))),
  ).not.toEqual([]);
});

const SOLVED = {
  schemaVersion: 1,
  status: 'solved',
  crossplane: 'v1.20.0',
  packages: [
    { source: 'h.io/a/p', version: 'v1.0.0', kind: 'Provider', name: 'a-p', direct: true },
  ],
  stats: { listed: 1, fetched: 1, bytes: 0, decisions: 1, conflicts: 0 },
};
const UNSOLVABLE = {
  schemaVersion: 1,
  status: 'unsolvable',
  explanation: 'Because …',
  core: [{ kind: 'missing', text: '…' }],
  suggestions: [],
};

test.each([
  { output: SOLVED, admitted: true, why: 'an answer' },
  { output: UNSOLVABLE, admitted: true, why: 'a refusal' },
  { output: { ...SOLVED, packages: undefined }, admitted: false, why: 'an answer of nothing' },
  {
    output: { ...UNSOLVABLE, core: [{ kind: 'bad luck', text: '…' }] },
    admitted: false,
    why: 'a reason of no kind',
  },
])('resolve-output admits ($admitted) $why', async ({ output, admitted }) => {
  const found = await problems('resolve-output', JSON.parse(JSON.stringify(output)));
  expect(found).toEqual(admitted ? [] : [expect.anything()]);
});

test('every field of every schema is described, for editors', async () => {
  for (const name of ['package-set', 'lockfile', 'resolve-output']) {
    expect(undescribed(await schema(name), name)).toEqual([]);
  }
});

function undescribed(part: unknown, path: string): string[] {
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([key, value]) => {
    const here = `${path}.${key}`;
    const fields: unknown = key === 'properties' ? value : {};
    const silent = Object.entries(fields as object).filter(
      ([, field]) =>
        typeof field === 'object' &&
        !('description' in field) &&
        !('$ref' in field) &&
        !('const' in field),
    );
    return [...silent.map(([field]) => `${here}.${field}`), ...undescribed(value, here)];
  });
}

test.each([[['schema']], [['schema', 'nothing']]])('%j is bad usage', async (argv) => {
  expect(await runCli(argv, fakeIo())).toBe(2);
});
