import { describe, expect, test } from 'vitest';
import type { IndexFile, IndexVersion } from '../../src/sources/index/index-file.js';
import { resolve } from '../../src/resolver/resolve/resolve.js';
import { memorySource } from '../../src/sources/memory-source.js';
import {
  type MatcherSubject,
  assertConflictsOn,
  assertResolves,
  assertSelects,
  matchers,
} from '../../src/testing/matchers.js';
import { requestFor } from '../support/requests.js';

expect.extend(matchers);

const A = 'xpkg.example.org/acme/a';
const B = 'xpkg.example.org/acme/b';
const CRD = 'buckets.s3.example.org';

const versions = (held: Readonly<Record<string, IndexVersion>>) => ({
  kind: 'Provider',
  versions: held,
});
const universe: IndexFile = {
  packages: {
    [A]: versions({ 'v1.0.0': { crds: [CRD] }, 'v1.1.0': { crds: [CRD], crossplane: '>=v2.0.0' } }),
    [B]: versions({ 'v1.0.0': { crds: [CRD, 'queues.sqs.example.org'] }, 'v1.1.0': {} }),
  },
};
const options = { crossplane: 'v2.3.4' };
const both = requestFor({ [A]: '*', [B]: '*' });
const fighting = requestFor({ [A]: '*', [B]: 'v1.0.0' });
const missing = requestFor({ [A]: '>=v2.0.0' });

const SUBJECTS: Readonly<Record<string, (request: typeof both) => MatcherSubject>> = {
  'a universe': (request) => ({ universe, request, options }),
  'a source': (request) => ({ source: memorySource(universe), request, options }),
  'an answer to come': (request) =>
    resolve(request, { source: memorySource(universe), ...options }),
};

describe.each(Object.entries(SUBJECTS))('of %s', (_, subject) => {
  test('toResolve', async () => {
    await expect(subject(both)).toResolve();
    await expect(subject(fighting)).not.toResolve();
    expect((await assertResolves(subject(both))).lockfile.packages).toHaveLength(2);
  });

  test('toSelect', async () => {
    await expect(subject(both)).toSelect({ [A]: 'v1.1.0', [B]: 'v1.1.0' });
    await expect(subject(both)).toSelect({ [A]: 'v1.1.0', 'xpkg.example.org/acme/c': undefined });
    await expect(subject(both)).not.toSelect({ [A]: 'v1.0.0' });
    await expect(subject(both)).not.toSelect({ [A]: undefined });
    expect((await assertSelects(subject(both), { [B]: 'v1.1.0' })).status).toBe('solved');
  });

  test('toConflictOn', async () => {
    await expect(subject(fighting)).toConflictOn(CRD);
    await expect(subject(fighting)).toConflictOn(B);
    await expect(subject(fighting)).not.toConflictOn('queues.sqs.example.org');
    await expect(subject(missing)).toConflictOn(A);
    await expect(subject(both)).not.toConflictOn(CRD);
    expect((await assertConflictsOn(subject(fighting), CRD)).status).toBe('unsolvable');
  });
});

test('locked versions are used', async () => {
  const locked = new Map([[A, 'v1.0.0']]);
  const situation = { universe, request: both, options: { ...options, locked } };
  await expect(situation).toSelect({ [A]: 'v1.0.0', [B]: 'v1.1.0' });
});

describe('a failure has a reason', () => {
  const solvable = { universe, request: both, options };
  const unsolvable = { universe, request: fighting, options };

  test.each([
    { why: 'the explanation', fails: () => assertResolves(unsolvable), says: /both own/ },
    {
      why: 'what would help',
      fails: () => assertSelects(unsolvable, {}),
      says: /each of these alone/,
    },
    {
      why: 'what was selected',
      fails: () => assertConflictsOn(solvable, CRD),
      says: /acme\/a v1\.1\.0/,
    },
    {
      why: 'what else is in conflict',
      fails: () => assertConflictsOn(unsolvable, 'queues.sqs.example.org'),
      says: /buckets\.s3\.example\.org/,
    },
    {
      why: 'which version is another',
      fails: () => assertSelects(solvable, { [B]: 'v1.0.0' }),
      says: /expected v1\.0\.0, selected v1\.1\.0/,
    },
    {
      why: 'with a matcher too',
      fails: () => expect(unsolvable).toResolve(),
      says: /both own/,
    },
    {
      why: 'and when the opposite was expected',
      fails: () => expect(solvable).not.toResolve(),
      says: /it resolves on Crossplane v2\.3\.4/,
    },
  ])('$why', async ({ fails, says }) => {
    await expect(fails()).rejects.toThrow(says);
  });
});
