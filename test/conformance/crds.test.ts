import { readdirSync } from 'node:fs';
import * as fc from 'fast-check';
import { CORE_SCHEMA, loadAll, YAML11_SCHEMA } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import { acceptanceProblems } from '../../src/project/manifests/acceptance.js';
import { assignNames } from '../../src/project/manifests/object-names.js';
import { objectTemplate } from '../../src/project/manifests/object-template.js';
import type { LockedPackage, Lockfile } from '../../src/project/lockfile/lockfile.js';
import type { PackageKind } from '../../src/crossplane/packages/package.js';
import type { JsonObject } from '../../src/base/json.js';
import { targetFor, type Target } from '../../src/crossplane/releases/target.js';
import { render, type RenderOptions } from '../../src/project/manifests/render.js';
import { digestOf, locked, lockfileOf, needs } from '../support/lockfiles.js';
import { apiServer } from './crd-schema.js';
import { shared } from './shared.js';

const RELEASES = ['v1.14.0', 'v1.17.0', 'v1.20.0', 'v2.0.0', 'v2.3.4'];
const KINDS: readonly PackageKind[] = ['Provider', 'Configuration', 'Function'];

const imageConfig: JsonObject = {
  apiVersion: 'pkg.crossplane.io/v1beta1',
  kind: 'ImageConfig',
  metadata: { name: 'everything', creationTimestamp: '2024-01-01T00:00:00Z', uid: '1' },
  spec: {
    matchImages: [{ type: 'Prefix', prefix: 'xpkg.acme.dev' }, { prefix: 'xpkg.other.dev' }],
    registry: { authentication: { pullSecretRef: { name: 'regcred' } } },
    rewriteImage: { prefix: 'mirror.acme.dev/xpkg' },
    verification: {
      provider: 'Cosign',
      cosign: {
        authorities: [
          {
            name: 'us',
            key: { secretRef: { name: 'key', key: 'cosign.pub' }, hashAlgorithm: 'sha256' },
          },
        ],
      },
    },
    runtime: {
      configRef: {
        apiVersion: 'pkg.crossplane.io/v1beta1',
        kind: 'DeploymentRuntimeConfig',
        name: 'big',
      },
    },
  },
  status: {},
};
const runtimeConfig: JsonObject = {
  apiVersion: 'pkg.crossplane.io/v1beta1',
  kind: 'DeploymentRuntimeConfig',
  metadata: { name: 'big', labels: { team: 'platform' }, generation: 2 },
  spec: {
    deploymentTemplate: {
      spec: {
        replicas: 1,
        selector: {},
        template: {
          spec: {
            containers: [
              {
                name: 'package-runtime',
                args: ['--debug', '--max-reconcile-rate=10'],
                env: [{ name: 'ON', value: 'yes' }],
                resources: { limits: { memory: '1Gi', cpu: 1 } },
                ports: [{ containerPort: 8080, name: 'metrics' }],
              },
            ],
          },
        },
      },
    },
    serviceAccountTemplate: {
      metadata: {
        name: 'big',
        annotations: { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::1:role/x' },
      },
    },
  },
};

/** Every field of `spec`, and one that a dump adds. */
const fullSpec: JsonObject = {
  package: 'xpkg.acme.dev/a/old:v0.1.0',
  revisionActivationPolicy: 'Manual',
  revisionHistoryLimit: 0,
  packagePullSecrets: [{ name: 'regcred' }, { name: 'other' }],
  packagePullPolicy: 'IfNotPresent',
  ignoreCrossplaneConstraints: true,
  commonLabels: { tier: 'on', '1': '2' },
  commonAnnotations: { note: 'a: b # c' },
  controllerConfigRef: { name: 'old' },
  runtimeConfigRef: {
    apiVersion: 'pkg.crossplane.io/v1beta1',
    kind: 'DeploymentRuntimeConfig',
    name: 'big',
  },
};

/** Returns an object as `kubectl get -o yaml` prints it. */
function dumped(kind: PackageKind): JsonObject {
  return {
    apiVersion: kind === 'Function' ? 'pkg.crossplane.io/v1beta1' : 'pkg.crossplane.io/v1',
    kind,
    metadata: {
      name: 'given',
      uid: '1',
      resourceVersion: '2',
      labels: { 'app.kubernetes.io/name': 'x' },
      annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}', note: 'no' },
      managedFields: [{ manager: 'kubectl' }],
    },
    spec: fullSpec,
    status: { conditions: [] },
  };
}

