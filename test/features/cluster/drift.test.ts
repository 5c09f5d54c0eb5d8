import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Digest } from '../../../src/base/digest.js';
import { revisionName } from '../../../src/crossplane/packages/object-names.js';
import { readDump } from '../../support/read-dump.js';
import type { Lockfile } from '../../../src/project/lockfile/lockfile.js';
import { findDrift } from '../../../src/features/cluster/drift.js';
import { render } from '../../../src/project/manifests/render.js';
import { resolvedDemo } from '../../support/demo-lockfile.js';
import {
  applicable,
  asJsonList,
  madeUpCluster,
  type ClusterObject,
} from '../../support/made-up-cluster.js';

let demo: Lockfile;

beforeAll(async () => {
  demo = await resolvedDemo();
});

const HELM = 'acme-contrib-provider-helm';
const FAMILY = 'acme-contrib-provider-family-cloud';

function drift(lockfile: Lockfile, objects: readonly ClusterObject[]) {
  return findDrift(lockfile, readDump([{ file: 'cluster.yaml', text: asJsonList(objects) }]));
}

/**
 * Returns the kinds of differences and the rules of findings, without findings of severity `info`.
 */
function reported(lockfile: Lockfile, objects: readonly ClusterObject[]): string[] {
  const { differences, findings } = drift(lockfile, objects);
  return [
    ...differences.map(({ kind, text }) => `${kind}: ${text}`),
    ...findings
      .filter(({ severity }) => severity !== 'info')
      .map(({ rule, text }) => `${rule}: ${text}`),
  ];
}

const of = (kind: string, name: string) => (object: ClusterObject) =>
  object.kind === kind && object.metadata.name === name;
const revisionOf = (name: string) => (object: ClusterObject) =>
  object.metadata.labels?.['pkg.crossplane.io/package'] === name;
const isLock = ({ kind }: ClusterObject) => kind === 'Lock';

test('a cluster that was made from the lockfile does not differ', () => {
  expect(drift(demo, madeUpCluster(demo))).toEqual({ differences: [], findings: [], notes: [] });
});

test.each(['v1.14.0', 'v1.17.0', 'v2.0.2', 'v2.3.4', 'v2.4.0-rc.0', 'v2.4.0', 'v2.4.2'])(
  'nor does one of Crossplane %s, but for what is information',
  (crossplane) => {
    const lockfile = { ...demo, crossplane };
    expect(reported(lockfile, madeUpCluster(lockfile))).toEqual([]);
  },
);

/** A healthy cluster in which the spec of one package was changed twice. */
function changedTwice(made: Digest, generation: number | undefined) {
  const lockfile = { ...demo, crossplane: 'v2.4.0' };
  const objects = madeUpCluster(lockfile);
  const name = revisionName({ name: HELM, generation: 3 }, made, 'digest-and-generation');
  const object = objects.find(of('Provider', HELM))!;
  Object.assign(object.metadata, { generation });
  object.status.currentRevision = name;
  objects.find(revisionOf(HELM))!.metadata.name = name;
  objects.find(isLock)!.packages.find(({ source }) => source.endsWith('helm'))!.name = name;
  return drift(lockfile, objects);
}

