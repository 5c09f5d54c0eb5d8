import type { JsonObject, JsonValue } from '../../src/base/json.js';
import { formatStream } from '../../src/testing/generators/package-yaml.js';
import type { Draw } from '../../src/base/collections.js';
import { drawnConstraint } from './drawn-constraints.js';

/**
 * Draws the text of a package that usually has one or two errors: in kind, version, constraints,
 * dependencies, field types or objects.
 */
export function oddPackage(draw: Draw): string {
  const metas = pick([0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2], draw);
  const kind = pick(KINDS, draw);
  const objects = Array.from({ length: draw(4) }, () => oddObject(kind, draw));
  const documents = [...objects];
  for (let i = 0; i < metas; i++)
    documents.splice(draw(documents.length + 1), 0, oddMeta(kind, draw));
  if (documents.length === 0) return pick(['', '---\n', '# nothing\n', '\n'], draw);
  const ways = Array.from({ length: 1 + draw(12) }, () => draw(draw(3) === 0 ? 12 : 1));
  return formatStream(documents, ways);
}

const KINDS = ['Provider', 'Configuration', 'Function'];

function oddMeta(kind: string, draw: Draw): JsonObject {
  const name = pick(['platform', 'network', 'a.b'], draw);
  return {
    apiVersion: rarely(pick(META_VERSIONS, draw), ODD_META_VERSIONS, draw),
    kind: rarely(kind, ODD_KINDS, draw),
    metadata: oddMetadata(name, draw),
    ...rarely<JsonObject>(
      { spec: oddSpec(kind, draw) },
      [{}, { spec: null }, { spec: [] }, { spec: 'x' }],
      draw,
    ),
  };
}

const META_VERSIONS = ['v1', 'v1', 'v1', 'v1', 'v1', 'v1', 'v1', 'v1', 'v1beta1', 'v1alpha1'].map(
  (v) => `meta.pkg.crossplane.io/${v}`,
);
const ODD_META_VERSIONS = [
  'meta.pkg.crossplane.io/v2',
  'meta.pkg.upbound.io/v1',
  'pkg.crossplane.io/v1',
  'meta.pkg.crossplane.io',
  'meta.pkg.crossplane.io/',
  'v1',
  '',
  null,
  1,
];
const ODD_KINDS = [
  'provider',
  'ProviderList',
  'Project',
  'Functions',
  'ListOptions',
  'WatchEvent',
  '',
  null,
  true,
];

function oddSpec(kind: string, draw: Draw): JsonObject {
  const given = (share: number, member: () => JsonObject) => (draw(100) < share ? member() : {});
  const image = 'registry.acme.io/a:v1';
  return {
    ...given(60, () => ({ crossplane: oddCrossplane(draw) })),
    ...given(60, () => ({ dependsOn: oddDependencies(draw) })),
    ...given(15, () => ({
      capabilities: rarely<JsonValue>(['safe-start'], [[1], 'x', null, [null], {}], draw),
    })),
    ...given(kind === 'Provider' ? 40 : 5, () => ({ controller: oddController(image, draw) })),
    ...given(kind === 'Function' ? 40 : 5, () => ({
      image: rarely<JsonValue>(image, [1, null, [], {}], draw),
    })),
    ...given(5, () => ({ packagePullPolicy: 'Always', other: [1, { a: null }] })),
  };
}

function oddController(image: string, draw: Draw): JsonValue {
  const rule = { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] };
  return rarely<JsonValue>(
    { image, ...(draw(2) === 0 && { permissionRequests: [rule] }) },
    [
      null,
      {},
      'x',
      [],
      { image: 5 },
      { image: null },
      { permissionRequests: rule },
      { permissionRequests: [{ verbs: 'get' }] },
      { permissionRequests: [null, { verbs: [1] }] },
      { permissionRequests: [{ nonResourceURLs: ['/x'], resourceNames: [true] }] },
    ],
    draw,
  );
}

function oddCrossplane(draw: Draw): JsonValue {
  const version = draw(3) === 0 ? drawnConstraint(draw) : pick(CROSSPLANES, draw);
  return rarely<JsonValue>(
    { version },
    [
      null,
      {},
      version,
      { version: null },
      { version: 1.2 },
      { version: [] },
      [],
      5,
      { versions: version },
    ],
    draw,
  );
}

