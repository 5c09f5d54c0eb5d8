import {
  rewrittenImage,
  imageConfigsIn,
  pullSecretFor,
} from '../../../src/crossplane/package-manager/image-config.js';
import { readImageConfigs, readInputs } from '../../../src/project/inputs/read-inputs.js';
import { readPullSecrets } from '../../../src/project/inputs/secrets.js';
import { formatLockfile, lockIndex } from '../../../src/project/lockfile/format-lockfile.js';
import { lockTree } from '../../../src/project/lockfile/lock-graph.js';
import { parseLockfile } from '../../../src/project/lockfile/parse-lockfile.js';
import { parseDockerConfig } from '../../../src/oci/registry/docker-credentials.js';
import { parseIndex } from '../../../src/sources/index/index-source.js';
import { memorySource } from '../../../src/sources/memory-source.js';
import { judge } from '../../../src/crossplane/packages/admission.js';
import { targetFor } from '../../../src/crossplane/releases/target.js';
import { render } from '../../../src/project/manifests/render.js';
import { digestOf, locked, lockfileOf, needs } from '../../support/lockfiles.js';
import type { HostileReader } from '../reader.js';

const TARGET = targetFor('v2.3.4')!;
const DIGEST = `sha256:${'0b'.repeat(32)}`;

const PACKAGE_SET = `apiVersion: xpkg-resolve.dev/v1alpha1
kind: PackageSet
metadata:
  name: set
spec:
  crossplane: v2.3.4
  packages:
    - provider: xpkg.example.org/acme/p
      version: ">=v1.0.0"
      name: named
      spec: {revisionHistoryLimit: 3}
    - crd: buckets.s3.example.org
  overrides:
    - {package: xpkg.example.org/acme/q, version: v1.0.0}
  replace:
    - {package: xpkg.example.org/acme/r, with: xpkg.example.org/acme/s}
  exclude:
    - {package: xpkg.example.org/acme/t, version: v1.2.3}
  defaults:
    spec: {packagePullPolicy: IfNotPresent}
`;

const OBJECTS = `apiVersion: pkg.crossplane.io/v1
kind: Provider
metadata: {name: p, annotations: {a: b}}
spec:
  package: xpkg.example.org/acme/p:v1.0.0
  packagePullSecrets: [{name: s}]
  runtimeConfigRef: {name: r}
---
apiVersion: meta.pkg.crossplane.io/v1
kind: Configuration
metadata: {name: c}
spec:
  crossplane: {version: ">=v1.14"}
  dependsOn:
    - {provider: xpkg.example.org/acme/p, version: ">=v1.0.0"}
---
apiVersion: v1
kind: List
items:
  - apiVersion: pkg.crossplane.io/v1beta1
    kind: Function
    metadata: {name: f}
    spec: {package: "xpkg.example.org/acme/f@${DIGEST}"}
  - apiVersion: apiextensions.crossplane.io/v1
    kind: CompositeResourceDefinition
    metadata: {name: xdbs.acme.io}
    spec: {group: acme.io, names: {kind: XDB, plural: xdbs}, claimNames: {kind: DB, plural: dbs}}
---
apiVersion: meta.dev.upbound.io/v1alpha1
kind: Project
metadata: {name: project}
spec:
  dependsOn: [{provider: xpkg.example.org/acme/p, version: "*"}]
`;

const IMAGE_CONFIG = `apiVersion: pkg.crossplane.io/v1beta1
kind: ImageConfig
metadata: {name: mirror}
spec:
  matchImages: [{type: Prefix, prefix: xpkg.example.org/acme}]
  rewriteImage: {prefix: mirror.example.org/acme}
  registry: {authentication: {pullSecretRef: {name: s}}}
`;

