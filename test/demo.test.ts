import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { readInputs } from '../src/project/inputs/read-inputs.js';
import { parseConstraint } from '../src/crossplane/constraints/constraint.js';
import { objectNameOf } from '../src/crossplane/packages/object-names.js';
import { targetFor } from '../src/crossplane/releases/target.js';
import { compareVersions, parseVersion } from '../src/crossplane/constraints/version.js';
import { resolve } from '../src/resolver/resolve/resolve.js';
import { type ResolveOptions } from '../src/resolver/resolve/to-problem.js';
import { openDir } from '../src/sources/dir-source.js';
import { type PackageTree, type TreePackage, readPackageTree } from './support/package-tree.js';

const FIXTURES = join(import.meta.dirname, '../fixtures');
const TARGET = targetFor('v1.20.11')!;
const { dialect } = TARGET.rules;
const ACME = 'xpkg.example.org/acme';
const CONTRIB = 'xpkg.example.org/acme-contrib';

/** What fixtures/demo asks for, in the order in which its files are read. */
const ROOTS = [
  { repository: `${CONTRIB}/provider-helm`, constraint: 'v0.21.0' },
  { repository: `${ACME}/configuration-platform`, constraint: '>=v1.0.0' },
  { repository: `${ACME}/configuration-cluster`, constraint: '~v0.5.0' },
  { repository: `${CONTRIB}/provider-cloud-storage`, constraint: '>=v1.3.0' },
];

const ANSWER = {
  [`${ACME}/configuration-cluster`]: 'v0.5.1',
  [`${ACME}/configuration-database`]: 'v1.2.0',
  [`${ACME}/configuration-network`]: 'v1.2.0',
  [`${ACME}/configuration-platform`]: 'v1.2.0',
  [`${CONTRIB}/function-auto-ready`]: 'v0.5.0',
  [`${CONTRIB}/function-go-templating`]: 'v0.10.0',
  [`${CONTRIB}/function-patch-and-transform`]: 'v0.8.2',
  [`${CONTRIB}/provider-cloud-database`]: 'v1.3.2',
  [`${CONTRIB}/provider-cloud-network`]: 'v1.3.1',
  [`${CONTRIB}/provider-cloud-storage`]: 'v1.4.0',
  [`${CONTRIB}/provider-family-cloud`]: 'v1.4.0',
  [`${CONTRIB}/provider-helm`]: 'v0.21.0',
  [`${CONTRIB}/provider-kubernetes`]: 'v0.18.0',
};

type Edge = TreePackage['dependsOn'][number];
type Picked = ReadonlyMap<string, string>;

let tree: PackageTree;
beforeAll(() => {
  tree = readPackageTree(join(FIXTURES, 'packages'));
});

const packageAt = (repository: string, version: string) => tree.get(repository)!.get(version)!;

function admits(constraint: string, version: string): boolean {
  const parsed = parseConstraint(constraint, dialect);
  if (parsed.invalid) throw new Error(`${constraint}: ${parsed.error}`);
  return parsed.admits(parseVersion(version, dialect)!);
}

function newest({ repository, constraint }: Edge): string {
  const admitted = [...tree.get(repository)!.keys()].filter((tag) => admits(constraint, tag));
  const versions = admitted.map((tag) => parseVersion(tag, dialect)!);
  return versions.sort(compareVersions).at(-1)!.raw;
}

/**
 * What the in-cluster resolver does: of the first missing dependency it installs the newest version
 * that satisfies the one edge it came by, and never looks back.
 */
function greedy(roots: readonly Edge[]): Picked {
  const picked = new Map<string, string>();
  const queue = [...roots];
  for (let edge = queue.shift(); edge !== undefined; edge = queue.shift()) {
    if (picked.has(edge.repository)) continue;
    const version = newest(edge);
    picked.set(edge.repository, version);
    queue.push(...packageAt(edge.repository, version).dependsOn);
  }
  return picked;
}

/** Every rule of the target that a set of packages breaks. */
function broken(picked: Picked): string[] {
  const problems: string[] = [];
  const owners = new Map<string, string>();
  for (const [repository, version] of picked) {
    const { crossplane, dependsOn, owns } = packageAt(repository, version);
    const id = `${repository.split('/').at(-1)} ${version}`;
    for (const { repository: wanted, constraint } of dependsOn) {
      const have = picked.get(wanted);
      if (have === undefined || !admits(constraint, have))
        problems.push(`${id} wants ${wanted.split('/').at(-1)} ${constraint}, not ${have}`);
    }
    if (crossplane !== undefined && !admits(crossplane, TARGET.version))
      problems.push(`${id} wants Crossplane ${crossplane}`);
    for (const name of owns) {
      if (owners.has(name)) problems.push(`${owners.get(name)} and ${id} own ${name}`);
      owners.set(name, id);
    }
  }
  return problems;
}

