import { Ajv2020 } from 'ajv/dist/2020.js';
import {
  array,
  assert,
  asyncProperty,
  boolean,
  constantFrom,
  option,
  record,
  string,
  tuple,
  uniqueArray,
} from 'fast-check';
import { dump } from 'js-yaml';
import { expect, test } from 'vitest';
import { PACKAGE_SET_SCHEMA } from '../../../src/project/inputs/package-set-schema.js';
import { requestFromPackageSet, readInputs } from '../../../src/project/inputs/read-inputs.js';
import { InputError } from '../../../src/base/errors.js';
import type { JsonValue } from '../../../src/base/json.js';
import type { Request } from '../../../src/project/inputs/request.js';

const label = string({
  unit: constantFrom('a', 'b', 'x', 'z', '0', '9'),
  minLength: 2,
  maxLength: 8,
});
const repository = tuple(constantFrom('h.io', 'host:5000', 'acme'), label, label).map((parts) =>
  parts.join('/'),
);
const version = constantFrom(
  'v1.0.0',
  '>=v1.0.0, <2',
  '1.2',
  '*',
  'latest',
  `sha256:${'0a'.repeat(32)}`,
);
const spec = record(
  {
    revisionHistoryLimit: constantFrom(0, 1, 5),
    packagePullSecrets: array(record({ name: label }), { maxLength: 2 }),
    commonLabels: record({ a: string(), __proto__: string() }, { requiredKeys: [] }),
    ignoreCrossplaneConstraints: boolean(),
  },
  { requiredKeys: [] },
);
const entry = tuple(
  constantFrom('provider', 'configuration', 'function', 'package'),
  repository,
  record({ version, spec, prerelease: boolean() }, { requiredKeys: [] }),
).map(([subject, name, rest]) => ({ [subject]: name, ...rest }));

const packageSets = record({
  crossplane: option(constantFrom('v2.0.0', '>=v1.20.0'), { nil: undefined }),
  packages: uniqueArray(entry, { maxLength: 6, selector: (one) => Object.values(one)[0] }),
  exclude: array(record({ package: repository, version }), { maxLength: 3 }),
  defaults: record({ spec }),
}).map(
  (wanted): JsonValue =>
    JSON.parse(
      JSON.stringify({
        apiVersion: 'xpkg-resolve.dev/v1alpha1',
        kind: 'PackageSet',
        metadata: { name: 'generated' },
        spec: wanted,
      }),
    ) as JsonValue,
);

function withoutOrigins(request: Request): string {
  return JSON.stringify(request, (key, value: unknown) => (key === 'origin' ? undefined : value));
}

test('the schema is a valid draft 2020-12 schema', () => {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false });
  expect(ajv.validateSchema(PACKAGE_SET_SCHEMA)).toBe(true);
});

test('a PackageSet has the same content as a value, as YAML and as JSON', async () => {
  await assert(
    asyncProperty(packageSets, async (value) => {
      const want = withoutOrigins(await requestFromPackageSet(value));
      for (const text of [dump(value), JSON.stringify(value, null, 1)]) {
        const stdin = () => Promise.resolve(text);
        const { request } = await readInputs({ files: ['-'], refs: [], cwd: '.', stdin });
        expect(withoutOrigins(request)).toBe(want);
      }
    }),
    { numRuns: 30 },
  );
});

test('roots keep their order', async () => {
  await assert(
    asyncProperty(packageSets, async (value) => {
      const { roots } = await requestFromPackageSet(value);
      const written = [...dump(value).matchAll(/^ {4}- (?:\w+): (\S+)$/gm)].map(
        (match) => match[1],
      );
      const asked = roots.map((root) => root.root === 'package' && root.repository);
      expect(asked).toEqual(written.slice(0, asked.length));
    }),
    { numRuns: 30 },
  );
});

test.each([
  { why: 'no PackageSet', value: [] },
  {
    why: 'another version',
    value: { apiVersion: 'xpkg-resolve.dev/v2', kind: 'PackageSet', spec: {} },
  },
  { why: 'no spec', value: { apiVersion: 'xpkg-resolve.dev/v1alpha1', kind: 'PackageSet' } },
])('a value is validated like a file: $why', async ({ value }) => {
  await expect(requestFromPackageSet(value)).rejects.toThrow(InputError);
});