describe('on v2.4, where the name of a revision is a hash of digest and generation', () => {
  const OTHER = `sha256:${'0'.repeat(64)}` as Digest;

  test.each([3, 5])('the locked bytes are recognized, generation %d', (generation) => {
    const { differences, notes } = changedTwice(
      demo.packages.find(({ name }) => name === HELM)!.digest!,
      generation,
    );
    expect(differences).toEqual([]);
    expect(notes).toEqual([]);
  });

  test('other bytes are reported', () => {
    const { differences } = changedTwice(OTHER, 3);
    expect(differences.map(({ kind }) => kind)).toEqual(['digest']);
  });

  test('without a generation it is unknown which bytes run, and a note says so', () => {
    const { differences, notes } = changedTwice(OTHER, undefined);
    expect(differences).toEqual([]);
    expect(notes).toEqual([
      expect.stringContaining(`not checked whether the locked bytes run: \`${HELM}\``),
    ]);
  });

  test('without the release, names show which naming the cluster has', () => {
    const lockfile = { ...demo, crossplane: 'v2.3.4' };
    const objects = madeUpCluster({ ...demo, crossplane: 'v2.4.0' });
    const unnamed = objects.filter(({ kind }) => kind !== 'Deployment');
    expect(drift(lockfile, unnamed)).toMatchObject({ differences: [], notes: [] });
    // A lockfile of other bytes: nothing shows how the cluster names revisions.
    const packages = demo.packages.map((each) => ({ ...each, digest: OTHER }));
    const { differences, notes } = drift({ ...lockfile, packages }, unnamed);
    expect(differences).toEqual([]);
    expect(notes.join()).toContain('does not state the release of Crossplane');
  });

  test('the release that runs decides, not that of the lockfile', () => {
    const objects = madeUpCluster({ ...demo, crossplane: 'v2.4.0' });
    const { differences } = drift({ ...demo, crossplane: 'v2.3.4' }, objects);
    expect(differences.map(({ kind }) => kind)).toEqual(['crossplane']);
  });
});

test('a cluster with pinned tags does not differ, unless a pin differs', () => {
  const objects = madeUpCluster(demo, { pin: 'locked' });
  expect(reported(demo, objects)).toEqual([]);
  const pin = objects.find(of('ImageConfig', `pin-${HELM}`))!;
  pin.spec['rewriteImage'] = { prefix: 'xpkg.example.org/other@sha256:0' };
  const text = `ImageConfig \`pin-${HELM}\` is otherwise in the cluster than it is locked`;
  expect(reported(demo, objects)).toEqual([`setting: ${text}`]);
});

test('a cluster rendered by digest does not differ', () => {
  const objects = madeUpCluster(demo);
  const byDigest = new Map(
    render(demo, { pin: 'digest' }).bundle.objects.map((object) => {
      return [JSON.stringify([object['kind'], object['metadata']]), object];
    }),
  );
  expect(byDigest.size).toBeGreaterThan(demo.packages.length);
  const digests = new Map(
    demo.packages.map(({ name, digest, repository }) => [name, `${repository}@${digest}`]),
  );
  for (const object of objects) {
    const owner = object.metadata.labels?.['pkg.crossplane.io/package'] ?? object.metadata.name;
    const reference = digests.get(owner);
    if (reference === undefined) continue;
    if (object.kind.endsWith('Revision')) object.spec['image'] = reference;
    else if (['Provider', 'Configuration', 'Function'].includes(object.kind)) {
      object.spec['package'] = reference;
      object.spec['skipDependencyResolution'] = true;
    }
  }
  objects.find(isLock)!.packages = [];
  expect(reported(demo, objects)).toEqual([]);
});

test.each([
  [true, 'write `name: helm` in its entry in xpkg.yaml, and resolve'],
  [
    false,
    'add the entry `{package: xpkg.example.org/acme-contrib/provider-helm, name: helm}` to `spec.packages` in xpkg.yaml, and resolve',
  ],
])('the fix for another name, of a root (%s) and of a dependency', (direct, fix) => {
  const packages = demo.packages.map((one) => (one.name === HELM ? { ...one, direct } : one));
  const objects = madeUpCluster(demo);
  objects.find(of('Provider', HELM))!.metadata.name = 'helm';
  const { differences } = drift({ ...demo, packages }, objects);
  expect(differences.find(({ kind }) => kind === 'name')?.fix).toBe(fix);
});

type Edit = readonly [what: string, expected: string, edit: (objects: ClusterObject[]) => unknown];

const find = (objects: ClusterObject[], is: (object: ClusterObject) => boolean) =>
  objects.find(is)!;
const drop = (objects: ClusterObject[], is: (object: ClusterObject) => boolean) =>
  objects.splice(objects.findIndex(is), 1);
const row = (objects: ClusterObject[], name: string) =>
  find(objects, isLock).packages.find((each) => each.name.startsWith(`${name}-`))!;