describe('the packages', () => {
  test('are about a dozen, of all three kinds, most in several versions', () => {
    const all = [...tree.values()].flatMap((versions) => [...versions.values()]);
    expect(tree.size).toBe(14);
    expect(all.length).toBe(48);
    expect(new Set(all.map(({ kind }) => kind)).size).toBe(3);
    expect([...tree.values()].every((versions) => versions.size > 1)).toBe(true);
  });

  test('refer to functions by the names that Crossplane gives them', () => {
    const named = [...tree.values()]
      .flatMap((versions) => [...versions.values()])
      .flatMap(({ compositions, dependsOn }) =>
        compositions.flatMap(({ functionRefs }) =>
          functionRefs.map((name) => ({
            name,
            depended: dependsOn.map(({ repository }) => objectNameOf(repository)),
          })),
        ),
      );
    expect(named.length).toBe(32);
    for (const { name, depended } of named) expect(depended).toContain(name);
  });

  test('the monolith conflicts with every member of the family', () => {
    const monolith = packageAt(`${CONTRIB}/provider-cloud`, 'v0.47.1').owns;
    for (const member of ['family-cloud', 'cloud-storage', 'cloud-network', 'cloud-database']) {
      const { owns } = packageAt(`${CONTRIB}/provider-${member}`, 'v1.2.0');
      expect(monolith).toEqual(expect.arrayContaining([...owns]));
    }
  });
});

describe('taking the newest of each package as it comes', () => {
  test('breaks a range, the Crossplane version and the ownership of a CRD', () => {
    expect(broken(greedy(ROOTS))).toEqual([
      'configuration-cluster v0.5.1 wants configuration-network >=v1.1.0, <v2.0.0, not v2.0.0',
      'provider-kubernetes v1.0.0 wants Crossplane >=v2.0.0-0',
      'provider-cloud-network v1.4.0 and provider-cloud-database v1.3.2 own privateendpoints.network.cloud.example.org',
    ]);
  });

  test.each([
    {
      change: { repository: `${ACME}/configuration-platform`, constraint: '~v1.2.0' },
      why: 'an older platform still lets the newest network in',
    },
    {
      change: { repository: `${ACME}/configuration-platform`, constraint: 'v1.0.0' },
      why: 'nor does the oldest platform help',
    },
  ])('fails as well when a user steps back by hand: $why', ({ change }) => {
    const roots = ROOTS.map((root) => (root.repository === change.repository ? change : root));
    expect(broken(greedy(roots))).not.toEqual([]);
  });
});

/** The answer to fixtures/demo, perhaps with more asked for. */
async function answer(refs: readonly string[] = [], options: Partial<ResolveOptions> = {}) {
  const files = [join(FIXTURES, 'demo')];
  const { request } = await readInputs({ files, refs, cwd: FIXTURES, stdin: async () => '' });
  return resolve(request, { source: await openDir(join(FIXTURES, 'packages')), ...options });
}

async function versions(options: Partial<ResolveOptions> = {}): Promise<Record<string, string>> {
  const found = await answer([], options);
  if (found.status !== 'solved') throw new Error(found.status);
  return Object.fromEntries(found.lockfile.packages.map((one) => [one.repository, one.version]));
}

describe('xpkg-resolve', () => {
  test('finds the expected set, and it breaks nothing', async () => {
    expect(await versions()).toEqual(ANSWER);
    expect(broken(new Map(Object.entries(ANSWER)))).toEqual([]);
  });

  test('reads only a few versions other than the chosen ones', async () => {
    const { stats } = await answer();
    expect(stats.fetched).toBeGreaterThan(Object.keys(ANSWER).length);
    expect(stats.fetched).toBeLessThan(30);
  });

  test('takes the newest provider-kubernetes where Crossplane is new enough', async () => {
    const kubernetes = `${CONTRIB}/provider-kubernetes`;
    expect(await versions({ crossplane: 'v2.3.4' })).toEqual({ ...ANSWER, [kubernetes]: 'v1.0.0' });
  });

  test('rejects the monolith together with the family, because both own the same objects', async () => {
    const found = await answer([`${CONTRIB}/provider-cloud@>=v0.46.0`]);
    if (found.status !== 'unsolvable') throw new Error(found.status);
    expect(found.core.map(({ kind }) => kind)).toContain('ownership');
    expect(found.suggestions).not.toEqual([]);
  });
});