const full = KINDS.map((kind): LockedPackage =>
  locked(`xpkg.acme.dev/a/full-${kind.toLowerCase()}:v1.2.3`, {
    kind,
    direct: true,
    object: objectTemplate({ kind, defaults: {}, spec: {}, object: dumped(kind) }),
  }),
);
const plain = KINDS.map((kind) =>
  locked(`xpkg.acme.dev/a/plain_${kind.toLowerCase()}:v1.0.0-rc.1`, { kind }),
);
const explicit = (text: string) => ({ ...needs(text), apiVersion: 'pkg.crossplane.io/v1' });
const parent = (...requirements: LockedPackage['requirements'][number][]) =>
  locked('xpkg.acme.dev:5000/a/b/c/parent:v1.0.0', {
    kind: 'Configuration',
    direct: true,
    requirements,
  });
const byDigest = locked(`xpkg.acme.dev/a/pinned@${digestOf('pinned')}`, { kind: 'Function' });

const SETS: Readonly<Record<string, Lockfile>> = {
  'nothing at all': lockfileOf([]),
  'every kind, plain': lockfileOf(plain),
  'every field, every kind, from a dump': lockfileOf(full),
  'kept objects': lockfileOf(plain, { objects: [runtimeConfig, imageConfig] }),
  'short and explicit dependencies': lockfileOf([
    parent(
      needs('xpkg.acme.dev/a/plain_provider >=v1.0.0-0'),
      explicit('Function xpkg.acme.dev/a/plain_function *'),
    ),
    ...plain,
  ]),
  'a package by digest': lockfileOf([
    parent(needs(`Function xpkg.acme.dev/a/pinned ${byDigest.version}`)),
    byDigest,
  ]),
  'skipping dependency resolution': lockfileOf([...plain, ...full], {
    skipDependencyResolution: ['why'],
  }),
};
const OPTIONS: readonly RenderOptions[] = [{}, { pin: 'digest' }, { applyLock: true }];

function documents(files: ReadonlyMap<string, string>): readonly unknown[] {
  return [...files].flatMap(([name, text]) => {
    const read = loadAll(text, { schema: CORE_SCHEMA });
    expect(loadAll(text, { schema: YAML11_SCHEMA })).toEqual(read);
    return name === 'kustomization.yaml' ? [] : read.filter((document) => document !== null);
  });
}

const tally: string[] = [];

describe.each(RELEASES)('Crossplane %s', (release) => {
  const server = apiServer(shared('data', 'crds', release));
  const target = targetFor(release)!;

  test.each(Object.keys(SETS))('takes %s', (name) => {
    let objects = 0;
    for (const options of OPTIONS) {
      const skips = options.pin === 'digest' || SETS[name]!.skipDependencyResolution.length > 0;
      if (options.applyLock === true && skips) continue;
      for (const object of documents(render(SETS[name]!, { ...options, target }).files)) {
        expect(server(object), JSON.stringify(object)).toEqual([]);
        objects += 1;
      }
    }
    tally.push(`${release.padEnd(8)} ${String(objects).padStart(3)} objects  ${name}`);
  });

  test('accepts five hundred random sets', () => {
    fc.assert(
      fc.property(
        anyLockfile(target),
        fc.constantFrom<RenderOptions>(...OPTIONS.slice(0, 2)),
        (set, options) => {
          const { files, bundle, lock } = render(set, { ...options, target });
          for (const object of documents(files))
            expect(server(object), JSON.stringify(object)).toEqual([]);
          const lockfile = { ...set, crossplane: release };
          expect(acceptanceProblems({ lockfile, target, objects: bundle.objects, lock })).toEqual(
            [],
          );
        },
      ),
      { numRuns: 500 },
    );
  });
});

function provider(spec: JsonObject, more: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'pkg.crossplane.io/v1',
    kind: 'Provider',
    metadata: { name: 'p' },
    spec,
    ...more,
  };
}