const EDITS: readonly Edit[] = [
  ['a package removed', 'missing', (all) => drop(all, of('Provider', HELM))],
  [
    'another version',
    'version',
    (all) =>
      (find(all, of('Provider', HELM)).spec['package'] =
        'xpkg.example.org/acme-contrib/provider-helm:v0.19.0'),
  ],
  ['another name', 'name', (all) => (find(all, of('Provider', HELM)).metadata.name = 'helm')],
  [
    'a setting',
    'setting',
    (all) => (find(all, of('Provider', HELM)).spec['revisionHistoryLimit'] = 7),
  ],
  [
    'a setting taken away',
    'setting',
    (all) => delete find(all, of('Provider', HELM)).spec['runtimeConfigRef'],
  ],
  [
    'a label taken away',
    'setting',
    (all) => delete find(all, of('Provider', HELM)).metadata.labels!['team'],
  ],
  [
    'a package that skips',
    'skip-mixture',
    (all) => (find(all, of('Provider', HELM)).spec['skipDependencyResolution'] = true),
  ],
  [
    'a revision that is not active',
    'inactive',
    (all) => (find(all, revisionOf(HELM)).spec['desiredState'] = 'Inactive'),
  ],
  [
    'a revision of other bytes',
    'digest',
    (all) => (find(all, revisionOf(HELM)).metadata.name = `${HELM}-0123456789ab`),
  ],
  [
    'a revision of another version',
    'version',
    (all) =>
      (find(all, revisionOf(HELM)).spec['image'] =
        'xpkg.example.org/acme-contrib/provider-helm:v0.19.0'),
  ],
  ['a revision removed', 'inactive', (all) => drop(all, revisionOf(HELM))],
  [
    'a revision of nothing',
    'orphaned-revision',
    (all) =>
      all.push({
        ...structuredClone(find(all, revisionOf(HELM))),
        metadata: {
          name: 'x-0123456789ab',
          uid: 'x',
          labels: { 'pkg.crossplane.io/package': 'x' },
        },
      }),
  ],
  [
    'an object that is not owned',
    'objects',
    (all) => find(all, revisionOf(HELM)).status.objectRefs.pop(),
  ],
  [
    'an object more',
    'objects',
    (all) =>
      find(all, revisionOf(HELM)).status.objectRefs.push({
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        name: 'more.example.org',
      }),
  ],
  [
    'an object of two owners',
    'two-owners',
    (all) =>
      find(all, revisionOf(HELM)).status.objectRefs.push(
        find(all, revisionOf(FAMILY)).status.objectRefs[0]!,
      ),
  ],
  [
    'a twin',
    'duplicate-source',
    (all) =>
      all.push({
        ...structuredClone(find(all, of('Provider', HELM))),
        metadata: { name: 'twin', uid: 'x' },
      }),
  ],
  [
    'a package more',
    'unlocked',
    (all) =>
      all.push({
        ...structuredClone(find(all, of('Provider', HELM))),
        metadata: { name: 'more', uid: 'x' },
        spec: { package: 'xpkg.example.org/acme/more:v1.0.0' },
      }),
  ],
  [
    'no reference',
    'reference',
    (all) => (find(all, of('Provider', HELM)).spec['package'] = 'NO REFERENCE'),
  ],
  [
    'a tag and a digest',
    'tag-and-digest',
    (all) =>
      (find(all, of('Provider', FAMILY)).spec['package'] =
        `xpkg.example.org/acme-contrib/provider-family-cloud:v1.4.0@sha256:${'a'.repeat(64)}`),
  ],
  [
    'a digest that a range is for',
    'digest-and-range',
    (all) =>
      (find(all, of('Provider', FAMILY)).spec['package'] =
        `xpkg.example.org/acme-contrib/provider-family-cloud@sha256:${'a'.repeat(64)}`),
  ],
  [
    'a name that the resolver does not know',
    'odd-name',
    (all) => (find(all, of('Provider', FAMILY)).metadata.name = 'family'),
  ],
  ['a row removed', 'missing-row', (all) => find(all, isLock).packages.pop()],
  [
    'a row twice',
    'duplicate-row',
    (all) => find(all, isLock).packages.push({ ...find(all, isLock).packages[0]!, name: 'old' }),
  ],
  [
    'a row of nothing',
    'orphaned-row',
    (all) =>
      find(all, isLock).packages.push({
        ...find(all, isLock).packages[0]!,
        source: 'xpkg.example.org/acme/gone',
        name: 'gone-0123456789ab',
      }),
  ],
  [
    'a row of another revision',
    'stale-row',
    (all) => (row(all, HELM).name = `${HELM}-0123456789ab`),
  ],
  ['a row of another version', 'stale-row', (all) => (row(all, HELM).version = 'v0.1.0')],
  [
    'a row with another dependency',
    'lock-row',
    (all) => (row(all, 'acme-configuration-cluster').dependencies[0]!.constraints = '>=v0.0.1'),
  ],
  [
    'a row that is not met',
    'unmet-dependency',
    (all) => (row(all, 'acme-configuration-cluster').dependencies[0]!.constraints = '>=v99.0.0'),
  ],
  [
    'a package that is not healthy',
    'unhealthy',
    (all) => (find(all, of('Provider', HELM)).status.conditions[0]!.status = 'False'),
  ],
  [
    'a revision that is not healthy',
    'unhealthy',
    (all) => (find(all, revisionOf(HELM)).status.conditions[0]!.status = 'Unknown'),
  ],
  [
    'a Lock that does not resolve',
    'lock-unresolved',
    (all) => (find(all, isLock).status.conditions[0]!.status = 'False'),
  ],
  [
    'a package that is paused',
    'paused',
    (all) =>
      (find(all, of('Provider', HELM)).metadata.annotations = { 'crossplane.io/paused': 'true' }),
  ],
  [
    'a package on its way out',
    'being-deleted',
    (all) => (find(all, of('Provider', HELM)).metadata.deletionTimestamp = '2026-01-01T00:00:00Z'),
  ],
  [
    'a runtime config removed',
    'missing',
    (all) => {
      drop(all, ({ kind }) => kind === 'DeploymentRuntimeConfig');
      all.push({
        ...structuredClone(all[0]!),
        kind: 'DeploymentRuntimeConfig',
        metadata: { name: 'other', uid: 'o' },
      });
    },
  ],
  [
    'an ImageConfig that is otherwise',
    'setting',
    (all) => (find(all, ({ kind }) => kind === 'ImageConfig').spec['matchImages'] = []),
  ],
  [
    'another Crossplane',
    'crossplane',
    (all) =>
      (find(all, ({ kind }) => kind === 'Deployment').spec = {
        template: { spec: { containers: [{ image: 'crossplane:v1.20.10' }] } },
      }),
  ],
];

