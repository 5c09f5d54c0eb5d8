import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatLockfile } from '../../src/lock/format-lockfile.js';
import type { LockedPackage, Lockfile } from '../../src/lock/lockfile.js';
import { byKindAndName } from '../../src/lock/owns-by-group.js';
import { parseLockfile } from '../../src/lock/parse-lockfile.js';
import { byCodePoint } from '../../src/model/code-point-order.js';
import { InputError } from '../../src/model/input-error.js';
import type { OwnedKind, Requirement } from '../../src/model/package-meta.js';
import type { Digest, JsonObject, PackageKind, Repository } from '../../src/model/package.js';
import { digestOf, locked, lockfileOf, needs } from '../support/lockfiles.js';

const platform = lockfileOf([
  locked('xpkg.acme.dev/acme/platform:v1.0.0', {
    kind: 'Configuration',
    direct: true,
    crossplane: '>=v1.20.0-0',
    requirements: [
      needs('xpkg.acme.dev/acme/provider-bucket >=v1.0.0, <v2.0.0'),
      { ...needs('Function xpkg.acme.dev/acme/fn *'), apiVersion: 'pkg.crossplane.io/v1' },
    ],
    owns: [
      { kind: 'Composition', name: 'xdb-aws' },
      { kind: 'XRD', name: 'xdbs.acme.dev' },
      { kind: 'claim', name: 'dbs.acme.dev' },
    ],
    object: { apiVersion: undefined, metadata: { labels: { tier: 'on' } }, spec: {} },
  }),
  locked('xpkg.acme.dev/acme/provider-bucket:v1.2.3', {
    manifest: digestOf('manifest'),
    owns: [
      { kind: 'CRD', name: 'buckets.s3.acme.dev' },
      { kind: 'CRD', name: 'tables.db.acme.dev' },
    ],
  }),
]);

test('reads well, and the same bytes every time', () => {
  expect(formatLockfile(platform)).toBe(`\
# Written by xpkg-resolve. Commit it; to change it, change what you ask for and resolve again.
version: 1
crossplane: v2.3.4
packages:
  - source: xpkg.acme.dev/acme/platform
    version: v1.0.0
    digest: ${digestOf('xpkg.acme.dev/acme/platform:v1.0.0')}
    kind: Configuration
    name: acme-platform
    direct: true
    crossplane: ">=v1.20.0-0"
    dependsOn:
      - provider: xpkg.acme.dev/acme/provider-bucket
        version: ">=v1.0.0, <v2.0.0"
      - apiVersion: pkg.crossplane.io/v1
        kind: Function
        package: xpkg.acme.dev/acme/fn
        version: "*"
    owns:
      acme.dev:
        XRD:
          - xdbs.acme.dev
        claim:
          - dbs.acme.dev
      apiextensions.crossplane.io:
        Composition:
          - xdb-aws
    object:
      metadata:
        labels:
          tier: "on"
  - source: xpkg.acme.dev/acme/provider-bucket
    version: v1.2.3
    digest: ${digestOf('xpkg.acme.dev/acme/provider-bucket:v1.2.3')}
    manifest: ${digestOf('manifest')}
    kind: Provider
    name: acme-provider-bucket
    direct: false
    owns:
      db.acme.dev:
        CRD:
          - tables.db.acme.dev
      s3.acme.dev:
        CRD:
          - buckets.s3.acme.dev
objects: []
skipDependencyResolution: []
`);
});

test('packages are sorted by source, in whatever order they come', () => {
  const reversed = { ...platform, packages: [...platform.packages].reverse() };
  expect(formatLockfile(reversed)).toBe(formatLockfile(platform));
});

