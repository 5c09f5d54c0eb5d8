import { expect, test } from 'vitest';
import type { IndexFile } from '../../../src/sources/index/index-file.js';
import type { PackageSource } from '../../../src/sources/package-source.js';
import type { Policy } from '../../../src/project/inputs/policy.js';
import type { CandidateRule } from '../../../src/resolver/solver/problem.js';
import type { Request } from '../../../src/project/inputs/request.js';
import { memorySource } from '../../../src/sources/memory-source.js';
import { matrix } from '../../../src/features/matrix/matrix.js';
import { outdated } from '../../../src/features/update/outdated.js';
import type { Solved, Unsolvable } from '../../../src/resolver/resolve/answer.js';
import { resolve, update } from '../../../src/resolver/resolve/resolve.js';
import { type ResolveOptions } from '../../../src/resolver/resolve/to-problem.js';
import { verify } from '../../../src/features/verify/verify.js';
import { digestOf } from '../../support/lockfiles.js';
import { requestFor } from '../../support/requests.js';

const [A, B] = ['h.io/acme/a', 'evil.io/acme/b'];
const NOW = Date.UTC(2026, 10, 18);
const at = (line: number) => ({ file: 'xpkg.yaml', line });

/** A requires B since v2.0.0. A v1.1.0 is three days old, and the date of A v1.0.0 is 1970. */
const universe: IndexFile = {
  packages: {
    [A]: {
      kind: 'Configuration',
      versions: {
        'v1.0.0': { digest: digestOf('a1'), created: '2026-01-01T00:00:00Z' },
        'v1.1.0': { digest: digestOf('a2'), created: '2026-11-15T00:00:00Z' },
        'v2.0.0': {
          digest: digestOf('a3'),
          created: '2026-02-01T00:00:00Z',
          dependsOn: [{ provider: B, version: '>=v1.0.0' }],
        },
      },
    },
    [B]: {
      kind: 'Provider',
      versions: { 'v1.0.0': { digest: digestOf('b1'), created: '1970-01-01T00:00:00Z' } },
    },
  },
};

function minimumAge(more: Partial<NonNullable<Policy['minimumAge']>> = {}): Policy {
  const week = { text: '7d', milliseconds: 7 * 86_400_000, origin: at(20) };
  return { deny: [], minimumAge: { ...week, except: [], unknown: 'refuse', ...more } };
}

const registries: Policy = { deny: [], registries: { allowed: ['h.io'], origin: at(10) } };

function deny(packages: string, version?: string, reason?: string): Policy {
  return { deny: [{ packages, version, reason, origin: at(15) }] };
}

function asked(range: string, ...policies: Policy[]): Request {
  return requestFor({ [A]: range }, { policies });
}

function options(more: Partial<ResolveOptions> = {}): ResolveOptions {
  return { source: memorySource(universe), crossplane: 'v2.3.4', now: NOW, ...more };
}

async function solved(request: Request, more?: Partial<ResolveOptions>): Promise<Solved> {
  const answer = await resolve(request, options(more));
  expect(answer.status).toBe('solved');
  return answer as Solved;
}

async function refused(request: Request, more?: Partial<ResolveOptions>): Promise<Unsolvable> {
  const answer = await resolve(request, options(more));
  expect(answer.status).toBe('unsolvable');
  return answer as Unsolvable;
}

function versionOf({ lockfile }: Solved, repository = A): string | undefined {
  return lockfile.packages.find((one) => one.repository === repository)?.version;
}

test.each([
  { why: 'no policy', policies: [], want: 'v2.0.0' },
  { why: 'a registry that is not allowed', policies: [registries], want: 'v1.1.0' },
  { why: 'a package denied', policies: [deny(B)], want: 'v1.1.0' },
  { why: 'a version denied', policies: [deny(A, '>=v1.1.0')], want: 'v1.0.0' },
  { why: 'too young, or of unknown age', policies: [minimumAge()], want: 'v1.0.0' },
  {
    why: 'an unknown age that the policy allows',
    policies: [minimumAge({ unknown: 'allow' })],
    want: 'v2.0.0',
  },
  {
    why: 'an exception',
    policies: [
      minimumAge({ except: [{ packages: 'evil.io', version: undefined, origin: at(21) }] }),
    ],
    want: 'v2.0.0',
  },
  {
    why: 'an exception of a version',
    policies: [minimumAge({ except: [{ packages: A, version: 'v1.1.0', origin: at(21) }] })],
    want: 'v1.1.0',
  },
  {
    why: 'an exception in one of two policies',
    policies: [
      minimumAge({ except: [{ packages: A, version: 'v1.1.0', origin: at(21) }] }),
      minimumAge({ origin: at(30) }),
    ],
    want: 'v1.0.0',
  },
])('$why: $want is chosen', async ({ policies, want }) => {
  expect(versionOf(await solved(asked('*', ...policies)))).toBe(want);
});

