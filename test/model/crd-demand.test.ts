import { expect, test } from 'vitest';
import { formatCrdDemand, parseCrdDemand } from '../../src/model/crd-demand.js';

const BUCKET = { group: 's3.aws.upbound.io', version: 'v1beta1', kind: 'Bucket' };
const ANY_VERSION = { ...BUCKET, version: undefined };

test.each([
  { written: 'buckets.s3.aws.upbound.io', want: { crd: 'buckets.s3.aws.upbound.io' } },
  { written: 'buckets.s3.aws.upbound.io/v1beta1', want: { crd: 'buckets.s3.aws.upbound.io' } },
  { written: 's3.aws.upbound.io/v1beta1/Bucket', want: BUCKET },
  { written: 's3.aws.upbound.io/Bucket', want: ANY_VERSION },
  { written: 'Bucket.v1beta1.s3.aws.upbound.io', want: BUCKET },
  { written: BUCKET, want: BUCKET },
  { written: { group: '*', kind: 'Bucket' }, want: { ...ANY_VERSION, group: '*' } },
])('$written', ({ written, want }) => {
  expect(parseCrdDemand(written)).toEqual(want);
});

test.each([
  { written: 'buckets', why: 'no group' },
  { written: '*.s3.aws.upbound.io/v1beta1', why: 'every CRD of a group is no CRD' },
  { written: '*', why: 'nothing is named' },
  { written: 'a/b/c/d', why: 'too many parts' },
  { written: { group: 'a.b' }, why: 'no kind' },
  { written: { group: 'a.b', kind: 'B', version: 1 }, why: 'a version that is no text' },
  { written: ['a.b.c'], why: 'a list' },
  { written: undefined, why: 'nothing' },
])('$written is no demand: $why', ({ written }) => {
  expect(parseCrdDemand(written as never)).toBeUndefined();
});

test.each(['buckets.s3.aws.upbound.io', 's3.aws.upbound.io/v1beta1/Bucket', '*/Bucket'])(
  '%s is printed as it was read',
  (text) => {
    expect(formatCrdDemand(parseCrdDemand(text)!)).toBe(text);
  },
);