const CROSSPLANES = [
  '>=v1.14.0',
  '>=v1.14.0-0',
  '^v1.17',
  '>=v2.0.0',
  '<2',
  '>=1.19.0 <3',
  '*',
  '',
  'latest',
  '~v2.2.0',
];

function oddDependencies(draw: Draw): JsonValue {
  const entries = Array.from({ length: draw(4) }, () => oddDependency(draw));
  return rarely<JsonValue>(entries, [null, {}, 'x', [entries]], draw);
}

function oddDependency(draw: Draw): JsonValue {
  const source = pick(['xpkg.crossplane.io/a/b', 'xpkg.upbound.io/e/f', 'a/b'], draw);
  const version = pick(
    ['>=v1.0.0', 'v1.2.3', '*', drawnConstraint(draw), `sha256:${'0a'.repeat(32)}`],
    draw,
  );
  const short = { [pick(['provider', 'configuration', 'function'], draw)]: source, version };
  const explicit = {
    apiVersion: 'pkg.crossplane.io/v1',
    kind: pick(KINDS, draw),
    package: source,
    version,
  };
  return rarely<JsonValue>(
    pick<JsonValue>([short, short, explicit], draw),
    [
      null,
      {},
      source,
      [],
      { version },
      { provider: source },
      { provider: source, version: 1.2 },
      { provider: 1, version },
      { ...short, package: source },
      { ...short, apiVersion: 5 },
      { ...explicit, kind: null },
      { ...explicit, ...short },
      { ...explicit, kind: {} },
      { crd: 'a.b.io', version },
      { provider: source, version: null, extra: [1] },
      { Provider: source, version },
    ],
    draw,
  );
}

function oddMetadata(name: string, draw: Draw): JsonValue {
  const more = pick<JsonObject>(
    [
      {},
      {},
      {},
      { labels: { a: 'b' } },
      { annotations: { 'meta.crossplane.io/maintainer': 'us' } },
    ],
    draw,
  );
  return rarely<JsonValue>(
    { name, ...more },
    [
      null,
      {},
      [],
      'x',
      { name: 5 },
      { name: null },
      { name: '' },
      { name, labels: { a: 1 } },
      { name, labels: { a: null } },
      { name, labels: ['a'] },
      { name, annotations: { a: true } },
      { name, generation: 1 },
      { name, generation: 1.5 },
      { name, generation: 1e20 },
      { name, finalizers: 'x' },
      { name, finalizers: ['x', null] },
      { name, namespace: 'default' },
      { name, creationTimestamp: '2024-01-01T00:00:00Z' },
      { name, creationTimestamp: '2024-01-01T00:00:00.5+02:00' },
      { name, creationTimestamp: 'yesterday' },
      { name, creationTimestamp: null },
      { name, ownerReferences: [{ name: 'x', controller: 'yes' }] },
      { name, managedFields: [{ manager: 'm', fieldsV1: { 'f:a': {} } }] },
      { name, uid: 7 },
      { name, unknown: {} },
    ],
    draw,
  );
}

function oddObject(kind: string, draw: Draw): JsonObject {
  const make = draw(16) === 0 ? pick(OBJECTS, draw) : pick(FITTING[kind]!, draw);
  return make(draw);
}

type MakeObject = (draw: Draw) => JsonObject;

const crd: MakeObject = (draw) => {
  const [plural, group] = [
    pick(['buckets', 'queues'], draw),
    pick(['s3.acme.io', 'sqs.acme.io'], draw),
  ];
  return {
    apiVersion: pick(
      ['apiextensions.k8s.io/v1', 'apiextensions.k8s.io/v1', 'apiextensions.k8s.io/v1beta1'],
      draw,
    ),
    kind: 'CustomResourceDefinition',
    metadata: oddMetadata(`${plural}.${group}`, draw),
    spec: {
      group,
      names: { kind: 'Thing', plural, ...(draw(4) === 0 && { shortNames: ['th'] }) },
      scope: 'Cluster',
      ...(draw(6) === 0 && { version: 'v1' }),
      versions: pick<JsonValue>(
        [[], [{ name: 'v1', served: true, storage: true }], [{ name: 'v1' }, { name: 'v2' }]],
        draw,
      ),
    },
  };
};

