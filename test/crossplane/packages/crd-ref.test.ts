import { expect, test } from 'vitest';
import { definesCrd, parseCrdRef } from '../../../src/crossplane/packages/crd-ref.js';
import type { JsonValue } from '../../../src/base/json.js';
import { crd, xrd } from '../../support/contents.js';

const BUCKET = { group: 's3.acme.io', version: 'v1beta1', kind: 'Bucket' };
const ANY_VERSION = { ...BUCKET, version: undefined };

test.each<{ written: JsonValue; want: object }>([
  { written: 'buckets.s3.acme.io', want: { crd: 'buckets.s3.acme.io' } },
  {
    written: 'buckets.s3.acme.io/v1beta1',
    want: { crd: 'buckets.s3.acme.io', version: 'v1beta1' },
  },
  { written: '*.s3.acme.io/v1beta1', want: { ...BUCKET, kind: '*' } },
  { written: '*.s3.acme.io', want: { ...ANY_VERSION, kind: '*' } },
  { written: 's3.acme.io/v1beta1/Bucket', want: BUCKET },
  { written: 's3.acme.io/v1beta1, Kind=Bucket', want: BUCKET },
  { written: 's3.acme.io/Bucket', want: ANY_VERSION },
  { written: '*/Bucket', want: { ...ANY_VERSION, group: '*' } },
  { written: 'Bucket.v1beta1.s3.acme.io', want: BUCKET },
  { written: BUCKET, want: BUCKET },
  { written: { apiVersion: 's3.acme.io/v1beta1', kind: 'Bucket' }, want: BUCKET },
  { written: { group: '*', kind: 'Bucket' }, want: { ...ANY_VERSION, group: '*' } },
])('$written is a CRD reference', ({ written, want }) => {
  expect(parseCrdRef(written)).toEqual(want);
});

test.each<{ written: JsonValue; why: string }>([
  { written: 'buckets', why: 'no group' },
  { written: '*', why: 'nothing is named' },
  { written: 'buckets..acme.io', why: 'nothing between two dots' },
  { written: 'a/b/c/d', why: 'too many parts' },
  { written: { group: 'a.b' }, why: 'no kind' },
  { written: { apiVersion: 'v1', kind: 'Secret' }, why: 'the core group has no CRDs' },
  { written: ['a.b.c'], why: 'a list' },
  { written: null, why: 'nothing' },
])('$written is not a CRD reference: $why', ({ written }) => {
  expect(parseCrdRef(written)).toBeUndefined();
});

const buckets = crd('buckets.s3.acme.io', {
  defines: { group: 's3.acme.io', kind: 'Bucket', versions: ['v1beta1', 'v1'] },
});
const dbs = {
  ...xrd('xdbs.acme.io', 'dbs.acme.io'),
  claimKind: 'Db',
  defines: { group: 'acme.io', kind: 'XDb', versions: ['v1'] },
};

test.each([
  { demand: 'buckets.s3.acme.io', object: buckets, want: true, why: 'by name' },
  { demand: 'buckets.s3.acme.io/v1', object: buckets, want: true, why: 'at a version it has' },
  { demand: 'buckets.s3.acme.io/v2', object: buckets, want: false, why: 'at one it has not' },
  {
    demand: 'buckets.s3.acme.io/v2',
    object: crd('buckets.s3.acme.io'),
    want: true,
    why: 'not known',
  },
  { demand: '*.s3.acme.io/v1', object: buckets, want: true, why: 'anything of the group' },
  { demand: '*.acme.io', object: buckets, want: false, why: 'another group' },
  { demand: '*/Bucket', object: buckets, want: true, why: 'in whichever group' },
  { demand: 'dbs.acme.io', object: dbs, want: true, why: 'the CRD of a claim' },
  { demand: 'acme.io/Db', object: dbs, want: true, why: 'the kind of a claim' },
  { demand: 'acme.io/v1/XDb', object: dbs, want: true, why: 'the kind of the composite' },
])('$demand, $object.name → $want: $why', ({ demand, object, want }) => {
  expect(definesCrd(object, parseCrdRef(demand)!)).toBe(want);
});
