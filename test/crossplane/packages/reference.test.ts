import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  isTag,
  joinReference,
  parseReference,
  repositoryProblem,
  sameRepository,
  splitPackageReference,
  validPackageReference,
} from '../../../src/crossplane/packages/reference.js';
import { targetFor, type Target } from '../../../src/crossplane/releases/target.js';

const HEX = 'c88b938d6e7b2ed43d40b71e5a55df9c60fa653bea0c0961f3294fac46d5b56e';
const DIGEST = `sha256:${HEX}`;

function target(version: string): Target {
  return targetFor(version)!;
}

describe('isTag', () => {
  test.each([
    { tag: 'v1.2.3-rc.1', want: true, why: 'letters, digits, dots and dashes' },
    { tag: '_v1', want: true, why: 'an underscore first' },
    { tag: 'v'.repeat(128), want: true, why: '128 characters' },
    { tag: 'v'.repeat(129), want: false, why: '129 characters' },
    { tag: '.v1', want: false, why: 'a dot first' },
    { tag: '-v1', want: false, why: 'a dash first' },
    { tag: 'v1+build', want: false, why: 'no plus' },
    { tag: '', want: false, why: 'nothing' },
  ])('`$tag` → $want: $why', ({ tag, want }) => {
    expect(isTag(tag)).toBe(want);
  });
});

describe('parseReference', () => {
  test.each([
    {
      text: 'xpkg.upbound.io/upbound/provider-aws:v1.0.0',
      name: 'xpkg.upbound.io/upbound/provider-aws',
      identifier: 'v1.0.0',
      why: 'registry, path, tag',
    },
    {
      text: 'registry.local:5000/a/b',
      name: 'registry.local:5000/a/b',
      identifier: 'latest',
      why: 'a colon before a slash is a port',
    },
    {
      text: 'localhost/foo:v1',
      name: 'index.docker.io/localhost/foo',
      identifier: 'v1',
      why: 'no dot and no colon: no registry',
    },
    {
      text: 'docker.io/x/p:v1',
      name: 'index.docker.io/x/p',
      identifier: 'v1',
      why: 'docker.io is an alias',
    },
    {
      text: 'nginx',
      name: 'index.docker.io/library/nginx',
      identifier: 'latest',
      why: 'Docker Hub implies library/',
    },
    {
      text: `xpkg.io/a/b:v1.0.0@${DIGEST}`,
      name: 'xpkg.io/a/b',
      identifier: DIGEST,
      why: 'a digest makes the tag void',
    },
    {
      text: `[::1]:5000/a/b@${DIGEST}`,
      name: '[::1]:5000/a/b',
      identifier: DIGEST,
      why: 'an IPv6 host',
    },
  ])('$text → $name, $identifier: $why', ({ text, name, identifier }) => {
    expect(parseReference(text)).toMatchObject({ text, name, identifier });
  });

  test.each([
    { text: '', why: 'nothing' },
    { text: 'a', why: 'a path of one character' },
    { text: 'xpkg.io/A/B:v1', why: 'upper case in the path' },
    { text: 'xpkg.io/a/b:v1+build', why: 'no plus in tags' },
    { text: `xpkg.io/a/b:${'v'.repeat(129)}`, why: 'a tag of 129 characters' },
    { text: 'xpkg.io/a/b:.v1', why: 'no registry has a tag that begins with a dot' },
    { text: 'xpkg.io/a/b:v1:v1.2.3', why: 'two tags' },
    { text: `xpkg.io/a/b@${DIGEST}@${DIGEST}`, why: 'two digests' },
    { text: `xpkg.io/a/b@sha256:${HEX.slice(1)}`, why: 'a short digest' },
    { text: `xpkg.io/a/b@sha256:${HEX.toUpperCase()}`, why: 'an upper-case digest' },
    { text: 'user@xpkg.io/a/b:v1', why: 'a user is no part of a registry' },
    { text: 'xpkg.io:port/a/b:v1', why: 'a port is a number' },
    { text: 'xpkg.io/a/b:', why: 'an empty tag, unless the release says latest' },
  ])('`$text` is not a reference: $why', ({ text }) => {
    expect(parseReference(text)).toBeUndefined();
  });

  test.each([
    { text: 'xpkg.io/a/b:v1', want: true },
    { text: `xpkg.io/a/b@${DIGEST}`, want: true },
    { text: 'xpkg.io/a/b', want: false },
    { text: 'a/b:v1', want: false },
    { text: 'docker.io/nginx:v1', want: false },
    { text: 'docker.io/library/nginx:v1', want: true },
  ])('$text is a strict reference: $want', ({ text, want }) => {
    expect(parseReference(text, { strict: true }) !== undefined).toBe(want);
  });

  test('an unqualified reference is pulled from the default registry', () => {
    expect(parseReference('acme/cfg:v1', { defaultRegistry: 'xpkg.crossplane.io' })?.name).toBe(
      'xpkg.crossplane.io/acme/cfg',
    );
    expect(parseReference('acme/cfg:v1', { defaultRegistry: '' })?.name).toBe('acme/cfg');
  });
});

