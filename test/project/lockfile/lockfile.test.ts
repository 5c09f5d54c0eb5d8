import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatLockfile } from '../../../src/project/lockfile/format-lockfile.js';
import { parseLockfile } from '../../../src/project/lockfile/parse-lockfile.js';
import { InputError } from '../../../src/base/errors.js';
import type { JsonObject } from '../../../src/base/json.js';
import { lockfile as generated } from '../../../src/testing/generators/lockfile.js';
import { digestOf, locked, lockfileOf, needs } from '../../support/lockfiles.js';

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

const KEPT: JsonObject = {
  apiVersion: 'pkg.crossplane.io/v1beta1',
  kind: 'ImageConfig',
  metadata: { name: 'kept' },
};

test('a formatted lockfile is readable and always has the same bytes', () => {
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

test('packages are sorted by source for any input order', () => {
  const reversed = { ...platform, packages: [...platform.packages].reverse() };
  expect(formatLockfile(reversed)).toBe(formatLockfile(platform));
});

describe('parsing a formatted lockfile returns the same lockfile', () => {
  const anyLockfile = generated({ packages: 4, undigested: 0.4, customized: 0.7, awkward: 0.8 });

  test('for every lockfile', () => {
    fc.assert(
      fc.property(anyLockfile, (lockfile) => {
        const file = formatLockfile(lockfile);
        expect(parseLockfile(file, 'xpkg.lock.yaml')).toStrictEqual(plain(lockfile));
        expect(formatLockfile(parseLockfile(file, 'xpkg.lock.yaml'))).toBe(file);
      }),
    );
  });

  test('a file truncated at any place is rejected', () => {
    const whole = formatLockfile(platform);
    fc.assert(
      fc.property(fc.nat({ max: whole.length - 2 }), (length) => {
        expect(() => parseLockfile(whole.slice(0, length), 'xpkg.lock.yaml')).toThrow(InputError);
      }),
    );
  });
});

test('a lockfile with one change is read, or rejected with the line', () => {
  const text = formatLockfile(platform);
  const lines = text.split('\n');
  const junk = fc.constantFrom('null', '1', '""', 'true', '[]', '{}', '[a]', '{a: 1}', '{crd: 1}');
  fc.assert(
    fc.property(fc.nat({ max: lines.length - 2 }), junk, (at, value) => {
      const changed = lines.with(at, lines[at]!.replace(/(: |- (?!.*: )).*$/, `$1${value}`));
      try {
        expect(formatLockfile(parseLockfile(changed.join('\n'), 'l.yaml'))).toContain('version: 1');
      } catch (error) {
        expect(error).toBeInstanceOf(InputError);
        expect((error as InputError).origin?.line).toBeGreaterThan(0);
      }
    }),
  );
});

describe('mistakes are reported with file and line', () => {
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
    { from: 'name: acme-platform', to: 'name: A B', line: 9, says: 'name', why: 'no name' },
    { from: 'name: acme-platform', to: 'name: a..b', line: 9, says: 'name', why: 'no DNS name' },
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
    {
      from: '    direct: true\n',
      to: '',
      line: 5,
      says: 'direct` is missing',
      why: 'a field less',
    },
    {
      from: 'version: ">=v1.0.0, <v2.0.0"',
      to: 'version: 1',
      line: 14,
      says: 'dependsOn[0].version` must be a string',
      why: 'a constraint that is a number',
    },
    {
      from: 'version: ">=v1.0.0, <v2.0.0"',
      to: 'function: xpkg.acme.dev/acme/fn',
      line: 13,
      says: 'dependsOn[0].version` is missing',
      why: 'two packages in one entry',
    },
    {
      from: '        version: "*"\n',
      to: '',
      line: 15,
      says: 'dependsOn[1].version` is missing',
      why: 'an entry cut short',
    },
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
    { text: `${good}version: 1\n`, why: 'a key twice' },
    { text: good.replace('version: 1', 'version: !vendor 1'), why: 'a custom tag' },
    { text: good.replace('e: v2.3.4', 'e: !!binary djIuMy40'), why: 'a tag of YAML 1.1' },
    {
      text: good.replace('e: v2.3.4', 'e: &v v2.3.4').replace('version: v1.0.0', 'version: *v'),
      why: 'aliases, which it never has',
    },
    {
      text: `__proto__:\n${good.replaceAll(/^(?!#)/gm, '  ')}`,
      why: 'fields inherited by way of `__proto__`',
    },
    {
      text: formatLockfile({ ...platform, objects: [{ ...KEPT, spec: nested(200) }] }),
      why: 'nesting without end',
    },
  ])('$why', ({ text }) => {
    expect(refusal(text).message).toContain('xpkg.lock.yaml');
  });
});