describe('the validation itself rejects', () => {
  const server = apiServer(shared('data', 'crds', 'v2.3.4'));
  const old = apiServer(shared('data', 'crds', 'v1.17.0'));
  test.each([
    { by: server, object: provider({ package: 'a/b:v1' }), why: 'a rule in CEL' },
    { by: server, object: provider({ package: 'x.io/a/b:v1', extra: 1 }), why: 'an unknown field' },
    { by: server, object: provider({}), why: 'a missing field' },
    {
      by: server,
      object: provider({ package: 'x.io/a/b:v1' }, { data: {} }),
      why: 'an unknown field at the top level',
    },
    {
      by: server,
      object: provider({ package: 'x.io/a/b:v1', revisionHistoryLimit: '1' }),
      why: 'a wrong type',
    },
    {
      by: server,
      object: { ...provider({ package: 'x.io/a/b:v1' }), apiVersion: 'pkg.crossplane.io/v2' },
      why: 'a version that is not served',
    },
    {
      by: server,
      object: { ...imageConfig, spec: { matchImages: [] } },
      why: 'a rule about lists',
    },
    { by: old, object: imageConfig, why: 'a kind of a later release' },
    {
      by: old,
      object: provider({ package: 'x.io/a/b:v1', commonAnnotations: {} }),
      why: 'a field of a later release',
    },
  ])('$why', ({ by, object }) => {
    expect(by(object)).not.toEqual([]);
  });
});

test('the CRDs of five releases are available', () => {
  expect(readdirSync(shared('data', 'crds')).sort()).toEqual(RELEASES);
  process.stdout.write(`\n${tally.join('\n')}\n`);
});

/** Acyclic sets whose packages accept each other, as a resolution returns them. */
function anyLockfile({ rules }: Target): fc.Arbitrary<Lockfile> {
  const part = fc.stringMatching(/^[a-z0-9][a-z0-9_-]{0,20}[a-z0-9]$/);
  const host = fc.constantFrom('xpkg.acme.dev', 'registry.acme.dev:5000', '127.0.0.1:5000');
  const one = fc.record({
    repository: fc.tuple(host, part, part).map((parts) => parts.join('/')),
    tag: fc.constantFrom('v1.0.0', 'v0.12.3', '1.2.3', 'v2.0.0-rc.1'),
    kind: fc.constantFrom(...KINDS),
    digested: fc.boolean(),
    asks: fc.array(fc.nat(9), { maxLength: 4 }),
    explicit: fc.boolean(),
    fields: fc.subarray(Object.keys(fullSpec)),
    owns: fc.boolean(),
  });
  return fc
    .tuple(
      fc.uniqueArray(one, { selector: ({ repository }) => repository, maxLength: 8 }),
      fc.subarray([imageConfig, runtimeConfig]),
    )
    .map(([drafts, objects]) => {
      const bare = drafts.map(({ repository, tag, kind, digested }) =>
        locked(
          digested && rules.digestDependencies
            ? `${repository}@${digestOf(repository)}`
            : `${repository}:${tag}`,
          {
            kind,
          },
        ),
      );
      const { names } = assignNames(bare);
      const packages = drafts.map((draft, index): LockedPackage => {
        const below = draft.asks.filter((other) => other > index && other < bare.length);
        const requirements = [...new Set(below)].map((other) => {
          const { repository, version, kind } = bare[other]!;
          const constraint = version.startsWith('sha256:') ? version : `>=0.0.0-0`;
          const entry = needs(`${kind} ${repository} ${constraint}`);
          return draft.explicit ? { ...entry, apiVersion: 'pkg.crossplane.io/v1' } : entry;
        });
        const spec = Object.fromEntries(draft.fields.map((field) => [field, fullSpec[field]!]));
        return {
          ...bare[index]!,
          name: names.get(bare[index]!.repository)!,
          requirements,
          owns: draft.owns ? [{ kind: 'CRD', name: `things.g${index}.dev` }] : [],
          object: objectTemplate({ kind: draft.kind, defaults: {}, spec, object: undefined }),
        };
      });
      return lockfileOf(packages, { objects });
    });
}
