import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { acceptanceProblems } from '../../../src/bundle/acceptance/acceptance.js';
import { PINS } from '../../../src/bundle/package-object.js';
import { readInputs } from '../../../src/inputs/read-inputs.js';
import { formatLockfile } from '../../../src/lock/format-lockfile.js';
import { parseLockfile } from '../../../src/lock/parse-lockfile.js';
import type { JsonObject } from '../../../src/text/json.js';
import { render } from '../../../src/usecases/render.js';
import { resolve } from '../../../src/usecases/resolve/resolve.js';
import type { Answer } from '../../../src/usecases/resolve/answer.js';
import { openDir } from '../../../src/sources/dir/dir-source.js';
import { memorySource } from '../../../src/sources/memory-source.js';
import { scenario } from '../../../src/testing/generate/scenario.js';
import { fakeIo } from '../../support/fake-io.js';
import { requestFor } from '../../support/requests.js';

const FIXTURES = join(import.meta.dirname, '../../../fixtures');

/** What a cluster would say to an answer, written down, read again and rendered. */
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

describe('what is resolved and rendered would be accepted', () => {
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

  test('whatever the universe', async () => {
    let solved = 0;
    await fc.assert(
      fc.asyncProperty(scenario(), async ({ universe, request, options }) => {
        const { allowCycles } = options;
        const prereleases = options.prereleases;
        const source = memorySource(universe);
        const answer = await resolve(request, { source, allowCycles, prereleases });
        if (answer.status === 'solved') solved += 1;
        expect(problemsOf(answer)).toEqual([]);
      }),
      { numRuns: 150 },
    );
    expect(solved).toBeGreaterThan(15);
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

  test('one repository spelled two ways is two packages, and said', async () => {
    const request = requestFor({ 'docker.io/acme/p': '*', 'index.docker.io/acme/p': '*' });
    const answer = await resolve(request, { source });
    expect(answer.warnings.filter((each) => each.includes('spelled two ways'))).toHaveLength(1);
    expect(answer).toMatchObject({ status: 'solved', lockfile: { packages: [{}, {}] } });
  });

  test('kept objects are the same in whatever order their keys came, and from whatever cluster', async () => {
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
