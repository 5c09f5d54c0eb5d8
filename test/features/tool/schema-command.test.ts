import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020, type AnySchemaObject } from 'ajv/dist/2020.js';
import { load } from 'js-yaml';
import { expect, test } from 'vitest';
import { runCli } from '../../../src/commands.js';
import { OUTPUT_SCHEMAS } from '../../support/output-schemas.js';
import { formatLockfile } from '../../../src/project/lockfile/format-lockfile.js';
import { closedSchema } from '../../support/closed-schema.js';
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

test('package-set accepts a document with every field', async () => {
  const file = join(import.meta.dirname, '../../../fixtures/inputs/package-set.yaml');
  expect(await problems('package-set', load(readFileSync(file, 'utf8')))).toEqual([]);
});

test('lockfile accepts a written lockfile', async () => {
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
  { output: { ...SOLVED, packages: undefined }, admitted: false, why: 'an answer without content' },
  {
    output: { ...UNSOLVABLE, core: [{ kind: 'bad luck', text: '…' }] },
    admitted: false,
    why: 'a reason without a kind',
  },
])('resolve-output accepts ($admitted) $why', async ({ output, admitted }) => {
  const found = await problems('resolve-output', JSON.parse(JSON.stringify(output)));
  expect(found).toEqual(admitted ? [] : [expect.anything()]);
});

function index(versions: object) {
  return { packages: { 'h.io/a/q': { kind: 'Provider', versions } } };
}

const P = 'h.io/a/p';
const Q = 'h.io/a/q';
const DIGEST = `sha256:${'0'.repeat(64)}`;
/** More packages than CRDs to own: unsolvable, with a long proof. */
const CROWD = Array.from({ length: 9 }, (_, i) => `h.io/crowd/p${i}`);
const ONE_CRD_EACH = Object.fromEntries(
  Array.from({ length: 8 }, (_, i) => [`v1.${i}.0`, { crds: [`k${i}s.acme.io`] }]),
);
const NEEDS_NEWER = [{ provider: P, version: '>=v2.0.0' }];
const PACKAGES = {
  ...Object.fromEntries(CROWD.map((name) => [name, { kind: 'Provider', versions: ONE_CRD_EACH }])),
  [P]: { kind: 'Provider', versions: { 'v1.0.0': { digest: DIGEST } } },
  [Q]: {
    kind: 'Provider',
    versions: {
      'v1.0.0': { digest: DIGEST },
      'v1.1.0': { digest: DIGEST, dependsOn: NEEDS_NEWER },
    },
  },
};

test.each([
  { packages: [P], flags: [], status: 'solved' },
  { packages: [P, `${Q}:v1.1.0`], flags: [], status: 'unsolvable' },
  { packages: ['h.io/a/gone'], flags: [], status: 'unsolvable' },
  { packages: CROWD, flags: ['--timeout', '0'], status: 'gave-up' },
])('resolve-output has every field of a $status answer: $packages', async (each) => {
  const folder = mkdtempSync(join(tmpdir(), 'xpkg-resolve-'));
  writeFileSync(join(folder, 'index.json'), JSON.stringify({ packages: PACKAGES }));
  const io = fakeIo({ cwd: folder });
  const argv = ['resolve', ...each.packages, '--from', 'index:index.json', ...each.flags];
  await runCli([...argv, '--crossplane', 'v2.3.4', '-o', 'json'], io);
  rmSync(folder, { recursive: true });
  const output = JSON.parse(io.stdout()) as { status: string };
  expect(output.status).toBe(each.status);
  const closed = closedSchema(await schema('resolve-output')) as AnySchemaObject;
  const validate = new Ajv2020({ strict: false }).compile(closed);
  expect(validate(output) === true ? [] : validate.errors).toEqual([]);
});

test('index accepts the output of `index` and the example in the docs', async () => {
  const packages = join(import.meta.dirname, '../../../fixtures/packages');
  const io = fakeIo();
  expect(await runCli(['index', '--from', `dir:${packages}`], io)).toBe(0);
  expect(await problems('index', JSON.parse(io.stdout()))).toEqual([]);
  const version = {
    crossplane: '>=v1.12.1-0',
    digest: DIGEST,
    dependsOn: [{ provider: 'h.io/a/p', version: '>= 0.0.0' }],
    crds: ['buckets.s3.aws.upbound.io'],
    xrds: [{ name: 'xdbs.acme.io', claim: 'dbs.acme.io' }],
    compositions: ['xdb-aws'],
    phantom: true,
  };
  expect(await problems('index', index({ 'v1.0.0': version }))).toEqual([]);
  expect(await problems('index', index({ 'v1.0.0': { ...version, crds: [1] } }))).not.toEqual([]);
});

test.each(['package-set', 'lockfile', 'index', ...Object.keys(OUTPUT_SCHEMAS)])(
  'every field of %s is described, for editors',
  async (name) => {
    expect(undescribed(await schema(name), name)).toEqual([]);
  },
);

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