test('the refusal explains each rule and names its line', async () => {
  const all = await refused(asked('*', registries, deny(A, 'v1.0.0', 'CVE-1'), minimumAge()));
  const told = all.core.filter(({ kind }) => kind === 'policy');
  expect(told.map(({ text, path }) => `${path.join()}: ${text}`).sort()).toEqual([
    `xpkg.yaml:10: every version of ${B} is outside the registries that the policy allows (xpkg.yaml:10)`,
    `xpkg.yaml:15: ${A} v1.0.0 is denied by the policy (xpkg.yaml:15: CVE-1)`,
    `xpkg.yaml:20: ${A} v1.1.0 is younger than the \`7d\` that the policy asks for (xpkg.yaml:20), until 2026-11-22T00:00:00Z`,
  ]);
  const unknown = await refused(asked('v2.0.0', minimumAge()));
  expect(unknown.explanation).toContain(
    `${B} v1.0.0 is of unknown age: its image says \`1970-01-01T00:00:00Z\`, which is no date of publishing, and the policy asks for \`7d\` (xpkg.yaml:20)`,
  );
});

test('sends no request to a registry that is not allowed, even for explanations', async () => {
  const asks: string[] = [];
  const held = memorySource(universe);
  const source: PackageSource = {
    distant: true,
    tags: (repository, target) => {
      asks.push(repository);
      return held.tags(repository, target);
    },
    fetch: (candidate, target) => {
      asks.push(candidate.repository);
      return held.fetch(candidate, target);
    },
  };
  await refused(asked('v2.0.0', registries), { source });
  expect(new Set(asks)).toEqual(new Set([A]));
});

test('suggests an exception, a date to wait for, or to remove a denial', async () => {
  const young = await refused(asked('v1.1.0', minimumAge()));
  expect(young.suggestions.map(({ text }) => text)).toContain(
    `let ${A} \`v1.1.0\` in whatever the age (\`minimumAgeExcept\`), or wait until 2026-11-22T00:00:00Z`,
  );
  const denied = await refused(asked('v1.1.0', deny(A)));
  expect(denied.suggestions.map(({ text }) => text)).toEqual([`do not deny ${A} (xpkg.yaml:15)`]);
  const both = await refused(asked('v1.1.0', minimumAge(), minimumAge({ origin: at(30) })));
  expect(both.suggestions.filter(({ text }) => text.startsWith('let'))).toEqual([]);
});

test('keeps locked versions of any age, also in update, but not denied versions', async () => {
  const { lockfile } = await solved(asked('^v1.0.0'));
  const request = asked('^v1.0.0', minimumAge());
  expect(versionOf(await solved(request, { lockfile }))).toBe('v1.1.0');
  const updated = await update(request, [{ repository: A }], { ...options(), lockfile });
  expect(versionOf(updated as Solved)).toBe('v1.1.0');
  const { mismatches } = await verify(lockfile, request, options());
  expect(mismatches).toEqual([]);
  const moved = await solved(asked('^v1.0.0', deny(A, 'v1.1.0', 'CVE-1')), { lockfile });
  expect(moved.changes[0]?.reason).toBe('`v1.1.0` is denied by the policy (xpkg.yaml:15: CVE-1)');
  const denied = await verify(lockfile, asked('^v1.0.0', deny(A)), options());
  expect(denied.mismatches[0]?.found).toContain('denied by the policy (xpkg.yaml:15)');
});

test('admits a version when it is old enough', async () => {
  const request = asked('^v1.0.0', minimumAge());
  const [before, after] = [Date.UTC(2026, 10, 21, 23, 59, 59), Date.UTC(2026, 10, 22)];
  expect(versionOf(await solved(request, { now: before }))).toBe('v1.0.0');
  expect(versionOf(await solved(request, { now: after }))).toBe('v1.1.0');
});

test('states what keeps a package from a version, and until when', async () => {
  const { lockfile, notes } = await solved(asked('^v1.0.0', minimumAge()));
  const until =
    'is younger than the `7d` that the policy asks for (xpkg.yaml:20), until 2026-11-22T00:00:00Z';
  expect(notes).toContain(
    `${A} is held back at v1.0.0 (newest is v1.1.0) by a policy: ${A} v1.1.0 ${until}`,
  );
  const only = {
    packages: {
      [A]: { ...universe.packages[A]!, versions: { ...universe.packages[A]!.versions } },
    },
  };
  delete (only.packages[A]!.versions as Record<string, unknown>)['v2.0.0'];
  const source = memorySource(only);
  const { packages } = await outdated(lockfile, asked('*', minimumAge()), options({ source }));
  expect(packages).toEqual([
    expect.objectContaining({
      fits: 'v1.0.0',
      newest: 'v1.1.0',
      heldBy: [{ source: 'xpkg.yaml:20', requires: A, text: `a policy: ${A} v1.1.0 ${until}` }],
    }),
  ]);
});

test('matrix names a policy that blocks a release', async () => {
  const { rows } = await matrix(asked('v1.1.0', minimumAge()), options());
  expect(rows).toEqual([
    expect.objectContaining({
      status: 'unsolvable',
      reason: expect.stringContaining('younger') as string,
    }),
  ]);
});

test('checks each version once against an extra rule before it is read', async () => {
  const asks: string[] = [];
  const rule: CandidateRule = {
    judge: async ({ repository, version }) => {
      asks.push(`${repository} ${version}`);
      return version === 'v2.0.0' ? { by: 'deny', reason: 'unsigned', origin: at(1) } : undefined;
    },
  };
  const answer = await solved(asked('*'), { rules: [rule] });
  expect(versionOf(answer)).toBe('v1.1.0');
  expect(answer.stats.fetched).toBe(1);
  expect(asks).toEqual([`${A} v2.0.0`, `${A} v1.1.0`]);
});