describe('splitPackageReference', () => {
  test.each([
    {
      text: 'xpkg.upbound.io/upbound/provider-aws-s3:v1.2.3',
      source: 'xpkg.upbound.io/upbound/provider-aws-s3',
      version: 'v1.2.3',
    },
    {
      text: 'docker.io/hasheddan/xpkg-test:v0.1.0',
      source: 'docker.io/hasheddan/xpkg-test',
      version: 'v0.1.0',
    },
    { text: `acme/foo@${DIGEST}`, source: 'acme/foo', version: DIGEST },
    { text: 'acme/foo', source: 'acme/foo', version: 'latest' },
    { text: `xpkg.io/a/b:v1.0.0@${DIGEST}`, source: 'xpkg.io/a/b:v1.0.0', version: DIGEST },
    { text: 'acme/foo-latest', source: 'acme/foo-', version: 'latest' },
    { text: 'acme/foo:', source: 'acme/foo', version: 'latest' },
  ])('$text → $source, $version', ({ text, source, version }) => {
    expect(splitPackageReference(text)).toEqual({ source, version });
  });

  test('`repo:` is not a reference from v1.20.2 on', () => {
    expect(splitPackageReference('acme/foo:', target('v1.20.1'))?.version).toBe('latest');
    expect(splitPackageReference('acme/foo:', target('v1.20.2'))).toBeUndefined();
  });

  test('undoes joinReference for every valid repository', () => {
    const part = fc.stringMatching(/^[a-z0-9]([a-z0-9_-]{0,8}[a-z0-9])?$/);
    const repository = fc
      .tuple(part, part, part)
      .map(([host, org, name]) => `${host}.io/${org}/${name}`);
    const version = fc.oneof(
      fc.constant(DIGEST),
      fc.stringMatching(/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,20}$/),
    );
    fc.assert(
      fc.property(repository, version, (source, version) => {
        expect(splitPackageReference(joinReference(source, version))).toEqual({ source, version });
      }),
    );
  });
});

describe('on a target', () => {
  test.each([
    { text: 'xpkg.upbound.io/upbound/provider-aws:v1.0.0', v1: true, v2: true },
    { text: 'registry.local:5000/a/b:v1', v1: true, v2: true },
    { text: '127.0.0.1:5000/a/b:v1', v1: true, v2: true },
    { text: `xpkg.io/a/b@${DIGEST}`, v1: true, v2: true },
    { text: 'localhost:5000/a/b:v1', v1: true, v2: false },
    { text: 'kind-registry:5000/a/b:v1', v1: true, v2: false },
    { text: 'upbound/provider-aws:v1', v1: true, v2: false },
    { text: 'xpkg.io/a/b', v1: true, v2: false },
    { text: 'xpkg.io/a//b:v1', v1: true, v2: false },
    { text: 'xpkg.io/A/B:v1', v1: false, v2: false },
  ])('spec.package `$text` passes: v1.20.0 $v1, v2.0.0 $v2', ({ text, v1, v2 }) => {
    expect(validPackageReference(text, target('v1.20.0'))).toBe(v1);
    expect(validPackageReference(text, target('v2.0.0'))).toBe(v2);
  });

  test.each([
    { repository: 'xpkg.io/a/b', v1: true, v2: true, why: 'registry and path' },
    { repository: 'a/b', v1: true, v2: false, why: 'no registry' },
    { repository: 'xpkg.io/a/b:v1', v1: false, v2: false, why: 'a tag in it' },
    { repository: `xpkg.io/a/b@${DIGEST}`, v1: false, v2: false, why: 'a digest in it' },
    { repository: 'localhost:5000/a/b', v1: true, v2: false, why: 'no dot in the host' },
    { repository: 'xpkg.io/A/b', v1: false, v2: false, why: 'upper case' },
    { repository: `xpkg.io/${'a'.repeat(256)}`, v1: false, v2: false, why: 'too long' },
    { repository: 'bad^host.io/a/b', v1: false, v2: false, why: 'not a host' },
    { repository: 'docker.io/nginx', v1: true, v2: false, why: 'library/ is implied' },
    { repository: '', v1: false, v2: false, why: 'nothing' },
  ])('repository `$repository` is usable: v1.20.0 $v1, v2.3.4 $v2 ($why)', (row) => {
    expect(repositoryProblem(row.repository, target('v1.20.0')) === undefined).toBe(row.v1);
    expect(repositoryProblem(row.repository, target('v2.3.4')) === undefined).toBe(row.v2);
    expect(repositoryProblem(row.repository, target('v2.3.4')) === undefined).toBe(row.v2);
  });
});

test.each([
  { a: 'docker.io/x/p', b: 'index.docker.io/x/p', want: true, why: 'an alias' },
  { a: 'x/p', b: 'docker.io/x/p', want: true, why: 'Docker Hub is where it falls back to' },
  { a: 'nginx', b: 'docker.io/library/nginx', want: true, why: 'library/ is implied' },
  { a: 'xpkg.io/x/p', b: 'ghcr.io/x/p', want: false, why: 'two registries' },
])('$a and $b are one repository: $want ($why)', ({ a, b, want }) => {
  expect(sameRepository(a, b)).toBe(want);
});

test('on v1.20 an unqualified repository is one of xpkg.crossplane.io', () => {
  const on = target('v1.20.0');
  expect(sameRepository('x/p', 'xpkg.crossplane.io/x/p', on)).toBe(true);
  expect(sameRepository('x/p', 'docker.io/x/p', on)).toBe(false);
});
