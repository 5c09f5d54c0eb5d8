import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { acceptanceProblems } from '../../../src/project/manifests/acceptance.js';
import { PINS } from '../../../src/project/manifests/package-object.js';
import { readInputs } from '../../../src/project/inputs/read-inputs.js';
import { formatLockfile } from '../../../src/project/lockfile/format-lockfile.js';
import { parseLockfile } from '../../../src/project/lockfile/parse-lockfile.js';
import type { JsonObject } from '../../../src/base/json.js';
import { render } from '../../../src/project/manifests/render.js';
import { resolve } from '../../../src/resolver/resolve/resolve.js';
import type { Answer } from '../../../src/resolver/resolve/answer.js';
import { openDir } from '../../../src/sources/dir-source.js';
import { memorySource } from '../../../src/sources/memory-source.js';
import { fakeIo } from '../../support/fake-io.js';
import { requestFor } from '../../support/requests.js';
import { solvable } from '../../support/universes.js';

const FIXTURES = join(import.meta.dirname, '../../../fixtures');

/** Returns why a cluster would reject an answer that is written, read again and rendered. */
function problemsOf(answer: Answer): readonly string[] {
  if (answer.status !== 'solved') return [];
  const { target } = answer;
  const lockfile = parseLockfile(formatLockfile(answer.lockfile), 'xpkg.lock.yaml');
  const digested = lockfile.packages.every(({ digest }) => digest !== undefined);
  const rewrites = target.rules.imageConfig?.rewrite === true;
  const possible = PINS.filter((pin) =>
    pin === 'tag' ? true : digested && (pin === 'digest' || rewrites),
  );
  return possible.flatMap((pin) => {
    const { bundle, lock } = render(lockfile, { pin });
    const { objects } = bundle;
    const pinned = pin === 'locked';
    const problems = acceptanceProblems({ lockfile, target, objects, lock, pinned });
    return problems.map(({ rule, message }) => `${rule}: ${message}`);
  });
}

async function demo(crossplane?: string): Promise<Answer> {
  const io = fakeIo();
  const { request } = await readInputs({
    files: ['demo'],
    refs: [],
    cwd: FIXTURES,
    stdin: () => io.stdin(),
  });
  return resolve(request, { source: await openDir(join(FIXTURES, 'packages')), crossplane });
}

describe('resolved and rendered packages are accepted by a cluster', () => {
  test.each([
    { crossplane: 'v1.17.2' },
    { crossplane: 'v1.18.0' },
    { crossplane: 'v1.20.11' },
    { crossplane: 'v2.0.8' },
    { crossplane: 'v2.3.4' },
  ])('the demo, for $crossplane', async ({ crossplane }) => {
    const answer = await demo(crossplane);
    expect(answer.status).toBe('solved');
    expect(problemsOf(answer)).toEqual([]);
  });

  test('for any universe', async () => {
    await fc.assert(
      fc.asyncProperty(solvable(), async ({ universe, request, options }) => {
        const { allowCycles } = options;
        const prereleases = options.prereleases;
        const source = memorySource(universe);
        const answer = await resolve(request, { source, allowCycles, prereleases });
        fc.pre(answer.status === 'solved');
        expect(problemsOf(answer)).toEqual([]);
      }),
      { numRuns: 80 },
    );
  });
});

describe('the lockfile', () => {
  const universe = {
    packages: Object.fromEntries(
      ['docker.io/acme/p', 'index.docker.io/acme/p'].map((repository) => [
        repository,
        { kind: 'Provider' as const, versions: { 'v1.0.0': {} } },
      ]),
    ),
  };
  const source = memorySource(universe);

  async function lockfileWith(object: JsonObject): Promise<string> {
    const kept = [{ object, origin: { file: 'x.yaml' } }];
    const answer = await resolve(requestFor({ 'docker.io/acme/p': '*' }, { kept }), { source });
    return answer.status === 'solved' ? formatLockfile(answer.lockfile) : answer.status;
  }

  test('two spellings of a repository are two packages, with a warning', async () => {
    const request = requestFor({ 'docker.io/acme/p': '*', 'index.docker.io/acme/p': '*' });
    const answer = await resolve(request, { source });
    expect(answer.warnings.filter((each) => each.includes('spelled two ways'))).toHaveLength(1);
    expect(answer).toMatchObject({ status: 'solved', lockfile: { packages: [{}, {}] } });
  });

  test('extra manifests do not depend on the order of keys or on the cluster', async () => {
    const head = { apiVersion: 'pkg.crossplane.io/v1beta1', kind: 'DeploymentRuntimeConfig' };
    const one = await lockfileWith({
      ...head,
      metadata: { name: 'big', uid: '1' },
      spec: {},
      status: {},
    });
    const other = await lockfileWith({ spec: {}, metadata: { uid: '2', name: 'big' }, ...head });
    expect(one).toContain('name: big');
    expect(one).toBe(other);
  });
});