describe('parsing undoes formatting', () => {
  const awkward = fc.constantFrom('no', '1e3', '0x1', '012', '~', '<<', '', 'a: b', '- x', ' #');
  const text = fc.oneof(fc.string({ unit: 'binary' }).filter(wellFormed), awkward);
  const json = fc.jsonValue({ stringUnit: 'grapheme', maxDepth: 3 });
  const object = fc.dictionary(text, json) as fc.Arbitrary<JsonObject>;
  const label = fc.stringMatching(/^[a-z][a-z0-9-]{1,8}$/);
  const repository = fc
    .tuple(label, label, label)
    .map(([host, org, name]) => `${host}.io/${org}/${name}` as Repository);
  const digest = fc.stringMatching(/^[0-9a-f]{64}$/).map((hex) => `sha256:${hex}` as Digest);
  const kind = fc.constantFrom<PackageKind>('Provider', 'Configuration', 'Function');
  const line = fc.constant(undefined);
  const requirement: fc.Arbitrary<Requirement> = fc.oneof(
    fc.record({
      requires: fc.constant('package' as const),
      repository,
      kind,
      apiVersion: optional(fc.constant('pkg.crossplane.io/v1')),
      constraint: text,
      line,
    }),
    fc.record({
      requires: fc.constant('crd' as const),
      demand: fc.oneof(
        fc.record({ crd: text }),
        fc.record({ group: text, version: optional(text), kind: text }),
      ),
      text,
      line,
    }),
  );
  const owned = fc.record({
    kind: fc.constantFrom<OwnedKind>('CRD', 'XRD', 'claim', 'MRD', 'Composition', 'CronOperation'),
    name: fc.oneof(fc.stringMatching(/^[a-z]{1,4}\.[a-z]{1,3}\.io$/), text),
  });
  const lockedPackage: fc.Arbitrary<LockedPackage> = fc.record({
    repository,
    version: fc.stringMatching(/^v[0-9]\.[0-9]\.[0-9](-rc\.[0-9])?$/),
    digest: optional(digest),
    manifest: optional(digest),
    baseLayer: optional(digest),
    packageYaml: optional(digest),
    kind,
    name: label,
    direct: fc.boolean(),
    crossplane: optional(text),
    requirements: fc.array(requirement, { maxLength: 3 }),
    owns: fc.array(owned, { maxLength: 4 }).map((owns) => owns.sort(byKindAndName)),
    object: fc.record({ apiVersion: optional(text), metadata: object, spec: object }),
  });
  const anyLockfile: fc.Arbitrary<Lockfile> = fc.record({
    crossplane: fc.constantFrom('v1.14.0', 'v1.20.0-up.1', 'v2.3.4'),
    packages: fc
      .uniqueArray(lockedPackage, { selector: (each) => each.repository, maxLength: 4 })
      .map((packages) => packages.map((each, index) => ({ ...each, name: `n${index}` })))
      .map((packages) => packages.sort((a, b) => byCodePoint(a.repository, b.repository))),
    objects: fc.array(object, { maxLength: 2 }),
    skipDependencyResolution: fc.array(text, { maxLength: 2 }),
  });

  test('for every lockfile', () => {
    fc.assert(
      fc.property(anyLockfile, (lockfile) => {
        const file = formatLockfile(lockfile);
        expect(parseLockfile(file, 'xpkg.lock.yaml')).toStrictEqual(plain(lockfile));
        expect(formatLockfile(parseLockfile(file, 'xpkg.lock.yaml'))).toBe(file);
      }),
    );
  });

  test('and a file cut short anywhere is refused', () => {
    const whole = formatLockfile(platform);
    fc.assert(
      fc.property(fc.nat({ max: whole.length - 2 }), (length) => {
        expect(() => parseLockfile(whole.slice(0, length), 'xpkg.lock.yaml')).toThrow(InputError);
      }),
    );
  });
});

describe('what is wrong is said with file and line', () => {
  const good = formatLockfile(platform);
  test.each([
    { from: 'version: 1', to: 'version: 2', line: 2, says: 'newer', why: 'a later format' },
    { from: 'version: 1', to: 'version: one', line: 2, says: 'integer', why: 'no number' },
    {
      from: 'crossplane: v2.3.4',
      to: 'crossplane: two',
      line: 3,
      says: 'release',
      why: 'no release',
    },
    { from: 'kind: Configuration', to: 'kind: Config', line: 8, says: 'kind', why: 'no such kind' },
    { from: 'direct: true', to: 'direct: maybe', line: 10, says: 'direct', why: 'no boolean' },
    { from: 'name: acme-platform', to: 'nam: x', line: 9, says: 'nam', why: 'an unknown field' },
    { from: 'digest: sha256:', to: 'digest: sha512:', line: 7, says: 'digest', why: 'no SHA-256' },
    { from: 'version: v1.0.0', to: 'version: "v1 0"', line: 6, says: 'tag', why: 'no tag' },
    { from: '"*"', to: '*', line: 18, says: 'YAML', why: 'no YAML' },
    {
      from: 'name: acme-provider-bucket',
      to: 'name: acme-platform',
      line: 32,
      says: 'second',
      why: 'one name twice',
    },
    {
      from: 'xpkg.acme.dev/acme/provider-bucket\n    version: v1.2.3',
      to: 'xpkg.acme.dev/acme/platform\n    version: v1.2.3',
      line: 32,
      says: 'second',
      why: 'one source twice',
    },
    { from: 'XRD:', to: 'CRDs:', line: 21, says: 'kind', why: 'nothing packages own' },
  ])('$why: line $line', ({ from, to, line, says }) => {
    const bad = good.replace(from, to);
    expect(bad).not.toBe(good);
    const error = refusal(bad);
    expect(error.origin).toEqual({ file: 'xpkg.lock.yaml', line });
    expect(error.message).toContain(says);
  });

  test.each([
    { text: '', why: 'an empty file' },
    { text: '# nothing\n', why: 'a comment alone' },
    { text: '- a\n', why: 'a list' },
    { text: `${formatLockfile(platform)}---\n{}\n`, why: 'two documents' },
    { text: '<<<<<<< ours\nversion: 1\n', why: 'a merge conflict' },
  ])('$why', ({ text }) => {
    expect(refusal(text).message).toContain('xpkg.lock.yaml');
  });
});

function refusal(text: string): InputError {
  try {
    parseLockfile(text, 'xpkg.lock.yaml');
  } catch (error) {
    if (error instanceof InputError) return error;
    throw error;
  }
  throw new Error('it was read');
}

function optional<T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.option(value, { nil: undefined });
}

function wellFormed(text: string): boolean {
  return !/[\ud800-\udfff]/u.test(text);
}

/** Without the prototypes that generators vary. */
function plain<T>(value: T): T {
  return structuredClone(value);
}
