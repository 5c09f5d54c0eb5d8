import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  friendlyId,
  isObjectName,
  objectNameOf,
  objectNameProblem,
  revisionName,
  toDnsLabel,
} from '../../../src/crossplane/packages/object-names.js';
import type { Digest } from '../../../src/base/digest.js';
import { targetFor } from '../../../src/crossplane/releases/target.js';

const a = (count: number) => 'a'.repeat(count);

describe('toDnsLabel', () => {
  test.each([
    { text: 'upbound/provider-aws-s3', want: 'upbound-provider-aws-s3', why: 'slashes are dashes' },
    { text: 'acme/my_project_fn', want: 'acme-myprojectfn', why: 'an underscore is dropped' },
    { text: 'Acme/My_Project_fn', want: 'cme-yrojectfn', why: 'so is upper case' },
    { text: 'a.b:c//d', want: 'a-b-c--d', why: 'dashes in a row stay' },
    { text: '-hi/my.name/is-', want: 'hi-my-name-is', why: 'none at either end' },
    { text: '_/a', want: 'a', why: 'a dash that comes to stand first is trimmed' },
    { text: a(64), want: a(63), why: '63 bytes' },
    { text: `${a(60)}----`, want: a(60), why: 'dashes at the cut are trimmed' },
    { text: `${a(62)}-b`, want: a(62), why: 'no dash at byte 62' },
    { text: `${'_'.repeat(60)}${a(10)}`, want: a(3), why: 'the limit counts the input' },
    { text: 'é/a', want: 'a', why: 'beyond ASCII is dropped' },
    { text: `${a(61)}éb`, want: `${a(61)}b`, why: 'no character begins at byte 62: no stop' },
    { text: '', want: '', why: 'nothing' },
  ])('`$text` → `$want`: $why', ({ text, want }) => {
    expect(toDnsLabel(text)).toBe(want);
  });

  test('is always a DNS label or empty', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii', maxLength: 100 }), (text) => {
        expect(toDnsLabel(text)).toMatch(/^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)?$/);
      }),
    );
  });
});

describe('isObjectName', () => {
  test.each([
    { name: 'provider-aws', want: true, why: 'a DNS label' },
    { name: 'a.b-c.d0', want: true, why: 'labels joined by dots' },
    { name: a(63), want: true, why: 'all that a label value holds' },
    { name: a(64), want: false, why: 'more than that' },
    { name: '', want: false, why: 'nothing' },
    { name: 'Aws', want: false, why: 'upper case' },
    { name: 'a_b', want: false, why: 'an underscore' },
    { name: '-a', want: false, why: 'a dash at the start' },
    { name: 'a.', want: false, why: 'a dot at the end' },
    { name: 'a..b', want: false, why: 'nothing between two dots' },
    { name: 'a.-b', want: false, why: 'a dash beside a dot' },
  ])('`$name` → $want: $why', ({ name, want }) => {
    expect(isObjectName(name)).toBe(want);
    expect(objectNameProblem(name) === undefined).toBe(want);
  });
});

describe('friendlyId', () => {
  test.each([
    { name: 'provider-aws', hash: '1234567', want: 'provider-aws-1234567', why: 'both fit' },
    { name: a(60), hash: '1234567891234567', want: `${a(50)}-123456789123`, why: '50 and 12' },
    { name: `${a(49)}-y`, hash: 'c88b938d6e7b2e', want: `${a(49)}--c88b938d6e7b`, why: 'a cut' },
    { name: `${a(49)}é`, hash: 'c88b', want: `${a(49)}-c88b`, why: 'half a character is none' },
  ])('$name, $hash → $want: $why', ({ name, hash, want }) => {
    expect(friendlyId(name, hash)).toBe(want);
  });

  const digest = `sha256:c88b938d6e7b${a(52)}` as Digest;

  test.each([
    { crossplane: 'v2.3.5', generation: 1, want: 'acme-s3-c88b938d6e7b', why: 'by the digest' },
    { crossplane: 'v2.4.0-rc.0', generation: 2, want: 'acme-s3-c88b938d6e7b', why: 'not yet' },
    {
      crossplane: 'v2.4.0',
      generation: 1,
      want: 'acme-s3-b334e1001f8a',
      why: 'by digest and generation',
    },
    {
      crossplane: 'v2.4.0',
      generation: 2,
      want: 'acme-s3-2a0a3c9eac67',
      why: 'another generation',
    },
  ])('a revision on $crossplane: $why', ({ crossplane, generation, want }) => {
    const object = { name: 'acme-s3', generation };
    expect(revisionName(object, digest, targetFor(crossplane)!.packageManager.revisionNames)).toBe(
      want,
    );
  });
});

describe('objectNameOf', () => {
  test.each([
    { repository: 'xpkg.upbound.io/upbound/provider-aws-s3', want: 'upbound-provider-aws-s3' },
    { repository: 'ghcr.io/upbound/provider-aws-s3', want: 'upbound-provider-aws-s3' },
    { repository: 'registry.example.com:5000/team/sub/cfg', want: 'team-sub-cfg' },
    { repository: 'xpkg.io/acme/proj_fn', want: 'acme-projfn' },
    { repository: 'upbound/provider-aws', want: 'upbound-provider-aws' },
    { repository: 'docker.io/nginx', want: 'library-nginx' },
  ])('$repository → $want', ({ repository, want }) => {
    expect(objectNameOf(repository)).toBe(want);
  });

  test.each([
    { version: 'v1.14.0', want: 'library-nginx', why: 'Docker Hub is the default' },
    { version: 'v1.20.0', want: 'nginx', why: 'it is not' },
  ])('nginx on $version → $want: $why', ({ version, want }) => {
    expect(objectNameOf('nginx', targetFor(version))).toBe(want);
  });
});