describe('one edit of a cluster', () => {
  test.each(EDITS)('%s is reported as %s, with the fix', (_, expected, edit) => {
    const objects = madeUpCluster(demo);
    edit(objects);
    const { differences, findings } = drift(demo, objects);
    const kinds = [...differences.map(({ kind }) => kind), ...findings.map(({ rule }) => rule)];
    expect(kinds).toContain(expected);
    for (const { text, fix } of [...differences, ...findings]) {
      expect(text).toMatch(/\w/);
      expect(fix).toMatch(/\w/);
      expect(`${text} ${fix}`).not.toMatch(/undefined|\[object/);
    }
  });

  test('reports a newer revision that waits for activation', () => {
    const objects = madeUpCluster(demo);
    const waiting = structuredClone(find(objects, revisionOf(HELM)));
    waiting.metadata = { ...waiting.metadata, name: `${HELM}-0123456789ab`, uid: 'w' };
    waiting.spec = { ...waiting.spec, desiredState: 'Inactive', revision: 2 };
    expect(reported(demo, [...objects, waiting])).toEqual([
      expect.stringContaining('waiting-revision'),
    ]);
    waiting.spec = { ...waiting.spec, revision: 0 };
    expect(reported(demo, [...objects, waiting]), 'older ones are history').toEqual([]);
    waiting.spec = { ...waiting.spec, desiredState: 'Active' };
    expect(reported(demo, [...objects, waiting]).join()).toContain('several-active');
  });
});

test('does not report a missing Lock row for an unhealthy package', () => {
  const objects = madeUpCluster(demo);
  find(objects, of('Provider', HELM)).status.conditions[0]!.status = 'False';
  const { packages } = find(objects, isLock);
  packages.splice(packages.indexOf(row(objects, HELM)), 1);
  const all = reported(demo, objects).join('\n');
  expect(all).toContain('unhealthy: ');
  expect(all).not.toContain('missing-row');
});

test('the command that removes a row checks the name of the row', () => {
  const objects = madeUpCluster(demo);
  const lock = find(objects, isLock);
  lock.packages.splice(2, 0, {
    ...lock.packages[0]!,
    source: 'xpkg.example.org/acme/gone',
    name: 'gone-1',
  });
  const { findings } = drift(demo, objects);
  const { fix } = findings.find(({ rule }) => rule === 'orphaned-row')!;
  const patch = /-p '(.*)'/.exec(fix!)![1]!;
  expect(JSON.parse(patch)).toEqual([
    { op: 'test', path: '/packages/2/name', value: 'gone-1' },
    { op: 'remove', path: '/packages/2' },
  ]);
});

describe('activation policies', () => {
  const crossplane = 'v2.3.4';
  const withPatterns = (patterns: string[]) => {
    const lockfile = { ...demo, crossplane };
    const objects = madeUpCluster(lockfile);
    find(objects, ({ kind }) => kind === 'ManagedResourceActivationPolicy').spec['activate'] =
      patterns;
    return drift(lockfile, objects).findings.map(({ rule, text }) => `${rule}: ${text}`);
  };

  test('are listed with the resources that they activate', () => {
    expect(withPatterns(['*'])).toEqual([
      expect.stringMatching(
        /^activation-policy: .*`default` activates (\d+) of \1 managed resources/,
      ),
    ]);
    expect(withPatterns(['*.storage.cloud.example.org']).join()).toMatch(
      /activates [1-9]\d* of [1-9]/,
    );
  });

  test('are reported if they match nothing', () => {
    expect(withPatterns(['*', 'buckets.typo.example.org'])[0]).toMatch(
      /^idle-activation: `buckets.typo/,
    );
  });
});

test('reports kinds that are missing in the dump', () => {
  const objects = madeUpCluster(demo).filter(({ kind }) => kind !== 'Function');
  const { notes, findings } = drift(demo, objects);
  expect(notes).toEqual(['the dump holds no Function: was it left out of `kubectl get`?']);
  expect(findings.map(({ rule }) => rule)).not.toContain('orphaned-row');
});

test('reports a missing Lock or missing revisions, and compares the rest', () => {
  const objects = madeUpCluster(demo).filter(
    ({ kind }) => kind !== 'Lock' && !kind.endsWith('Revision'),
  );
  const { differences, findings } = drift(demo, objects);
  expect(differences).toEqual([]);
  expect(findings.map(({ rule, severity }) => `${severity} ${rule}`)).toEqual([
    'info incomplete-dump',
    'info incomplete-dump',
  ]);
});

test.each([
  ['v1.20.11', 'controllerConfigRef', 'ControllerConfig', 'controllerconfigs'],
  ['v2.3.4', 'runtimeConfigRef', 'DeploymentRuntimeConfig', 'deploymentruntimeconfigs'],
])(
  'on Crossplane %s, reports a %s to an object that the dump lacks',
  (release, field, kind, all) => {
    const lockfile = { ...demo, crossplane: release };
    const findings = (name: string) => {
      const objects = madeUpCluster(lockfile);
      objects.find(of('Provider', HELM))!.spec[field] = { name };
      const found = drift(lockfile, objects).findings;
      return found.filter(({ rule }) => rule === 'incomplete-dump');
    };
    expect(findings('big')).toMatchObject([
      {
        severity: 'info',
        text: `the dump has no ${kind} \`big\`, which Provider \`${HELM}\` names in \`${field}\``,
        fix: `\`kubectl get ${all}.pkg.crossplane.io -o yaml\``,
      },
    ]);
    expect(findings('default')).toHaveLength(kind === 'ControllerConfig' ? 1 : 0);
  },
);

/** Edits of a cluster; the number selects the object. */
const ANY_EDITS: readonly ((objects: ClusterObject[], n: number) => boolean)[] = [
  (all, n) => edited(all, isPackage, n, (each) => all.splice(all.indexOf(each), 1)),
  (all, n) =>
    edited(all, isPackage, n, (each) => (each.spec['package'] = 'xpkg.example.org/x/y:v9.9.9')),
  (all, n) => edited(all, isPackage, n, (each) => (each.metadata.name += '-x')),
  (all, n) => edited(all, isPackage, n, (each) => (each.spec['revisionHistoryLimit'] = 99)),
  (all, n) => edited(all, isPackage, n, (each) => (each.status.conditions[0]!.status = 'False')),
  (all, n) =>
    edited(all, isPackage, n, (each) =>
      all.push({ ...structuredClone(each), metadata: { name: 'twin', uid: 'x' } }),
    ),
  (all, n) => edited(all, isRevision, n, (each) => (each.spec['desiredState'] = 'Inactive')),
  (all, n) =>
    edited(all, isRevision, n, (each) => (each.spec['image'] = 'xpkg.example.org/x/y:v9.9.9')),
  (all, n) =>
    edited(
      all,
      isRevision,
      n,
      (each) => (each.metadata.name = each.metadata.name.replace(/.{12}$/, '0123456789ab')),
    ),
  (all, n) => edited(all, isRevision, n, (each) => (each.status.conditions[0]!.status = 'False')),
  (all, n) => editedRow(all, n, (row, rows) => rows.splice(rows.indexOf(row), 1)),
  (all, n) => editedRow(all, n, (row) => (row.version += '0')),
  (all, n) => editedRow(all, n, (row) => (row.name += 'x')),
  (all, n) => editedRow(all, n, (row) => (row.source += '-x')),
  (all, n) => editedRow(all, n, (row, rows) => rows.push({ ...row, name: 'twin' })),
  (all, n) =>
    editedRow(all, n, (row) =>
      row.dependencies.push({
        package: 'xpkg.example.org/x/y',
        type: 'Provider',
        constraints: '*',
      }),
    ),
  (all, n) =>
    editedRow(all, n, (row) =>
      row.dependencies.length > 0 ? row.dependencies.pop() : (row.name += 'x'),
    ),
];

const isPackage = ({ kind }: ClusterObject) =>
  ['Provider', 'Configuration', 'Function'].includes(kind);
const isRevision = ({ kind }: ClusterObject) => kind.endsWith('Revision');

function edited(
  all: ClusterObject[],
  is: (object: ClusterObject) => boolean,
  n: number,
  edit: (object: ClusterObject) => unknown,
): boolean {
  const some = all.filter(is);
  if (some.length === 0) return false;
  edit(some[n % some.length]!);
  return true;
}

type Rows = ClusterObject['packages'];

function editedRow(
  all: ClusterObject[],
  n: number,
  edit: (row: Rows[number], rows: Rows) => unknown,
): boolean {
  const { packages } = find(all, isLock);
  if (packages.length === 0) return false;
  edit(packages[n % packages.length]!, packages);
  return true;
}

test('rendered and applied lockfiles do not differ, and every single edit does', () => {
  const universe = applicable({ packages: 6 }).filter(({ packages }) => packages.length > 0);
  const edits = fc.nat({ max: ANY_EDITS.length - 1 });
  fc.assert(
    fc.property(universe, edits, fc.nat(), (lockfile, which, n) => {
      const objects = madeUpCluster(lockfile);
      const before = new Set(reported(lockfile, objects));
      expect(drift(lockfile, objects).differences).toEqual([]);
      fc.pre(ANY_EDITS[which]!(objects, n));
      const news = reported(lockfile, objects).filter((each) => !before.has(each));
      expect(news).not.toEqual([]);
    }),
    { numRuns: 100 },
  );
});
