import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readInputs } from '../../../src/project/inputs/read-inputs.js';
import { formatOrigin, InputError } from '../../../src/base/errors.js';
import { policyDocument } from '../../../src/project/inputs/policy.js';

let cwd: string;

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'policy-'));
});

afterEach(() => rmSync(cwd, { recursive: true }));

/** Reads a PackageSet whose policy begins on the fourth line. */
async function read(policy: string, file = 'xpkg.yaml') {
  const lines = ['apiVersion: xpkg-resolve.dev/v1alpha1', 'kind: PackageSet', 'spec:', policy];
  writeFileSync(join(cwd, file), lines.join('\n'));
  return (await readInputs({ files: [file], refs: [], cwd, stdin: async () => '' })).request;
}

test('a policy is read with the origins of its rules, and formatted unchanged', async () => {
  const { policies } = await read(
    `  policy:
    registries: [xpkg.upbound.io/upbound, localhost:5000]
    deny:
      - package: xpkg.upbound.io/upbound/provider-x
        version: <v1.2.0
        reason: CVE-1
      - package: ghcr.io
    minimumAge: 7d
    minimumAgeExcept: [ghcr.io/acme, "ghcr.io/b/p@>=v1.0.0"]`,
  );
  const [policy] = policies!;
  expect(policyDocument(policy!)).toEqual({
    registries: ['xpkg.upbound.io/upbound', 'localhost:5000'],
    deny: [
      { package: 'xpkg.upbound.io/upbound/provider-x', version: '<v1.2.0', reason: 'CVE-1' },
      { package: 'ghcr.io' },
    ],
    minimumAge: '7d',
    minimumAgeExcept: ['ghcr.io/acme', 'ghcr.io/b/p@>=v1.0.0'],
    unknownAge: 'refuse',
  });
  const { registries, deny, minimumAge } = policy!;
  const places = [registries!, ...deny, minimumAge!].map(({ origin }) => formatOrigin(origin));
  expect(places).toEqual(['xpkg.yaml:5', 'xpkg.yaml:7', 'xpkg.yaml:10', 'xpkg.yaml:11']);
});

test.each([
  ['    registries: []', 5, /must not be empty/],
  ['    registries: [https://h.io]', 5, /names no registry/, /before `\/\/`/],
  ['    registries: ["h.io/*"]', 5, /names no registry/, /leave out `\*`/],
  ['    registries: [acme/provider]', 5, /names no registry/, /write the host/],
  ['    registries: [h.io/acme/p:v1]', 5, /names no registry/, /version does not belong/],
  ['    deny: [{ version: v1.0.0 }]', 5, /lacks `package`/],
  [
    `    deny: [{ package: h.io/a/p, version: "sha256:${'0a'.repeat(32)}" }]`,
    5,
    /constraint or a tag/,
  ],
  ['    minimumAge: 7', 5, /must be text: write `"7"`/],
  ['    minimumAge: 7 days', 5, /must be a duration/],
  ['    unknownAge: allow', 4, /says nothing without `minimumAge`/],
  ['    minimumAge: 7d\n    unknownAge: maybe', 6, /must be one of `refuse`, `allow`/],
  ['    minimumage: 7d', 5, /did you mean `minimumAge`/],
])('a mistake is reported with its line: %s', async (policy, line, message, hint = /^/) => {
  const error: unknown = await read(`  policy:\n${policy}`).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(InputError);
  const { origin, hint: told = '' } = error as InputError;
  expect((error as InputError).message).toMatch(message);
  expect(formatOrigin(origin!)).toBe(`xpkg.yaml:${line}`);
  expect(told).toMatch(hint);
});

test('the policies of all included files apply together', async () => {
  await read('  policy: { minimumAge: 30d }', 'company.yaml');
  const { policies } = await read(
    '  include: [company.yaml]\n  policy: { minimumAge: 1d, minimumAgeExcept: [ghcr.io] }',
  );
  const ages = policies!.map(
    ({ minimumAge }) => `${minimumAge!.text} ${minimumAge!.except.length}`,
  );
  expect(ages.sort()).toEqual(['1d 1', '30d 0']);
});