const LOCKFILE = formatLockfile(
  lockfileOf(
    [
      locked('xpkg.example.org/acme/c:v1.0.0', {
        kind: 'Configuration',
        direct: true,
        crossplane: '>=v1.14.0',
        requirements: [needs('xpkg.example.org/acme/p >=v1.0.0')],
        owns: [{ kind: 'Composition', name: 'xdb' }],
      }),
      locked('xpkg.example.org/acme/p:v1.1.0', {
        baseLayer: digestOf('b'),
        packageYaml: digestOf('y'),
      }),
    ],
    {
      objects: [
        {
          apiVersion: 'pkg.crossplane.io/v1beta1',
          kind: 'ImageConfig',
          metadata: { name: 'm' },
          spec: {},
        },
      ],
    },
  ),
);

const INDEX = JSON.stringify({
  packages: {
    'xpkg.example.org/acme/p': {
      kind: 'Provider',
      versions: {
        'v1.0.0': { digest: DIGEST, crds: ['a.example.org'], crossplane: '>=v1.14.0' },
        'v1.1.0': {
          dependsOn: [{ provider: 'xpkg.example.org/acme/q', version: '*' }],
          xrds: [{ name: 'x.acme.io', claim: 'y.acme.io' }],
          compositions: ['c'],
          labels: { a: 'b' },
          defines: { 'a.example.org': { group: 'example.org', kind: 'A', versions: ['v1'] } },
        },
      },
    },
  },
});

/** Readers of project files, which a pull request may change. */
export const FILE_READERS: readonly HostileReader[] = [
  {
    name: 'xpkg.yaml, crossplane.yaml, List, Project',
    form: 'yaml',
    seeds: [PACKAGE_SET, OBJECTS, `${PACKAGE_SET}---\n${OBJECTS}`],
    share: 3,
    read: async (input) => {
      const stdin = async () => input.toString();
      const { request, notes } = await readInputs({
        files: ['-'],
        refs: [],
        cwd: '.',
        stdin,
        compat: true,
      });
      return [notes, request.roots.length];
    },
  },
  {
    name: 'ImageConfig',
    form: 'yaml',
    seeds: [IMAGE_CONFIG, `${IMAGE_CONFIG}---\n${OBJECTS}`],
    read: async (input) => {
      const stdin = async () => input.toString();
      const kept = await readImageConfigs({ files: ['-'], cwd: '.', stdin });
      const configs = imageConfigsIn(kept);
      const image = 'xpkg.example.org/acme/p:v1';
      return [
        rewrittenImage(image, configs, TARGET).image,
        pullSecretFor(image, configs, TARGET)?.name,
      ];
    },
  },
  {
    name: 'pull secret',
    form: 'yaml',
    seeds: [
      `apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ntype: kubernetes.io/dockerconfigjson\ndata: {".dockerconfigjson": eyJhdXRocyI6e319}\n`,
      `apiVersion: v1\nkind: List\nitems: [{kind: Secret, metadata: {name: t}, stringData: {".dockercfg": "{}"}}]\n`,
      '{"auths":{"h.io":{"auth":"dTpw"}}}\n',
    ],
    place: 'secret.yaml',
    read: (input) =>
      readPullSecrets(input.toString(), 'secret.yaml').map(({ name, dockerConfig }) => [
        name,
        parseDockerConfig(dockerConfig, 'secret.yaml').auths.size,
      ]),
  },
  {
    name: 'lockfile',
    form: 'yaml',
    seeds: [LOCKFILE],
    share: 3,
    read: (input) => {
      const lockfile = parseLockfile(input.toString(), 'xpkg.lock.yaml');
      return [
        formatLockfile(lockfile),
        lockTree(lockfile),
        lockIndex(lockfile),
        [...render(lockfile).files],
      ];
    },
  },
  {
    name: 'index file',
    form: 'json',
    seeds: [INDEX],
    place: 'index:i.json',
    share: 2,
    read: async (input) => {
      const source = memorySource(parseIndex(input, 'index:i.json'));
      const repository = 'xpkg.example.org/acme/p';
      const versions = (await source.tags(repository, TARGET)) ?? [];
      const found = await Promise.all(
        versions.map((version) => source.fetch({ repository, version }, TARGET)),
      );
      return found.map((each) => each && judge(each.contents, TARGET));
    },
  },
];
