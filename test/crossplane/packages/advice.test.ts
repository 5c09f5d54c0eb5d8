import { expect, test } from 'vitest';
import { lintWarnings } from '../../../src/crossplane/packages/advice.js';
import type { PackageContents } from '../../../src/crossplane/packages/package-contents.js';
import { contents, crd, target, xrd } from '../../support/contents.js';

function codes(about: PackageContents, on = 'v1.20.0'): string[] {
  const findings = lintWarnings(about, target(on));
  expect(findings.every(({ severity }) => severity === 'warning')).toBe(true);
  return findings.map(({ code }) => code);
}

test('a plain package has no warnings', () => {
  const plain = contents(
    {
      crossplane: { version: '>=v1.14.0-0' },
      dependsOn: [{ provider: 'xpkg.io/a/p', version: '>=v1.0.0' }],
      specKeys: ['crossplane', 'dependsOn'],
    },
    [xrd('xdbs.acme.io', 'dbs.acme.io')],
  );
  expect(codes(plain)).toEqual([]);
});

test('fields of the installing object have no effect in the package', () => {
  expect(codes(contents({ specKeys: ['dependsOn', 'skipDependencyResolution'] }))).toEqual([
    'misplaced-field',
  ]);
});

test.each([
  { version: '>=v1.14.0', want: ['prerelease-builds'], why: 'shuts out v1.20.0-up.1' },
  { version: '>=v1.14.0-0', want: [], why: 'lets it in' },
  { version: '>=v2.0.0', want: [], why: 'shuts out v1.20.0 itself' },
  { version: '>=v1.14.0-0, <v2.0.0', want: ['prerelease-builds'], why: '1.5.0 wants -0 in both' },
])('constraint $version $why', ({ version, want }) => {
  expect(codes(contents({ crossplane: { version } }))).toEqual(want);
});

test('a source without registry is a warning before v2 and refused there', () => {
  const short = contents({ dependsOn: [{ provider: 'a/p', version: '*' }] });
  expect(codes(short, 'v1.20.0')).toEqual(['unqualified-source']);
  expect(codes(short, 'v2.0.0')).toEqual([]);
});

test.each([
  { claimCrd: 'xdbs.acme.io', claimKind: 'Db', want: ['claim-names'], why: 'one plural' },
  { claimCrd: 'dbs.acme.io', claimKind: 'XDb', want: ['claim-names'], why: 'one kind' },
  { claimCrd: 'dbs.acme.io', claimKind: 'Db', want: [], why: 'nothing shared' },
])('claim $claimCrd, $claimKind of XRD xdbs.acme.io: $why', ({ claimCrd, claimKind, want }) => {
  const defines = { group: 'acme.io', kind: 'XDb', versions: ['v1'] };
  const object = { ...xrd('xdbs.acme.io', claimCrd), claimKind, defines };
  expect(codes(contents({}, [object]))).toEqual(want);
});

test('two CRDs of one group that define one kind cannot both be accepted', () => {
  const defines = { group: 'acme.io', kind: 'Db', versions: ['v1'] };
  const twice = [crd('dbs.acme.io', { defines }), crd('databases.acme.io', { defines })];
  expect(codes(contents({}, twice))).toEqual(['shared-kind']);
  expect(codes(contents({}, [twice[0]!, twice[0]!]))).toEqual([]);
});

test('an object without a name can never be installed', () => {
  expect(codes(contents({}, [xrd('')]))).toEqual(['unnamed-object']);
});

const DEFINES = { group: 'acme.io', kind: 'Db', versions: ['v1'] };

test.each([
  { names: [['db'], ['dbs']], want: [], why: 'nothing shared' },
  { names: [['db'], ['db']], want: ['short-name'], why: 'one short name for two kinds' },
  { names: [['DB'], []], want: ['short-name'], why: 'capitals' },
  { names: [['1db'], []], want: ['short-name'], why: 'begins with a digit' },
])('short names $names: $why', ({ names, want }) => {
  const objects = names.map((shortNames, i) =>
    crd(`dbs${i}.acme.io`, { defines: { ...DEFINES, kind: `Db${i}`, shortNames } }),
  );
  expect(codes(contents({}, objects))).toEqual(want);
});

const PLAIN = { plural: 'xdbs', scope: undefined, connectionSecretKeys: false, claimNames: false };

test.each([
  { version: 'v1', on: 'v1.20.0', spec: { claimNames: true }, want: 0, why: 'claims are of v1' },
  { version: 'v1', on: 'v1.20.0', spec: { scope: 'Namespaced' }, want: 1, why: 'not known yet' },
  { version: 'v1', on: 'v2.3.4', spec: { scope: 'Namespaced' }, want: 0, why: 'known' },
  {
    version: 'v1',
    on: 'v2.3.4',
    spec: { scope: 'Cluster', claimNames: true },
    want: 1,
    why: 'claims are of LegacyCluster',
  },
  { version: 'v2', on: 'v2.3.4', spec: { scope: 'Cluster' }, want: 0, why: 'known' },
  { version: 'v2', on: 'v2.3.4', spec: { scope: 'LegacyCluster' }, want: 1, why: 'of v1 alone' },
  {
    version: 'v2',
    on: 'v2.3.4',
    spec: { claimNames: true, connectionSecretKeys: true },
    want: 2,
    why: 'of v1 alone',
  },
  { version: 'v2', on: 'v2.3.4', spec: { plural: 'ydbs' }, want: 1, why: 'its name must follow' },
])('XRD $version on $on with $spec: $why', ({ version, on, spec, want }) => {
  const object = {
    ...xrd('xdbs.acme.io'),
    apiVersion: `apiextensions.crossplane.io/${version}`,
    defines: { ...DEFINES, kind: 'XDb' },
    composite: { ...PLAIN, ...spec },
  };
  expect(codes(contents({}, [object]), on)).toEqual(Array.from({ length: want }, () => 'xrd'));
});

test('findings about a field have its line', () => {
  const about = contents({
    line: 1,
    crossplane: { version: '>=v1.14.0' },
    specKeys: ['crossplane', 'packagePullPolicy'],
    specLines: { crossplane: 7, packagePullPolicy: 9 },
  });
  expect(lintWarnings(about, target('v1.20.0')).map(({ line }) => line)).toEqual([9, 7]);
});