describe('metadata that would change the owner of an object is rejected', () => {
  const good = formatLockfile({ ...platform, objects: [KEPT] });
  const METADATA = [
    'creationTimestamp',
    'deletionGracePeriodSeconds',
    'deletionTimestamp',
    'finalizers',
    'generateName',
    'generation',
    'managedFields',
    'namespace',
    'ownerReferences',
    'resourceVersion',
    'selfLink',
    'uid',
    'anything',
  ];

  test.each(['name', ...METADATA])('`object.metadata.%s`', (field) => {
    const text = good.replace('      metadata:\n', `$&        ${field}: [x]\n`);
    const { message, origin } = refusal(text);
    expect(origin?.line).toBe(text.split('\n').indexOf(`        ${field}: [x]`) + 1);
    expect(message).toContain(`packages[0].object.metadata.${field}\` is not for a lockfile`);
  });

  test.each(METADATA)('`objects[].metadata.%s`', (field) => {
    const text = good.replace('    metadata:\n      name: kept\n', `$&      ${field}: [x]\n`);
    const { message, origin } = refusal(text);
    expect(origin?.line).toBe(text.split('\n').indexOf(`      ${field}: [x]`) + 1);
    expect(message).toContain(`objects[0].metadata.${field}\` is not for a lockfile`);
  });

  test.each([
    {
      why: 'another package',
      from: '      metadata:\n',
      to: '      spec: {package: x.io/evil/p:v1}\n$&',
      says: 'packages[0].object.spec.package',
    },
    {
      why: 'an object of a kind that is not kept',
      from: 'kind: ImageConfig',
      to: 'kind: Lock',
      says: 'objects[0].kind',
    },
    {
      why: 'an object without a name',
      from: '      name: kept\n',
      to: '      labels: {}\n',
      says: 'objects[0].metadata.name',
    },
    {
      why: 'a status',
      from: '    kind: ImageConfig\n',
      to: '$&    status: {}\n',
      says: 'objects[0].status',
    },
  ])('$why', ({ from, to, says }) => {
    const text = good.replace(from, to);
    expect(text).not.toBe(good);
    const { message, origin } = refusal(text);
    expect(message).toContain(says);
    expect(origin?.line).toBeGreaterThan(4);
  });
});

test('names of prototype members are ordinary keys of an object', () => {
  const text =
    '{"kind":"ImageConfig","metadata":{"name":"x"},"__proto__":{"a":1},"constructor":{"prototype":2}}';
  const object = JSON.parse(text) as JsonObject;
  const file = formatLockfile({ ...platform, objects: [object] });
  const { objects } = parseLockfile(file, 'xpkg.lock.yaml');
  expect(JSON.stringify(objects)).toBe(`[${text}]`);
  expect(formatLockfile({ ...platform, objects })).toBe(file);
});

function nested(depth: number): JsonObject {
  return depth === 0 ? {} : { a: nested(depth - 1) };
}

function refusal(text: string): InputError {
  try {
    parseLockfile(text, 'xpkg.lock.yaml');
  } catch (error) {
    if (error instanceof InputError) return error;
    throw error;
  }
  throw new Error('it was read');
}

/** Removes the prototypes, which generators vary. */
function plain<T>(value: T): T {
  return structuredClone(value);
}

test('signers of all kinds are written and read', () => {
  const common = { policy: 'signed', authority: 'release', digest: digestOf('signature') };
  const set = lockfileOf([
    locked('x.io/a/keyed:v1.0.0', { signature: { ...common, key: digestOf('key') } }),
    locked('x.io/a/named:v1.0.0', {
      signature: {
        ...common,
        key: undefined,
        subject: 'dev@acme.dev',
        issuer: 'https://accounts.acme.dev',
        predicateType: 'https://spdx.dev/Document',
      },
    }),
  ]);
  const text = formatLockfile(set);
  expect(parseLockfile(text, 'xpkg.lock.yaml')).toEqual(set);
  for (const [from, to] of [
    ['authority: release', 'authorities: release'],
    ['policy: signed', 'policy: []'],
    [`digest: ${digestOf('signature')}`, 'digest: none'],
  ] as const) {
    expect(() => parseLockfile(text.replace(from, to), 'xpkg.lock.yaml')).toThrow(InputError);
  }
});

test('prefixes of longer tags are written and read; unread tags differ from no tags', () => {
  const set = lockfileOf([
    locked('x.io/a/asked:v1.4.1', { longerTags: ['v1.4.1-', 'v1.4.10'] }),
    locked('x.io/a/none:v1.0.0', { longerTags: [] }),
    locked('x.io/a/unasked:v1.0.0'),
  ]);
  const text = formatLockfile(set);
  expect(parseLockfile(text, 'xpkg.lock.yaml')).toEqual(set);
  expect(text.match(/longerTags/g)).toHaveLength(2);
  for (const [to, why] of [
    ['v1.4.1', 'the locked tag, of which a pin alone speaks'],
    ['v1.4.1-rc', 'longer than it needs to be'],
    ['v1.5.0', 'another tag'],
    ['v1.4.1+', 'no tag'],
  ] as const) {
    const edited = text.replace('v1.4.10', to);
    expect(() => parseLockfile(edited, 'xpkg.lock.yaml'), why).toThrow(/longerTags/);
  }
});