const xrd: MakeObject = (draw) => {
  const [plural, group] = [pick(['xdbs', 'xnets'], draw), 'acme.io'];
  return {
    apiVersion: `apiextensions.crossplane.io/${pick(['v1', 'v1', 'v2'], draw)}`,
    kind: 'CompositeResourceDefinition',
    metadata: oddMetadata(`${plural}.${group}`, draw),
    spec: {
      group,
      names: { kind: 'XThing', plural },
      ...pick<JsonObject>(
        [
          {},
          { claimNames: { kind: 'Thing', plural: plural.slice(1) } },
          { claimNames: null },
          { claimNames: {} },
        ],
        draw,
      ),
      versions: [{ name: 'v1alpha1', served: true, referenceable: true }],
    },
  };
};

/** Returns an object whose spec is irrelevant. */
function plain(apiVersion: string, kind: string): MakeObject {
  return (draw) => ({
    apiVersion,
    kind,
    metadata: oddMetadata(`some-${kind.toLowerCase()}`, draw),
  });
}

const composition = plain('apiextensions.crossplane.io/v1', 'Composition');
const webhooks = ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'].map((kind) =>
  plain('admissionregistration.k8s.io/v1', kind),
);
const mrd: MakeObject = (draw) => ({
  ...crd(draw),
  apiVersion: 'apiextensions.crossplane.io/v1alpha1',
  kind: 'ManagedResourceDefinition',
});
const mrap = plain('apiextensions.crossplane.io/v1alpha1', 'ManagedResourceActivationPolicy');
const operations = ['Operation', 'CronOperation', 'WatchOperation'].map((kind) =>
  plain('ops.crossplane.io/v1alpha1', kind),
);

const FITTING: Readonly<Record<string, readonly MakeObject[]>> = {
  Provider: [crd, crd, crd, crd, crd, crd, mrd, ...webhooks],
  Configuration: [xrd, xrd, xrd, composition, composition, composition, mrap, ...operations],
  Function: [crd],
};

/** Kinds that some release has registered, and plausible but unknown kinds. */
const OBJECTS: readonly MakeObject[] = [
  ...Object.values(FITTING).flat(),
  ...[
    ['v1', 'ConfigMap'],
    ['v1', 'Status'],
    ['apps/v1', 'Deployment'],
    ['apiextensions.crossplane.io/v1', 'CompositionRevision'],
    ['apiextensions.crossplane.io/v1', 'CompositionList'],
    ['apiextensions.crossplane.io/v1beta1', 'Usage'],
    ['apiextensions.crossplane.io/v1beta1', 'CompositionRevision'],
    ['apiextensions.crossplane.io/v1beta1', 'EnvironmentConfig'],
    ['apiextensions.crossplane.io/v1alpha1', 'Usage'],
    ['apiextensions.crossplane.io/v1alpha1', 'EnvironmentConfig'],
    ['apiextensions.crossplane.io/v1alpha1', 'ManagedResourceDefinitionList'],
    ['apiextensions.crossplane.io/v2', 'CompositeResourceDefinitionList'],
    ['apiextensions.crossplane.io/v2', 'Composition'],
    ['apiextensions.k8s.io/v1', 'CustomResourceDefinitionList'],
    ['apiextensions.k8s.io/v1', 'ConversionReview'],
    ['apiextensions.k8s.io/v1beta1', 'ConversionReview'],
    ['apiextensions.k8s.io/v1', 'DeleteOptions'],
    ['apiextensions.k8s.io/v1', 'WatchEvent'],
    ['admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicy'],
    ['admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicyBinding'],
    ['admissionregistration.k8s.io/v1', 'MutatingAdmissionPolicy'],
    ['admissionregistration.k8s.io/v1', 'MutatingAdmissionPolicyBindingList'],
    ['admissionregistration.k8s.io/v1', 'ValidatingWebhookConfigurationList'],
    ['admissionregistration.k8s.io/v1beta1', 'MutatingWebhookConfiguration'],
    ['ops.crossplane.io/v1alpha1', 'OperationList'],
    ['ops.crossplane.io/v1', 'Operation'],
    ['protection.crossplane.io/v1beta1', 'Usage'],
    ['pkg.crossplane.io/v1', 'Provider'],
    ['meta.pkg.crossplane.io/v1', 'ListOptions'],
  ].map(([apiVersion, kind]) => plain(apiVersion!, kind!)),
];

/** Draws the usual value in most cases. */
function rarely<T>(usual: T, odd: readonly T[], draw: Draw): T {
  return draw(40) === 0 ? pick(odd, draw) : usual;
}

function pick<T>(from: readonly T[], draw: Draw): T {
  return from[draw(from.length)]!;
}
